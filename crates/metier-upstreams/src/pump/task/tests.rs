//! Where tasks begin, go on and end.

use std::{
    sync::{Arc, Mutex},
    thread,
};

use tokio::{runtime::Handle, sync::oneshot};
use tokio_util::task::TaskTracker;

use super::{Home, Pump, When};

/// What happened, and on which thread.
type Log = Arc<Mutex<Vec<(&'static str, thread::ThreadId)>>>;

fn home() -> Home {
    Home { tasks: TaskTracker::new(), runtime: Handle::current() }
}

/// Says that something happened here.
fn note(log: &Log, what: &'static str) {
    log.lock().unwrap().push((what, thread::current().id()));
}

/// What happened so far.
fn noted(log: &Log) -> Vec<&'static str> {
    log.lock().unwrap().iter().map(|(what, _)| *what).collect()
}

/// A task that begins, waits for a word, and goes on.
fn waiting(home: &Home, log: &Log) -> (super::Task, oneshot::Sender<()>) {
    let (word, heard) = oneshot::channel();
    let log = log.clone();
    let task = home.task(When::Soon, async move {
        let _end = OnDrop(log.clone());
        note(&log, "begins");
        heard.await.unwrap();
        note(&log, "goes on");
    });
    (task, word)
}

struct OnDrop(Log);

impl Drop for OnDrop {
    fn drop(&mut self) {
        note(&self.0, "ends");
    }
}

async fn all_ended(home: &Home) {
    home.tasks.close();
    home.tasks.wait().await;
}

#[tokio::test]
async fn a_task_begins_at_once_and_goes_on_where_its_thread_pumps_after_the_work_at_hand() {
    let (home, log) = (home(), Log::default());
    let (task, word) = waiting(&home, &log);
    task.begin();
    assert_eq!(noted(&log), ["begins"]);
    let pump = Pump::begin();
    word.send(()).unwrap();
    note(&log, "work");
    drop(pump);
    assert_eq!(noted(&log), ["begins", "work", "goes on", "ends"]);
    all_ended(&home).await;
}

#[tokio::test]
async fn a_task_that_is_woken_where_nobody_pumps_goes_on_in_its_runtime() {
    let (home, log) = (home(), Log::default());
    let (task, word) = waiting(&home, &log);
    task.begin();
    thread::spawn(|| word.send(()).unwrap()).join().unwrap();
    all_ended(&home).await;
    assert_eq!(noted(&log), ["begins", "goes on", "ends"]);
    let here = thread::current().id();
    assert!(log.lock().unwrap().iter().all(|(_, thread)| *thread == here));
}

#[tokio::test]
async fn a_task_that_is_cancelled_is_dropped() {
    let (home, log) = (home(), Log::default());
    let (task, _word) = waiting(&home, &log);
    task.clone().begin();
    task.cancel();
    all_ended(&home).await;
    assert_eq!(noted(&log), ["begins", "ends"]);
    task.cancel();
}

#[tokio::test]
async fn a_task_that_panics_costs_only_itself() {
    let (home, log) = (home(), Log::default());
    let pump = Pump::begin();
    home.begin(When::Soon, async { panic!("on purpose") });
    let (task, word) = waiting(&home, &log);
    task.begin();
    drop(pump);
    word.send(()).unwrap();
    all_ended(&home).await;
    assert_eq!(noted(&log), ["begins", "goes on", "ends"]);
}

#[tokio::test]
async fn a_task_that_wakes_itself_goes_on_until_it_waits_for_something_else() {
    let (home, log) = (home(), Log::default());
    let told = log.clone();
    home.begin(When::Last, async move {
        for _ in 0..3 {
            note(&told, "round");
            tokio::task::yield_now().await;
        }
    });
    all_ended(&home).await;
    assert_eq!(noted(&log), ["round", "round", "round"]);
}
