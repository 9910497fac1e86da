//! What is where.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use mcp::Caller;
use mcp::http::{Body, Endpoint};

use crate::page::Page;

/// The endpoints and pages of a listener, by path.
#[derive(Default)]
pub struct Site {
    endpoints: HashMap<String, Endpoint>,
    pages: HashMap<String, Page>,
}

impl Site {
    /// Serves MCP at `path`.
    pub fn endpoint(mut self, path: impl Into<String>, endpoint: Endpoint) -> Site {
        self.endpoints.insert(path.into(), endpoint);
        self
    }

    /// Shows a page at `path`.
    pub fn page(mut self, path: impl Into<String>, page: Page) -> Site {
        self.pages.insert(path.into(), page);
        self
    }

    pub(crate) async fn respond<B>(&self, request: Request<B>, caller: Arc<Caller>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Unpin,
    {
        let path = request.uri().path();
        let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
        if let Some(endpoint) = self.endpoints.get(path) {
            return endpoint.respond(request, caller).await;
        }
        match (self.pages.get(path), request.method()) {
            (Some(page), &Method::GET | &Method::HEAD) => page.response(),
            (Some(_), _) => plain(StatusCode::METHOD_NOT_ALLOWED, "Only GET is answered here.\n"),
            (None, _) => plain(StatusCode::NOT_FOUND, "There is nothing here; `/` says what there is.\n"),
        }
    }

    /// Ends the streams that would go on for ever.
    pub(crate) fn close(&self) {
        self.endpoints.values().for_each(Endpoint::close);
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::whole(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    response
}
