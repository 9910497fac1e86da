//! What can go wrong, said without headers, bodies, paths or queries: any of them may hold a secret.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use url::Url;

use crate::address::Reserved;

/// The part of a URL that may be told: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site(String);

impl Site {
    /// The site of a URL.
    pub fn of(url: &Url) -> Site {
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        Site(format!("{}://{host}{port}", url.scheme()))
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why something could not be fetched.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The text is not a URL.
    #[error("this is not a URL ({0}); give one that starts with `https://`")]
    Url(url::ParseError),
    /// The URL names no host.
    #[error("the URL names no host; give one that starts with `https://` and a host")]
    NoHost,
    /// Neither `http` nor `https`.
    #[error("`{scheme}` cannot be fetched; use a URL that starts with `https://`")]
    Scheme {
        /// The scheme of the URL.
        scheme: String,
    },
    /// The URL has a user name or password in it.
    #[error("the URL of `{site}` has a user name or password in it; take it out")]
    UserInfo {
        /// Whose URL it is.
        site: Site,
    },
    /// `http` where only `https` is allowed.
    #[error("`{site}` would be reached without encryption; use `https://`")]
    HttpsRequired {
        /// The site.
        site: Site,
    },
    /// A public address where only private ones are allowed.
    #[error("`{host}` has a public address and would be reached without encryption; use `https://`")]
    Public {
        /// The host.
        host: String,
    },
    /// A port that is not allowed.
    #[error("port {port} of `{site}` may not be used; use a URL with port 80 or 443")]
    Port {
        /// The site.
        site: Site,
        /// The port.
        port: u16,
    },
    /// The host is at an address that is not public.
    #[error(
        "`{host}` is at an address that is {range}, and only public ones may be reached; use another host, or have its \
         owner allow this one"
    )]
    Address {
        /// The host.
        host: String,
        /// What the address is.
        range: Reserved,
    },
    /// The name has no address.
    #[error("cannot find the address of `{host}`: {reason}; check the name and the network")]
    Lookup {
        /// The host.
        host: String,
        /// What the system said.
        reason: String,
    },
    /// No connection.
    #[error("cannot connect to `{site}`: {reason}; check that it is up, or try again later")]
    Connect {
        /// The site.
        site: Site,
        /// What the system said.
        reason: String,
    },
    /// The connection broke, or what came was not HTTP.
    #[error("`{site}` broke off: {reason}; try again later")]
    Broken {
        /// The site.
        site: Site,
        /// What was wrong.
        reason: String,
    },
    /// It took too long.
    #[error("`{site}` took longer than {} s; try again later or allow more time", limit.as_secs_f32())]
    Timeout {
        /// The site.
        site: Site,
        /// How long was allowed.
        limit: Duration,
    },
    /// More bytes than allowed.
    #[error("the answer of `{site}` has more than {limit} bytes; ask for less")]
    TooLarge {
        /// The site.
        site: Site,
        /// How many were allowed.
        limit: u64,
    },
    /// The body is compressed in a way nobody asked for.
    #[error(
        "the answer of `{site}` is encoded as `{encoding}`, which was not asked for; ask for another resource"
    )]
    Encoding {
        /// The site.
        site: Site,
        /// What it says it is.
        encoding: String,
    },
    /// Redirected once too often.
    #[error("`{site}` redirects more than {limit} times; give the final address")]
    TooManyRedirects {
        /// The site of the last redirect.
        site: Site,
        /// How many were followed.
        limit: usize,
    },
    /// A redirect that cannot be followed.
    #[error("`{site}` redirects without saying where; give the final address")]
    BadRedirect {
        /// The site.
        site: Site,
    },
    /// A redirect to another host, where that is not allowed.
    #[error("`{site}` redirects to `{target}`, another host; call that one directly if it is meant")]
    OffHost {
        /// The site.
        site: Site,
        /// Where it points.
        target: Site,
    },
    /// A redirect from `https` to `http`.
    #[error("`{site}` redirects to `{target}`, without encryption; give the final address if it is meant")]
    Downgrade {
        /// The site.
        site: Site,
        /// Where it points.
        target: Site,
    },
    /// An answer that is not a success, where one is needed.
    #[error("`{site}` answered {status}; {}", remedy(*status))]
    Status {
        /// The site.
        site: Site,
        /// The status.
        status: StatusCode,
    },
    /// A header name or value that HTTP does not allow.
    #[error("the header `{name}` cannot be sent; use visible characters without line breaks")]
    Header {
        /// Its name.
        name: String,
    },
    /// The client could not be set up.
    #[error("cannot set up encryption: {0}; check the extra certificates")]
    Setup(String),
}

fn remedy(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 | 403 => "check the credentials and what they allow",
        404 | 410 => "check the address",
        429 => "wait, then try again",
        500..=599 => "try again later",
        _ => "check the request",
    }
}

/// What an error of the HTTP library says at its root, without the URL it happened at.
pub(crate) fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
