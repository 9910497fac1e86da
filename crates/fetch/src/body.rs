//! What comes back: whole, or as it comes.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::client::{Deadline, classify};
use crate::error::{FetchError, Site};

/// How much memory is taken for a body before any of it came: its length is a claim.
const MOST_AHEAD: usize = 32 * 1024 * 1024;

/// An answer whose body has been read.
#[derive(Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// Where it came from in the end.
    pub url: Url,
    /// The body, decompressed.
    pub body: Bytes,
}

impl Response {
    /// The answer if it is a success, and an error that says what to do otherwise.
    pub fn success(self) -> Result<Response, FetchError> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(FetchError::Status { site: Site::of(&self.url), status: self.status })
    }

    /// The media type, without its parameters, in lower case. A claim: look at the bytes as well.
    pub fn content_type(&self) -> Option<String> {
        content_type(&self.headers)
    }
}

/// An answer whose body is still to come. Dropping it ends the connection.
pub struct Streaming {
    pub(crate) inner: reqwest::Response,
    pub(crate) url: Url,
    pub(crate) limit: u64,
    pub(crate) received: u64,
    pub(crate) deadline: Deadline,
}

impl Streaming {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// Where it comes from in the end.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The media type, without its parameters, in lower case.
    pub fn content_type(&self) -> Option<String> {
        content_type(self.inner.headers())
    }

    /// The next piece of the body, decompressed; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let site = || Site::of(&self.url);
        let late = || FetchError::Timeout { site: site(), limit: self.deadline.limit };
        let read = timeout_at(self.deadline.at, self.inner.chunk()).await.map_err(|_| late())?;
        let chunk = read.map_err(|error| classify(&error, &self.url, self.deadline.idle))?;
        if let Some(chunk) = &chunk {
            self.received = self.received.saturating_add(chunk.len() as u64);
            if self.received > self.limit {
                return Err(FetchError::TooLarge { site: site(), limit: self.limit });
            }
        }
        Ok(chunk)
    }

    /// Reads the rest.
    pub async fn whole(mut self) -> Result<Response, FetchError> {
        let claimed = usize::try_from(self.inner.content_length().unwrap_or_default()).unwrap_or_default();
        let mut body = BytesMut::with_capacity(claimed.min(MOST_AHEAD));
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        let headers = std::mem::take(self.inner.headers_mut());
        Ok(Response { status: self.inner.status(), headers, url: self.url, body: body.freeze() })
    }

    /// Refuses what is too large or cannot be read before any of it is read.
    pub(crate) fn check(self) -> Result<Streaming, FetchError> {
        let site = Site::of(&self.url);
        // What the client can decompress has lost this header by now.
        let encoding = self.headers().get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            let encoding = encoding.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
            return Err(FetchError::Encoding { site, encoding });
        }
        if self.inner.content_length().is_some_and(|length| length > self.limit) {
            return Err(FetchError::TooLarge { site, limit: self.limit });
        }
        Ok(self)
    }

    /// When everything has to be over.
    pub fn deadline(&self) -> Instant {
        self.deadline.at
    }
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next()?.trim();
    (!kind.is_empty()).then(|| kind.to_ascii_lowercase())
}
