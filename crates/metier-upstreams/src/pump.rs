//! Pumps: what falls due while a thread takes in messages is done right after, by that thread.
//!
//! A message mostly wakes someone who only passes it on. Woken elsewhere, that costs more than all the
//! rest: another thread has to be. And whatever leaves while a thread takes in messages leaves
//! together.

mod task;

use std::{cell::RefCell, collections::VecDeque, marker::PhantomData, mem, sync::Arc};

pub use self::task::{Home, Task};

/// Something that falls due.
pub trait Turn: Send + Sync {
    /// Does it, without waiting for anything. It does not panic.
    fn turn(self: Arc<Self>);
}

/// When something is done that falls due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Next.
    Soon,
    /// When nothing else is left to do.
    Last,
}

/// What fell due on a thread.
struct Due {
    is_pumping: bool,
    soon: VecDeque<Arc<dyn Turn>>,
    last: Vec<Arc<dyn Turn>>,
}

thread_local! {
    static DUE: RefCell<Due> =
        const { RefCell::new(Due { is_pumping: false, soon: VecDeque::new(), last: Vec::new() }) };
}

/// Leaves something for the pump of this thread to do; gives it back if there is none.
pub fn leave<T: Turn + 'static>(turn: Arc<T>, when: When) -> Option<Arc<T>> {
    DUE.with_borrow_mut(|due| {
        match when {
            _ if !due.is_pumping => return Some(turn),
            When::Soon => due.soon.push_back(turn),
            When::Last => due.last.push(turn),
        }
        None
    })
}

/// A pump at work. When the outermost of a thread is dropped, it does what fell due.
pub struct Pump {
    is_outermost: bool,
    /// It stays on its thread, and so cannot be held while something is awaited.
    _here: PhantomData<*const ()>,
}

impl Pump {
    /// Begins to collect what falls due on this thread.
    #[must_use]
    pub fn begin() -> Pump {
        let is_outermost = DUE.with_borrow_mut(|due| !mem::replace(&mut due.is_pumping, true));
        Pump { is_outermost, _here: PhantomData }
    }

    fn next() -> Option<Arc<dyn Turn>> {
        DUE.with_borrow_mut(|due| {
            let next = due.soon.pop_front().or_else(|| due.last.pop());
            due.is_pumping = next.is_some();
            next
        })
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        while self.is_outermost
            && let Some(turn) = Pump::next()
        {
            turn.turn();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Notes its name, and leaves what follows from it.
    struct Note(&'static str, Arc<Mutex<Vec<&'static str>>>, Mutex<Vec<(Arc<Note>, When)>>);

    impl Turn for Note {
        fn turn(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
            for (note, when) in self.2.lock().unwrap().drain(..) {
                assert!(leave(note, when).is_none());
            }
        }
    }

    fn note(name: &'static str, log: &Arc<Mutex<Vec<&'static str>>>) -> Arc<Note> {
        Arc::new(Note(name, log.clone(), Mutex::default()))
    }

    #[test]
    fn what_falls_due_is_done_after_the_work_and_flushes_come_last() {
        let log = Arc::default();
        let pump = Pump::begin();
        let first = note("first", &log);
        first.2.lock().unwrap().push((note("follows", &log), When::Soon));
        assert!(leave(note("flush", &log), When::Last).is_none());
        assert!(leave(first, When::Soon).is_none());
        drop(Pump::begin());
        assert!(leave(note("second", &log), When::Soon).is_none());
        log.lock().unwrap().push("work");
        drop(pump);
        assert_eq!(*log.lock().unwrap(), ["work", "first", "second", "follows", "flush"]);
    }

    #[test]
    fn without_a_pump_it_is_given_back() {
        assert!(leave(note("mine", &Arc::default()), When::Soon).is_some());
    }

    #[test]
    fn work_that_panics_loses_nothing() {
        let log = Arc::default();
        let due = note("due", &log);
        let panicked = std::panic::catch_unwind(move || {
            let _pump = Pump::begin();
            leave(due, When::Soon);
            panic!("in the work");
        });
        assert!(panicked.is_err());
        assert_eq!(*log.lock().unwrap(), ["due"]);
        assert!(leave(note("after", &log), When::Soon).is_some());
    }
}
