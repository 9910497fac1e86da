//! Response bodies: one piece, or a stream of events.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;

use crate::changes::Listening;
use crate::engine::Response;

use super::events::{Cursor, Events};

/// The body of a response.
pub struct Body(Inner);

enum Inner {
    Whole(Bytes),
    Stream(Box<Stream>),
}

/// A handler under way, driven by whoever reads its answer.
pub(super) type Work = Pin<Box<dyn Future<Output = Response> + Send>>;

pub(super) struct Stream {
    pub(super) events: Arc<Events>,
    pub(super) cursor: Cursor,
    /// Dropped with the body: in the modern era, hanging up is cancelling.
    pub(super) work: Option<Work>,
    pub(super) keep_alive: Duration,
    pub(super) quiet: Option<Pin<Box<Sleep>>>,
    /// What a subscription listens with.
    pub(super) _listening: Option<Listening>,
}

impl Body {
    /// Nothing.
    pub fn empty() -> Body {
        Body(Inner::Whole(Bytes::new()))
    }

    /// One piece.
    pub fn whole(bytes: impl Into<Bytes>) -> Body {
        Body(Inner::Whole(bytes.into()))
    }

    pub(super) fn stream(stream: Stream) -> Body {
        Body(Inner::Stream(Box::new(stream)))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Inner::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Inner::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Inner::Stream(stream) => stream.poll(cx).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Inner::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Whole(bytes) => SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            Inner::Stream(_) => SizeHint::default(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.events.detach(&self.cursor);
    }
}

impl Stream {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(work) = &mut self.work
            && let Poll::Ready(response) = work.as_mut().poll(cx)
        {
            self.work = None;
            self.events.end(Some(response.frame.into_bytes()));
        }
        if let Poll::Ready(chunk) = self.events.poll_read(&mut self.cursor, cx) {
            self.quiet = None;
            return Poll::Ready(chunk.map(Bytes::from));
        }
        let quiet = self.quiet.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.keep_alive)));
        if quiet.as_mut().poll(cx).is_ready() {
            self.quiet = None;
            return Poll::Ready(Some(Bytes::from_static(b":\n\n")));
        }
        Poll::Pending
    }
}
