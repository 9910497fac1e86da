//! MCP on any stream of bytes, one message a line, on a runtime that is there already: a Unix socket, a named pipe.
//!
//! [`serve`] serves one connection; [`client`](crate::client) is the other end.

mod lines;
mod outgoing;
mod serving;

use tokio::io::{AsyncRead, AsyncWrite};

pub(crate) use lines::{Lines, Next};
pub(crate) use outgoing::{Outgoing, Rejected};
pub use serving::serve;

/// Both directions of a connection.
pub struct Stream {
    pub(crate) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Stream {
    /// A stream of two halves.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Stream {
        Stream { reader: Box::new(reader), writer: Box::new(writer) }
    }

    /// A stream in one piece, such as a named pipe.
    pub fn whole(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Stream {
        let (reader, writer) = tokio::io::split(stream);
        Stream::new(reader, writer)
    }
}
