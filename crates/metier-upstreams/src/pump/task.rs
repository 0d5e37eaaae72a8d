//! Tasks that go on where they are woken, if that thread pumps; elsewhere as any other task.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    task::{Context, Poll, Wake},
};

use tokio::runtime::Handle;
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use super::{Pump, Turn, When, leave};

/// Where tasks belong: who counts them, and the runtime that they go on in where no thread pumps.
#[derive(Clone, Debug)]
pub struct Home {
    /// Counts them.
    pub tasks: TaskTracker,
    /// Goes on with them.
    pub runtime: Handle,
}

/// It waits for something.
const WAITS: u8 = 0;
/// Its turn has come, or it has to look again.
const IS_WOKEN: u8 = 1;
/// It goes on, or it has ended.
const GOES_ON: u8 = 2;

/// A task; clones are the same one.
#[derive(Clone)]
pub struct Task(Arc<Inner>);

struct Inner {
    home: Home,
    when: When,
    state: AtomicU8,
    is_cancelled: AtomicBool,
    /// What is left to do; while something is, it counts.
    future: Mutex<Option<(Going, TaskTrackerToken)>>,
}

type Going = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Home {
    /// A task that has not begun yet.
    pub fn task(&self, when: When, future: impl Future<Output = ()> + Send + 'static) -> Task {
        // What yields to others on the same thread would only be asked again at once.
        let going = Box::pin(tokio::task::unconstrained(future));
        Task(Arc::new(Inner {
            home: self.clone(),
            when,
            state: AtomicU8::new(WAITS),
            is_cancelled: AtomicBool::new(false),
            future: Mutex::new(Some((going, self.tasks.token()))),
        }))
    }

    /// Begins a task.
    pub fn begin(&self, when: When, future: impl Future<Output = ()> + Send + 'static) {
        self.task(when, future).begin();
    }
}

impl Task {
    /// Begins: right here, or when the pump of this thread comes to it.
    pub fn begin(self) {
        let _pump = Pump::begin();
        self.0.wake();
    }

    /// Drops what is left of it, as soon as its turn comes.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Release);
        Arc::clone(&self.0).wake();
    }
}

impl Wake for Inner {
    fn wake(self: Arc<Inner>) {
        if self.state.swap(IS_WOKEN, Ordering::AcqRel) != WAITS {
            return;
        }
        let when = self.when;
        if let Some(task) = leave(self, when) {
            let Home { tasks, runtime } = task.home.clone();
            let turn = async move {
                let _pump = Pump::begin();
                task.turn();
            };
            tasks.spawn_on(turn, &runtime);
        }
    }
}

impl Turn for Inner {
    fn turn(self: Arc<Inner>) {
        let _runtime = self.home.runtime.enter();
        let waker = Arc::clone(&self).into();
        let mut context = Context::from_waker(&waker);
        // Whose turn it is has it alone.
        let mut future = self.future.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.state.store(GOES_ON, Ordering::Release);
            if self.is_cancelled.load(Ordering::Acquire) {
                *future = None;
            }
            let Some((going, _)) = future.as_mut() else { return };
            let polled = catch_unwind(AssertUnwindSafe(|| going.as_mut().poll(&mut context)));
            if !matches!(polled, Ok(Poll::Pending)) {
                *future = None;
                return;
            }
            let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
            if self.state.compare_exchange(GOES_ON, WAITS, success, failure).is_ok() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
