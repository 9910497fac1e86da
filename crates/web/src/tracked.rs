//! Sockets and bodies that record their progress, so that slow clients can be given up on, and those that are gone.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::body::Body;
use crate::connections::Standing;
use crate::sys::Way;

/// How long a client may leave an answer unread.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

/// How often one that closed its side is looked after while its request is served.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A socket that gives up on a client that does not read, or is gone.
pub(crate) struct Socket {
    stream: TcpStream,
    standing: Arc<Standing>,
    stalled: Option<Pin<Box<Sleep>>>,
    /// How to find out whether a client that closed its side is still there.
    way: Option<Way>,
    look_again: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, standing: Arc<Standing>, way: Option<Way>) -> Socket {
        Socket { stream, standing, stalled: None, way, look_again: None }
    }

    /// Whether the client went away in the middle of a request.
    fn is_deserted(&mut self, cx: &mut Context<'_>) -> bool {
        match self.stream.poll_peek(cx, &mut ReadBuf::new(&mut [0])) {
            Poll::Pending | Poll::Ready(Ok(1..)) => false,
            Poll::Ready(Ok(0)) => !self.is_half_closed(cx),
            Poll::Ready(Err(_)) => true,
        }
    }

    /// Whether a client that closed its side may still read, as `nc -N` does. TCP does not tell, but the socket of one that
    /// is gone is nobody's.
    fn is_half_closed(&mut self, cx: &mut Context<'_>) -> bool {
        let (Some(way), Ok(peer), Ok(local)) = (self.way, self.stream.peer_addr(), self.stream.local_addr())
        else {
            return false;
        };
        loop {
            if let Some(look_again) = &mut self.look_again
                && look_again.as_mut().poll(cx).is_pending()
            {
                return true;
            }
            if !matches!(way.owner(peer, local), Ok(Some(_))) {
                return false;
            }
            self.look_again = Some(Box::pin(tokio::time::sleep(LOOK_AGAIN)));
        }
    }

    fn written<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.stalled.take().is_some() {
                self.standing.set_stalled(false);
            }
            return written;
        }
        let standing = &self.standing;
        let stalled = self.stalled.get_or_insert_with(|| {
            standing.set_stalled(true);
            Box::pin(tokio::time::sleep(WRITE_PATIENCE))
        });
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.written(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Polled whenever the connection is, also when there is nothing to be written: while a request is served, nobody reads.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.standing.is_idle() && self.is_deserted(cx) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A request's body that tells when more of it is there, and when it was read to its end.
pub(crate) struct Arriving {
    body: Incoming,
    standing: Arc<Standing>,
}

impl Arriving {
    pub(crate) fn new(body: Incoming, standing: Arc<Standing>) -> Arriving {
        if http_body::Body::is_end_stream(&body) {
            standing.set_arrived();
        }
        Arriving { body, standing }
    }
}

impl http_body::Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if frame.is_ready() {
            self.standing.note_progress();
        }
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.standing.set_arrived();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response's body; when it is done with, so is the request.
pub(crate) struct Leaving {
    body: Body,
    standing: Arc<Standing>,
}

impl Leaving {
    pub(crate) fn new(body: Body, standing: Arc<Standing>) -> Leaving {
        Leaving { body, standing }
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.standing.set_idle();
    }
}

impl http_body::Body for Leaving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
