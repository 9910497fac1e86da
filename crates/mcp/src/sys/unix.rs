//! Unix: descriptors, signals, sockets.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::task::{Context, Poll};

use rustix::{io as rio, stdio};
use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::stream::Stream;

/// What tells this process to stop.
pub(crate) struct Signals([Signal; 2]);

impl Signals {
    pub(crate) fn new() -> io::Result<Signals> {
        Ok(Signals([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?]))
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.0.iter_mut().any(|signal| signal.poll_recv(cx).is_ready()) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// Our own copies of stdin and stdout; the originals become `/dev/null` and stderr.
pub(crate) fn take_stdio() -> io::Result<(File, File)> {
    let input = File::from(rio::fcntl_dupfd_cloexec(stdio::stdin(), 3)?);
    let output = File::from(rio::fcntl_dupfd_cloexec(stdio::stdout(), 3)?);
    stdio::dup2_stdin(File::open("/dev/null")?)?;
    stdio::dup2_stdout(stdio::stderr())?;
    widen(&output);
    Ok((input, output))
}

/// A picture fits into a wide pipe whole, and the client is woken once rather than twenty times.
#[cfg(target_os = "linux")]
fn widen(pipe: &File) {
    // Only a wish: stdout may be no pipe, and users have a quota.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1024 * 1024);
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &File) {}

/// Connects to a Unix socket.
pub(crate) async fn connect(path: PathBuf) -> io::Result<Stream> {
    UnixStream::connect(path).await.map(Stream::from)
}

impl From<UnixStream> for Stream {
    fn from(socket: UnixStream) -> Stream {
        let (reader, writer) = socket.into_split();
        Stream::new(reader, writer)
    }
}
