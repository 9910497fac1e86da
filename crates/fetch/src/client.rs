//! The client: a request through checks, redirects and repetitions to its answer.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;

use crate::access::Access;
use crate::body::{Response, Streaming};
use crate::error::{FetchError, Site, reason};
use crate::redirect::{follow, is_redirect};
use crate::request::Request;
use crate::resolver::{Checked, Resolver, SystemResolver};
use crate::{retry, tls};

/// How long things may take and how much they may bring.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a connection, encryption included.
    pub connect: Duration,
    /// Without a byte from the other side.
    pub idle: Duration,
    /// For everything together: redirects, waiting and repeating included.
    pub total: Duration,
    /// Bytes of a body, after decompression.
    pub body: u64,
    /// Redirects that are followed.
    pub redirects: usize,
    /// Repetitions of a request that does no harm twice.
    pub retries: u32,
    /// The wait before the first repetition; it doubles from there.
    pub first_wait: Duration,
    /// The longest wait before a repetition, whoever asks for it.
    pub longest_wait: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(60),
            body: 16 << 20,
            redirects: 5,
            retries: 2,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
        }
    }
}

/// When everything has to be over, and the bounds to name when it is not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) limit: Duration,
    pub(crate) idle: Duration,
}

/// Fetches. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    access: Arc<Access>,
    limits: Limits,
}

/// Makes a [`Client`].
pub struct Builder {
    access: Access,
    limits: Limits,
    resolver: Arc<dyn Resolver>,
    trusted: tls::Roots,
    roots: Vec<Vec<u8>>,
    proxy: Option<Proxy>,
    agent: String,
}

/// A proxy for everything that is encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Where it is; a user name and a password may be in it.
    pub url: Url,
    /// The hosts that are reached without it, with commas, as `NO_PROXY` has them.
    pub except: String,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // There may be a password in it.
        f.write_str("Proxy(…)")
    }
}

impl Builder {
    /// Other bounds than the default ones.
    pub fn limits(mut self, limits: Limits) -> Builder {
        self.limits = limits;
        self
    }

    /// Another way to find addresses than the system's.
    pub fn resolver(mut self, resolver: impl Resolver) -> Builder {
        self.resolver = Arc::new(resolver);
        self
    }

    /// A further root certificate, as DER.
    pub fn trust(mut self, certificate: Vec<u8>) -> Builder {
        self.roots.push(certificate);
        self
    }

    /// Trusts the certificates this machine trusts, too.
    pub fn system_roots(mut self) -> Builder {
        self.trusted = tls::Roots::AndSystem;
        self
    }

    /// Reaches `https` through this proxy. It looks hosts up itself, so what `Access` says about addresses does not hold for
    /// them: for hosts that a person chose, not for what a stranger names.
    pub fn proxy(mut self, proxy: Option<Proxy>) -> Builder {
        if let Some(host) = proxy.as_ref().and_then(|proxy| proxy.url.host_str()) {
            self.access = self.access.allow_private(host.trim_matches(['[', ']']));
        }
        self.proxy = proxy;
        self
    }

    /// What the client calls itself.
    pub fn user_agent(mut self, name: &str) -> Builder {
        name.clone_into(&mut self.agent);
        self
    }

    /// The client.
    pub fn build(self) -> Result<Client, FetchError> {
        let access = Arc::new(self.access);
        let checked = Checked { access: Arc::clone(&access), inner: self.resolver };
        let failed = |error: reqwest::Error| FetchError::Setup(reason(&error));
        let mut builder = reqwest::Client::builder().no_proxy();
        if let Some(proxy) = self.proxy {
            let except = reqwest::NoProxy::from_string(&proxy.except);
            builder = builder.proxy(reqwest::Proxy::https(proxy.url).map_err(failed)?.no_proxy(except));
        }
        let http = builder
            .tls_backend_preconfigured(tls::config(self.trusted, &self.roots)?)
            .dns_resolver(Arc::new(checked))
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(self.limits.connect)
            .read_timeout(self.limits.idle)
            .user_agent(self.agent)
            .build()
            .map_err(failed)?;
        Ok(Client { http, access, limits: self.limits })
    }
}

impl Client {
    /// A client that may reach what `access` says.
    pub fn builder(access: Access) -> Builder {
        Builder {
            access,
            limits: Limits::default(),
            resolver: Arc::new(SystemResolver),
            trusted: tls::Roots::default(),
            roots: Vec::new(),
            proxy: None,
            agent: concat!("deskmate/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// The whole answer. Any status is an answer; see [`Response::success`].
    pub async fn fetch(&self, request: Request) -> Result<Response, FetchError> {
        self.stream(request).await?.whole().await
    }

    /// The answer, with its body still to come: for what is long, or comes event by event.
    pub async fn stream(&self, mut request: Request) -> Result<Streaming, FetchError> {
        let limit = request.total.unwrap_or(self.limits.total);
        let deadline = Deadline { at: Instant::now() + limit, limit, idle: self.limits.idle };
        self.access.check(&request.url)?;
        for _ in 0..=self.limits.redirects {
            let inner = self.patiently(&request, deadline).await?;
            if !is_redirect(inner.status(), request.redirects) {
                let limit = request.limit.unwrap_or(self.limits.body);
                let streaming = Streaming { inner, url: request.url, limit, received: 0, deadline };
                return if request.method == Method::HEAD { Ok(streaming) } else { streaming.check() };
            }
            follow(&mut request, inner.status(), inner.headers(), &self.access)?;
        }
        let site = Site::of(&request.url);
        Err(FetchError::TooManyRedirects { site, limit: self.limits.redirects })
    }

    /// Sends, and sends again what may be sent again, as long as it helps and there is time.
    async fn patiently(
        &self,
        request: &Request,
        deadline: Deadline,
    ) -> Result<reqwest::Response, FetchError> {
        let most = if request.repeatable { self.limits.retries } else { 0 };
        let mut tries = 0;
        loop {
            let outcome = self.once(request, deadline).await;
            tries += 1;
            let wait = match &outcome {
                Ok(response) if retry::is_temporary(response.status()) => {
                    retry::wait(&self.limits, tries, Some(response.headers()))
                }
                Err(FetchError::Connect { .. }) => retry::wait(&self.limits, tries, None),
                _ => None,
            };
            match wait {
                Some(wait) if tries <= most && Instant::now() + wait < deadline.at => sleep(wait).await,
                _ => return outcome,
            }
        }
    }

    async fn once(&self, request: &Request, deadline: Deadline) -> Result<reqwest::Response, FetchError> {
        let mut outgoing = reqwest::Request::new(request.method.clone(), request.url.clone());
        outgoing.headers_mut().clone_from(&request.headers);
        if !request.body.is_empty() {
            *outgoing.body_mut() = Some(request.body.clone().into());
        }
        let late = |_| FetchError::Timeout { site: Site::of(&request.url), limit: deadline.limit };
        let sent = timeout_at(deadline.at, self.http.execute(outgoing)).await.map_err(late)?;
        sent.map_err(|error| classify(&error, &request.url, deadline.idle))
    }
}

/// What an error of the HTTP library means. Its own text is not used: it may hold the whole URL.
pub(crate) fn classify(error: &reqwest::Error, url: &Url, idle: Duration) -> FetchError {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(ours) = cause.downcast_ref::<FetchError>() {
            return ours.clone();
        }
        source = cause.source();
    }
    let site = Site::of(url);
    match () {
        () if error.is_connect() => FetchError::Connect { site, reason: reason(error) },
        () if error.is_timeout() => FetchError::Timeout { site, limit: idle },
        () => FetchError::Broken { site, reason: reason(error) },
    }
}
