//! The stdin and stdout of this process, kept for the protocol alone.

use std::fs::File;
use std::io;
use std::sync::{Arc, mpsc};

use crate::service::Service;

use super::connection::Connection;
use super::{Limits, read_all};

/// Why serving ended.
enum End {
    /// The client closed our stdin.
    Input(io::Result<()>),
    /// The client no longer reads our stdout.
    Output,
    /// We were told to stop.
    Signal,
}

/// Serves the process that started us, until it hangs up or we are told to stop. From here on nothing
/// else in this process can read stdin or write to stdout: what tries to print ends up on stderr.
pub fn serve(service: Arc<dyn Service>, limits: Limits) -> io::Result<()> {
    let (input, output) = take_stdio()?;
    let (ended, end) = mpsc::channel();
    let closed = ended.clone();
    let connection = Arc::new(Connection::with(
        service,
        Box::new(output),
        limits,
        Box::new(move || drop(closed.send(End::Output))),
    ));
    watch_signals(&connection, ended.clone())?;
    let reading = Arc::clone(&connection);
    std::thread::Builder::new().name("mcp-stdin".into()).spawn(move || {
        let _ = ended.send(End::Input(read_all(&reading, input)));
    })?;
    match end.recv() {
        Ok(End::Input(read)) => {
            connection.finish();
            read
        }
        Ok(End::Signal) => {
            connection.finish();
            Ok(())
        }
        // Nobody is there to finish anything for.
        Ok(End::Output) | Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn watch_signals(connection: &Connection, ended: mpsc::Sender<End>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = connection.workers().handle()?;
    let _inside = runtime.enter();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut told = signal(kind)?;
        let ended = ended.clone();
        runtime.spawn(async move {
            told.recv().await;
            let _ = ended.send(End::Signal);
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn watch_signals(connection: &Connection, ended: mpsc::Sender<End>) -> io::Result<()> {
    connection.workers().spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = ended.send(End::Signal);
        }
    })?;
    Ok(())
}

/// Our own copies of stdin and stdout; the originals become `/dev/null` and stderr.
#[cfg(unix)]
fn take_stdio() -> io::Result<(File, File)> {
    use rustix::{io as rio, stdio};

    let input = File::from(rio::fcntl_dupfd_cloexec(stdio::stdin(), 3)?);
    let output = File::from(rio::fcntl_dupfd_cloexec(stdio::stdout(), 3)?);
    stdio::dup2_stdin(File::open("/dev/null")?)?;
    stdio::dup2_stdout(stdio::stderr())?;
    widen(&output);
    Ok((input, output))
}

#[cfg(not(unix))]
fn take_stdio() -> io::Result<(io::Stdin, io::Stdout)> {
    Ok((io::stdin(), io::stdout()))
}

/// A picture fits into a wide pipe whole, and the client is woken once rather than twenty times.
#[cfg(target_os = "linux")]
fn widen(pipe: &File) {
    // Only a wish: stdout may be no pipe, and users have a quota.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1024 * 1024);
}

#[cfg(all(unix, not(target_os = "linux")))]
fn widen(_: &File) {}
