//! Sending a request with its values in place, and reading the answer without them.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fetch::{Access, Client, HeaderMap, Redirects, Schemes, header};
use zeroize::Zeroizing;

use super::template::{for_json, for_url, plain};
use super::{Bound, HostRule, Plan, RequestError};
use crate::scrub::{Capture, Captured, Patterns, Scrubber};

/// How long a request may take and how much of its answer is kept.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// From start to end.
    pub time: Duration,
    /// Bytes of the body, after scrubbing.
    pub body: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { time: Duration::from_secs(30), body: 64 * 1024 }
    }
}

/// What came back, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Those headers that tell something about the answer and nothing about a login.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Captured,
}

/// Headers of an answer that are passed on.
const TOLD: [&str; 14] = [
    "content-type",
    "content-language",
    "content-disposition",
    "content-range",
    "date",
    "last-modified",
    "etag",
    "location",
    "link",
    "retry-after",
    "allow",
    "x-request-id",
    "x-total-count",
    "deprecation",
];

/// Sends requests. The client for public hosts is made when it is first needed, and kept.
#[derive(Default)]
pub struct Sender {
    public: OnceLock<Client>,
}

impl Sender {
    /// A sender that has connected to nothing yet.
    pub fn new() -> Sender {
        Sender::default()
    }

    fn client(&self, private: Option<&str>) -> Result<Client, RequestError> {
        let access = Access::public().schemes(Schemes::Https);
        if let Some(host) = private {
            return Ok(Client::builder(access.allow_private(host)).build()?);
        }
        if let Some(client) = self.public.get() {
            return Ok(client.clone());
        }
        let client = Client::builder(access).build()?;
        Ok(self.public.get_or_init(|| client).clone())
    }
}

impl Plan {
    /// Sends the request with the values of these secrets, each checked once more against the hosts it is bound to.
    pub async fn send(
        &self,
        sender: &Sender,
        secrets: &[Bound<'_>],
        bounds: Bounds,
    ) -> Result<Answer, RequestError> {
        let bound = |name: &str| secrets.iter().find(|bound| bound.secret.name == name);
        let mut private = Vec::with_capacity(secrets.len());
        for name in self.secrets() {
            let bound = bound(name).ok_or_else(|| RequestError::Missing(name.to_owned()))?;
            self.check(name, bound.rules)?;
            let mut rules = bound.rules.iter().filter(|rule| rule.allows(&self.method, &self.url));
            private.push(rules.find_map(HostRule::private_host));
        }
        // A host may be a private one only if every secret that goes there says so.
        let private =
            private.into_iter().collect::<Option<Vec<&str>>>().and_then(|hosts| hosts.first().copied());
        let value = |name: &str| bound(name).map(|bound| bound.secret.value);
        let request = self.fill(value, bounds.time).map_err(|error| match error {
            Filling::Missing(name) => RequestError::Missing(name),
            Filling::Bad(error) => RequestError::Fetch(error),
        })?;
        let patterns = Arc::new(Patterns::new(secrets.iter().map(|bound| bound.secret)));
        let mut streaming = sender.client(private)?.stream(request).await?;
        let status = streaming.status().as_u16();
        if !patterns.too_short().is_empty() {
            return Ok(Answer { status, headers: Vec::new(), body: Captured::Withheld });
        }
        let headers = told(streaming.headers(), &patterns);
        let mut capture = Capture::new(patterns, bounds.body);
        while !capture.is_full() {
            match streaming.chunk().await? {
                Some(chunk) => capture.push(&chunk),
                None => break,
            }
        }
        Ok(Answer { status, headers, body: capture.finish() })
    }

    fn fill<'v>(
        &self,
        value: impl Fn(&str) -> Option<&'v [u8]>,
        time: Duration,
    ) -> Result<fetch::Request, Filling> {
        let mut url = self.url.clone();
        if let Some(query) = &self.query {
            let query = query.fill(&value, for_url).map_err(Filling::Missing)?;
            url.set_query(std::str::from_utf8(&query).ok());
        }
        // The body is read only as far as it is kept, so its size needs no bound of its own.
        let mut request = fetch::Request::new(self.method.clone(), url)
            .redirects(Redirects::Never)
            .total(time)
            .limit(u64::MAX);
        for (name, template) in &self.headers {
            let text = template.fill(&value, plain).map_err(Filling::Missing)?;
            request = request.secret_header(name.as_str(), &text).map_err(Filling::Bad)?;
        }
        if let Some(basic) = &self.basic {
            let password = value(&basic.secret).ok_or_else(|| Filling::Missing(basic.secret.clone()))?;
            let pair = Zeroizing::new([basic.user.as_bytes(), b":", password].concat());
            let encoded = Zeroizing::new(base64_simd::STANDARD.encode_to_string(&*pair));
            let text = Zeroizing::new(format!("Basic {}", encoded.as_str()));
            request = request.secret_header("authorization", text.as_bytes()).map_err(Filling::Bad)?;
        }
        if let Some(body) = &self.body {
            let filled = body.fill(&value, self.escape()).map_err(Filling::Missing)?;
            request = request.body(filled.to_vec());
        }
        Ok(request)
    }

    /// How a value is written into the body.
    fn escape(&self) -> fn(&[u8]) -> Zeroizing<Vec<u8>> {
        let kind = self.headers.iter().find(|(name, _)| name == header::CONTENT_TYPE);
        let kind = kind.and_then(|(_, value)| value.fill(|_| None, plain).ok()).unwrap_or_default();
        let kind = String::from_utf8_lossy(&kind).to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        match kind {
            "application/x-www-form-urlencoded" => for_url,
            "application/json" => for_json,
            other if other.ends_with("+json") => for_json,
            _ => plain,
        }
    }
}

enum Filling {
    Missing(String),
    Bad(fetch::FetchError),
}

fn told(headers: &HeaderMap, patterns: &Arc<Patterns>) -> Vec<(String, String)> {
    let told = |name: &str| {
        TOLD.contains(&name) || name.starts_with("x-ratelimit-") || name.starts_with("ratelimit")
    };
    let kept = headers.iter().filter(|(name, _)| told(name.as_str()));
    kept.map(|(name, value)| {
        let text = Scrubber::scrub(patterns, value.as_bytes());
        (name.to_string(), String::from_utf8_lossy(&text).into_owned())
    })
    .collect()
}
