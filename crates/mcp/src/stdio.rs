//! MCP on a pair of pipes, one message a line.
//!
//! [`serve`] is for a process started by an MCP host: it takes stdin and stdout away from the rest of
//! the process, so that nothing else can end up in the stream. [`run`] is the same on any reader and
//! writer.

pub(crate) mod connection;
mod lines;
mod out;
mod process;
mod subscriptions;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::service::Service;

use connection::Connection;
use lines::{Lines, Next};
pub use process::serve;

/// What one client may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest line that is read; longer ones are answered with an error and skipped.
    pub line: usize,
    /// How many requests may be under way at a time.
    pub in_flight: usize,
    /// How long requests under way may take to finish once the client hangs up or we are told to stop.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { line: 32_000_000, in_flight: 10_000, drain: Duration::from_secs(5) }
    }
}

/// Serves until `reader` ends, then finishes what is under way. Blocks.
pub fn run(service: impl Service, reader: impl Read, writer: impl Write + Send + 'static) -> io::Result<()> {
    run_shared(Arc::new(service), reader, writer, Limits::default())
}

/// Like [`run`], for a service that is shared and with limits of your own.
pub fn run_shared(
    service: Arc<dyn Service>,
    reader: impl Read,
    writer: impl Write + Send + 'static,
    limits: Limits,
) -> io::Result<()> {
    let connection = Arc::new(Connection::new(service, Box::new(writer), limits));
    let read = read_all(&connection, reader);
    connection.finish();
    read
}

/// Feeds every line to the connection. The answers to what one read brought go out in one write.
fn read_all(connection: &Connection, reader: impl Read) -> io::Result<()> {
    let mut lines = Lines::new(reader, connection.limits().line);
    let mut replies = Vec::new();
    // Held while there may be replies not handed over yet: who shuts down meanwhile waits for them.
    let mut busy = None;
    while !connection.is_closed() {
        match lines.next() {
            Next::Line(line) => connection.line(line, &mut replies),
            Next::Oversize(head) => connection.oversize(&head, &mut replies),
            Next::End => break,
            Next::WouldRead => {
                connection.send(&mut replies);
                drop(busy.take());
                lines.fill()?;
                busy = Some(connection.busy());
            }
        }
        if replies.len() >= connection::FLUSH_AT {
            connection.send(&mut replies);
        }
    }
    connection.send(&mut replies);
    Ok(())
}
