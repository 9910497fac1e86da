//! Answers that come bit by bit: one JSON value in each line, or events for an `EventSource`. Whoever writes learns when nobody
//! reads any more.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;
use serde::Serialize;
use tokio::sync::mpsc;
use web::axum::body::Body;
use web::axum::http::HeaderValue;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use web::axum::response::Response;

/// How many bits may wait to be read.
const WAITING: usize = 256;

/// Where bits are written.
#[derive(Clone)]
pub(super) struct Sink {
    sender: mpsc::Sender<Bytes>,
    kind: Kind,
}

/// How a bit is written.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// One JSON value in each line.
    Lines,
    /// Events for an `EventSource`.
    Events,
}

/// The reader is gone, or reads too slowly.
pub(super) struct Gone;

impl Sink {
    fn bytes(self: &Sink, value: &impl Serialize) -> Option<Bytes> {
        let text = serde_json::to_string(value).ok()?;
        Some(Bytes::from(match self.kind {
            Kind::Lines => format!("{text}\n"),
            Kind::Events => format!("data: {text}\n\n"),
        }))
    }

    /// Writes without waiting. A bit of progress that does not fit is left out.
    pub(super) fn progress(&self, value: &impl Serialize) -> Result<(), Gone> {
        if let Some(bytes) = self.bytes(value)
            && let Err(mpsc::error::TrySendError::Closed(_)) = self.sender.try_send(bytes)
        {
            return Err(Gone);
        }
        Ok(())
    }

    /// Writes, and waits for room.
    pub(super) async fn send(&self, value: &impl Serialize) -> Result<(), Gone> {
        let Some(bytes) = self.bytes(value) else { return Ok(()) };
        self.sender.send(bytes).await.map_err(|_| Gone)
    }

    /// A comment, which only keeps the connection open.
    pub(super) async fn keep_open(&self) -> Result<(), Gone> {
        self.sender.send(Bytes::from_static(b": \n\n")).await.map_err(|_| Gone)
    }

    /// Returns when nobody reads any more.
    pub(super) async fn closed(&self) {
        self.sender.closed().await;
    }
}

struct Bits(mpsc::Receiver<Bytes>);

impl http_body::Body for Bits {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|bit| bit.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// An answer, and where it is written.
pub(super) fn open(kind: Kind) -> (Sink, Response) {
    let (sender, receiver) = mpsc::channel(WAITING);
    let mut response = Response::new(Body::new(Bits(receiver)));
    let media = match kind {
        Kind::Lines => "application/x-ndjson",
        Kind::Events => "text/event-stream",
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (Sink { sender, kind }, response)
}
