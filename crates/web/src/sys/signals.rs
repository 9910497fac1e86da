//! What tells a process to stop, on Unix.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Does something when the system or the person at the terminal ends the process.
pub(crate) fn on_signals<F: FnOnce() + Send + 'static>(act: impl Fn() -> F) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut told = signal(kind)?;
        let act = act();
        tokio::spawn(async move {
            told.recv().await;
            act();
        });
    }
    Ok(())
}
