//! A page for people: HTML with nothing from elsewhere in it.

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response};

use crate::body::Body;

/// A page, whole.
#[derive(Debug, Clone)]
pub struct Page {
    html: String,
}

impl Page {
    /// A page of this HTML. It may have styles inside, and nothing that runs or loads.
    pub fn new(html: String) -> Page {
        Page { html }
    }

    pub(crate) fn response(&self) -> Response<Body> {
        let mut response = Response::new(Body::whole(self.html.clone()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ),
        );
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}
