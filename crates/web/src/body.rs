//! The body of a response, whoever made it.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// A body of ours, or of a router.
pub(crate) enum Body {
    Ours(mcp::http::Body),
    Routed(axum::body::Body),
}

impl Body {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
        Body::Ours(mcp::http::Body::whole(bytes))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut *self {
            Body::Ours(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(|never| match never {}))),
            Body::Routed(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Body::Ours(body) => body.is_end_stream(),
            Body::Routed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Ours(body) => body.size_hint(),
            Body::Routed(body) => body.size_hint(),
        }
    }
}
