//! Tasks that go on where they are woken, if that thread pumps; elsewhere as any other task.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
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

struct Task {
    home: Home,
    when: When,
    state: AtomicU8,
    future: Mutex<Option<Going>>,
    _counts: TaskTrackerToken,
}

type Going = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Home {
    /// Begins a task: right here, or when the pump of this thread comes to it.
    pub fn begin(&self, when: When, task: impl Future<Output = ()> + Send + 'static) {
        let task = Arc::new(Task {
            home: self.clone(),
            when,
            state: AtomicU8::new(IS_WOKEN),
            // What yields to others on the same thread would only be asked again at once.
            future: Mutex::new(Some(Box::pin(tokio::task::unconstrained(task)))),
            _counts: self.tasks.token(),
        });
        let _pump = Pump::begin();
        leave(task, when);
    }
}

impl Wake for Task {
    fn wake(self: Arc<Task>) {
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

impl Turn for Task {
    fn turn(self: Arc<Task>) {
        let _runtime = self.home.runtime.enter();
        let waker = Arc::clone(&self).into();
        let mut context = Context::from_waker(&waker);
        // Whose turn it is has it alone.
        let mut future = self.future.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.state.store(GOES_ON, Ordering::Release);
            let Some(going) = future.as_mut() else { return };
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
