//! Signals that ask the program to end.

use std::io;

use tokio_util::sync::CancellationToken;

/// A token that is cancelled when the user or the system asks the program to end.
#[cfg(unix)]
pub(crate) fn on_signal() -> io::Result<(CancellationToken, impl Future<Output = ()>)> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(cancelled_by(async move {
        tokio::select! {
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        }
    }))
}

/// A token that is cancelled when the user or the system asks the program to end.
#[cfg(not(unix))]
pub(crate) fn on_signal() -> io::Result<(CancellationToken, impl Future<Output = ()>)> {
    Ok(cancelled_by(async {
        let _ = tokio::signal::ctrl_c().await;
        "Ctrl-C"
    }))
}

fn cancelled_by(
    signal: impl Future<Output = &'static str>,
) -> (CancellationToken, impl Future<Output = ()>) {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    (token, async move {
        let signal = signal.await;
        tracing::info!(signal, "stopping");
        cancelled.cancel();
    })
}
