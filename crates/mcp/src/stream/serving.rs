//! Serving one connection on the runtime of whoever accepted it.

use std::io::{self, Write};
use std::sync::Arc;

use tokio::io::AsyncRead;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::cx::Caller;
use crate::service::Service;
use crate::stdio::Limits;
use crate::stdio::connection::{Connection, FLUSH_AT};
use crate::workers::Workers;

use super::{Lines, Next, Outgoing, Stream};

/// A client that leaves more than this unread is hung up on: answers are not kept for ever.
const MOST_UNREAD: usize = 256 * 1024 * 1024;

/// With more than this unread, no further requests are read.
const ENOUGH_UNREAD: usize = 4 * 1024 * 1024;

/// Serves one connection until the client hangs up, then finishes what is under way. Everything runs on the runtime this
/// is called on; `caller` is what handlers learn about the other end. Dropping the future hangs up at once.
pub async fn serve(
    service: Arc<dyn Service>,
    stream: Stream,
    caller: Caller,
    limits: Limits,
) -> io::Result<()> {
    let Stream { reader, writer } = stream;
    let outgoing = Arc::new(Outgoing::new(writer, MOST_UNREAD));
    let connection = Arc::new(Connection::on(
        service,
        Box::new(Queue(Arc::clone(&outgoing))),
        limits,
        caller,
        Workers::Shared(Handle::current()),
    ));
    let queue = Arc::clone(&outgoing);
    let writing = tokio::spawn(async move { queue.write_all().await });
    let mut serving = Serving { connection, outgoing, writing };
    let read = tokio::select! {
        read = serving.read_all(reader) => read,
        () = serving.outgoing.closed() => Ok(()),
    };
    let connection = Arc::clone(&serving.connection);
    let _ = tokio::task::spawn_blocking(move || connection.finish()).await;
    serving.outgoing.finish();
    let _ = tokio::time::timeout(limits.drain, &mut serving.writing).await;
    read
}

/// One connection while it lasts.
struct Serving {
    connection: Arc<Connection>,
    outgoing: Arc<Outgoing>,
    writing: JoinHandle<io::Result<()>>,
}

impl Serving {
    /// Feeds every line to the connection. The answers to what one read brought go out in one write.
    async fn read_all(&self, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let connection = &self.connection;
        let mut lines = Lines::new(reader, connection.limits().line);
        let mut replies = Vec::new();
        loop {
            match lines.next() {
                Next::Line(line) => connection.line(line.bytes(), &mut replies),
                Next::Oversize(head) => connection.oversize(&head, &mut replies),
                Next::End => break,
                Next::WouldRead => {
                    connection.send(&mut replies);
                    self.outgoing.room_for(ENOUGH_UNREAD).await;
                    lines.fill().await?;
                }
            }
            if replies.len() >= FLUSH_AT {
                connection.send(&mut replies);
            }
        }
        connection.send(&mut replies);
        Ok(())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.connection.stop();
        self.outgoing.close();
        self.writing.abort();
    }
}

/// What handlers write to: it takes everything at once, so no thread of the runtime waits for a client.
struct Queue(Arc<Outgoing>);

impl Write for Queue {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.send(bytes).is_err() {
            self.0.close();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
