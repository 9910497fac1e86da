//! The kinds of HTTP responses.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use crate::engine::Status;

use super::body::Body;

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// A response in place of the one that was hoped for. Boxed: it is large, and the rarer case.
pub(super) type Refused = Box<Response<Body>>;

pub(super) fn plain(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

pub(super) fn accepted() -> Response<Body> {
    plain(StatusCode::ACCEPTED)
}

pub(super) fn json(status: StatusCode, bytes: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::whole(bytes.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

pub(super) fn stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies hold events back otherwise.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

pub(super) fn not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

impl Status {
    pub(super) fn code(self) -> StatusCode {
        match self {
            Status::Ok => StatusCode::OK,
            Status::BadRequest => StatusCode::BAD_REQUEST,
            Status::NotFound => StatusCode::NOT_FOUND,
        }
    }
}
