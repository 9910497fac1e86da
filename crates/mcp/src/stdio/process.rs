//! The stdin and stdout of this process, kept for the protocol alone.

use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use tokio::runtime::Builder;
use tokio::sync::mpsc;

use crate::service::Service;
use crate::sys::{Signals, take_stdio};

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
    let (ended, mut end) = mpsc::unbounded_channel();
    let closed = ended.clone();
    let connection = Arc::new(Connection::with(
        service,
        Box::new(output),
        limits,
        Box::new(move || drop(closed.send(End::Output))),
    ));
    // Waits on this thread alone: the workers start with the first request that needs one.
    let waiting = Builder::new_current_thread().enable_io().build()?;
    // Before the first line is read: who has our first answer may tell us to stop.
    let mut signals = {
        let _entered = waiting.enter();
        Signals::new()?
    };
    let reading = Arc::clone(&connection);
    std::thread::Builder::new().name("mcp-stdin".into()).spawn(move || {
        // Without this thread nobody reads: the process must end, whatever became of it.
        let read = catch_unwind(AssertUnwindSafe(|| read_all(&reading, input)));
        let read = read.unwrap_or_else(|_| Err(io::Error::other("reading from stdin panicked")));
        let _ = ended.send(End::Input(read));
    })?;
    let why = waiting.block_on(poll_fn(|cx| match end.poll_recv(cx) {
        Poll::Ready(why) => Poll::Ready(why.unwrap_or(End::Output)),
        Poll::Pending => signals.poll(cx).map(|()| End::Signal),
    }));
    match why {
        End::Input(read) => {
            connection.finish();
            read
        }
        End::Signal => {
            connection.finish();
            Ok(())
        }
        // Nobody is there to finish anything for.
        End::Output => Ok(()),
    }
}
