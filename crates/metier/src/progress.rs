//! Progress of a scan, shown once it takes longer than anyone likes to wait in silence.

use std::{
    sync::{atomic::Ordering, mpsc},
    thread,
    time::Duration,
};

use metier_skills::Progress;

use crate::ui::Ui;

/// How long a scan may take before its progress is shown.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the shown progress changes.
const TICK: Duration = Duration::from_millis(100);

/// Does `work`, showing how far it has come if that takes long and someone watches.
pub(crate) fn shown<T: Send>(ui: &mut Ui<'_>, work: impl FnOnce(&Progress) -> T + Send) -> T {
    let progress = Progress::default();
    if !ui.watched {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (done, finished) = mpsc::channel::<()>();
        let progress = &progress;
        let worker = scope.spawn(move || {
            let result = work(progress);
            drop(done);
            result
        });
        let mut shown = false;
        let mut wait = PATIENCE;
        while finished.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
            (shown, wait) = (true, TICK);
            let folders = progress.folders.load(Ordering::Relaxed);
            let files = progress.files.load(Ordering::Relaxed);
            let _ = ui.status(&format!("reading skills: {folders} folders, {files} files"));
        }
        if shown {
            let _ = ui.status("");
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
