//! What is asked for.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use url::Url;

use crate::error::FetchError;
use crate::redirect::Redirects;

/// A request. Bounds that are not set are the client's.
#[derive(Clone)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) redirects: Redirects,
    pub(crate) limit: Option<u64>,
    pub(crate) total: Option<Duration>,
    pub(crate) repeatable: bool,
}

impl Request {
    /// A request for a URL.
    pub fn new(method: Method, url: Url) -> Request {
        let repeatable = method.is_idempotent();
        Request {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            redirects: Redirects::default(),
            limit: None,
            total: None,
            repeatable,
        }
    }

    /// A `GET` for a URL in text.
    pub fn get(url: &str) -> Result<Request, FetchError> {
        Ok(Request::new(Method::GET, Url::parse(url).map_err(FetchError::Url)?))
    }

    /// A `POST` to a URL in text.
    pub fn post(url: &str, body: impl Into<Bytes>) -> Result<Request, FetchError> {
        Ok(Request::new(Method::POST, Url::parse(url).map_err(FetchError::Url)?).body(body))
    }

    /// Adds a header.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Request {
        self.headers.append(name, value);
        self
    }

    /// Adds a header given as text or bytes. The value is treated as a secret: it is in no message and no log.
    pub fn secret_header(self, name: &str, value: &[u8]) -> Result<Request, FetchError> {
        let failed = || FetchError::Header { name: name.to_owned() };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| failed())?;
        let mut value = HeaderValue::from_bytes(value).map_err(|_| failed())?;
        value.set_sensitive(true);
        Ok(self.header(header, value))
    }

    /// The body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Request {
        self.body = body.into();
        self
    }

    /// Which redirects are followed.
    pub fn redirects(mut self, redirects: Redirects) -> Request {
        self.redirects = redirects;
        self
    }

    /// How many bytes the answer may have, after decompression.
    pub fn limit(mut self, bytes: u64) -> Request {
        self.limit = Some(bytes);
        self
    }

    /// How long everything may take together: redirects, waiting and repeating included.
    pub fn total(mut self, time: Duration) -> Request {
        self.total = Some(time);
        self
    }

    /// Doing it twice does no harm, although its method does not say so.
    pub fn repeatable(mut self) -> Request {
        self.repeatable = true;
        self
    }

    /// Where it goes.
    pub fn url(&self) -> &Url {
        &self.url
    }
}
