//! An HTTP request with secrets in it, which go to the hosts they are bound to and nowhere else.
//!
//! Whoever asks writes `{{secret:NAME}}` where a value belongs: in a header, in the body, or in the query. Redirects are
//! not followed: where one leads is in the answer, and asking there is another request with checks of its own.

mod hosts;
mod send;
mod template;
#[cfg(test)]
mod tests;

pub use hosts::{BadHostRule, HostRule};
pub use send::{Answer, Bounds, Sender};
pub use template::BadTemplate;

use std::collections::BTreeSet;

use fetch::{FetchError, HeaderName, Method, Url};
use sha2::{Digest as _, Sha256};
use template::Template;

use crate::keys::crypto::hex;
use crate::scrub::Secret;

/// A request as somebody wrote it.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// Where to; placeholders in the query only.
    pub url: String,
    /// Names and values; placeholders in values.
    pub headers: Vec<(String, String)>,
    /// What is sent; a value is escaped as the `Content-Type` needs it.
    pub body: Option<String>,
    /// `Authorization: Basic …` from a user name and the secret that is the password.
    pub basic: Option<Basic>,
}

/// Who logs in, and with which secret.
#[derive(Debug, Clone, Default)]
pub struct Basic {
    /// The user name.
    pub user: String,
    /// The name of the secret.
    pub secret: String,
}

/// A secret, and where it may be sent.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// The secret.
    pub secret: Secret<'a>,
    /// The hosts it is bound to.
    pub rules: &'a [HostRule],
}

/// Why a request was not sent, or got no answer.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Not a method.
    #[error("`{0}` is not a method; use `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` or `OPTIONS`")]
    Method(String),
    /// A placeholder that is none.
    #[error(transparent)]
    Template(#[from] BadTemplate),
    /// A placeholder where none may be.
    #[error(
        "a secret cannot be part of the address before the `?`; put it into a header, the query or the body"
    )]
    SecretInAddress,
    /// A header that is not the caller's to set.
    #[error(
        "the header `{0}` is set by the connection itself, or says something else than the request; leave it out"
    )]
    OwnHeader(String),
    /// A header that is none.
    #[error("`{0}` is not the name of a header; use letters, digits and dashes")]
    HeaderName(String),
    /// Two ways to log in.
    #[error("there is an `Authorization` header and a user for basic authentication; use one of them")]
    TwoAuthorizations,
    /// Nothing secret in it.
    #[error(
        "no `{{{{secret:NAME}}}}` is in the request; put one where the value belongs, or use another tool for open pages"
    )]
    NoSecret,
    /// More than is sent.
    #[error("the request has {size} bytes, and at most {limit} are sent; send less")]
    TooLarge {
        /// How many.
        size: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// The secret may not go there.
    #[error(
        "`{secret}` may not be sent by `{method}` to `{site}` at this path; {}",
        hosts::remedy(secret, allowed)
    )]
    NotBound {
        /// Which secret.
        secret: String,
        /// By which method.
        method: String,
        /// Where to.
        site: String,
        /// Where it may go.
        allowed: Vec<String>,
    },
    /// A secret that was named and not given.
    #[error("there is no value for `{0}`; name a secret of the vault")]
    Missing(String),
    /// Something went wrong on the way.
    #[error(transparent)]
    Fetch(#[from] FetchError),
}

/// A request that has been read and found to make sense. It has placeholders, and no values yet.
#[derive(Debug)]
pub struct Plan {
    method: Method,
    /// Without the query.
    url: Url,
    query: Option<Template>,
    headers: Vec<(HeaderName, Template)>,
    body: Option<Template>,
    basic: Option<Basic>,
    secrets: BTreeSet<String>,
    /// As it was written.
    draft: Draft,
}

/// The most bytes of a draft.
const LARGEST: usize = 1 << 20;

/// The most characters of a body that a person is shown.
const SHOWN: usize = 4000;

/// What HTTP itself needs, and what would name another host or another caller.
const OWN_HEADERS: [&str; 20] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "accept-encoding",
    "proxy-authorization",
    "proxy-connection",
    "forwarded",
    // By these some servers are told another method or path than the one that was checked.
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-rewrite-url",
    "x-original-host",
    "x-host",
];

impl Plan {
    /// Reads a draft.
    pub fn new(draft: &Draft) -> Result<Plan, RequestError> {
        let headers = draft.headers.iter().map(|(name, value)| name.len() + value.len());
        let size = draft.url.len() + draft.body.as_ref().map_or(0, String::len) + headers.sum::<usize>();
        if size > LARGEST {
            return Err(RequestError::TooLarge { size, limit: LARGEST });
        }
        let method = method(&draft.method)?;
        let address = draft.url.split('#').next().unwrap_or_default();
        let (address, query) = match address.split_once('?') {
            Some((address, query)) => (address, Some(Template::parse(query)?)),
            None => (address, None),
        };
        if Template::parse(address)?.secrets().next().is_some() {
            return Err(RequestError::SecretInAddress);
        }
        let url = Url::parse(address).map_err(FetchError::Url)?;
        let mut headers = Vec::with_capacity(draft.headers.len());
        for (name, value) in &draft.headers {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| RequestError::HeaderName(name.clone()))?;
            if OWN_HEADERS.contains(&header.as_str()) || header.as_str().starts_with("x-forwarded") {
                return Err(RequestError::OwnHeader(name.clone()));
            }
            headers.push((header, Template::parse(value)?));
        }
        if draft.basic.is_some() && headers.iter().any(|(name, _)| name == fetch::header::AUTHORIZATION) {
            return Err(RequestError::TwoAuthorizations);
        }
        let body = draft.body.as_deref().map(Template::parse).transpose()?;
        let templates = headers.iter().map(|(_, value)| value).chain(&query).chain(&body);
        let mut secrets: BTreeSet<String> =
            templates.flat_map(Template::secrets).map(str::to_owned).collect();
        secrets.extend(draft.basic.iter().map(|basic| basic.secret.clone()));
        if secrets.is_empty() {
            return Err(RequestError::NoSecret);
        }
        Ok(Plan {
            method,
            url,
            query,
            headers,
            body,
            basic: draft.basic.clone(),
            secrets,
            draft: draft.clone(),
        })
    }

    /// The secrets it needs.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(String::as_str)
    }

    /// All of it, for a person who is asked about it: no two requests read the same. A long body is named by its digest.
    pub fn purpose(&self) -> String {
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        let mut parts =
            vec![format!("send {} {}{}", self.method, fetch::Site::of(&self.url), self.url.path())];
        if let Some((_, query)) = self.draft.url.split('#').next().and_then(|url| url.split_once('?')) {
            parts.push(format!("with the query {}", quoted(query)));
        }
        for (name, value) in &self.draft.headers {
            parts.push(format!("with the header {}: {}", quoted(name), quoted(value)));
        }
        if let Some(Basic { user, secret }) = &self.basic {
            parts.push(format!("as the user {} with the password {}", quoted(user), quoted(secret)));
        }
        if let Some(body) = &self.draft.body {
            let shown: String = body.chars().take(SHOWN).collect();
            parts.push(format!("with the body {}", quoted(&shown)));
            if shown.len() < body.len() {
                parts.push(format!("… ({} bytes, SHA-256 {})", body.len(), hex(&Sha256::digest(body))));
            }
        }
        parts.join(" ")
    }

    /// Checks that a secret may be sent where this goes. Needs no value, so it comes before one is unlocked.
    pub fn check(&self, secret: &str, rules: &[HostRule]) -> Result<(), RequestError> {
        if rules.iter().any(|rule| rule.allows(&self.method, &self.url)) {
            return Ok(());
        }
        Err(RequestError::NotBound {
            secret: secret.to_owned(),
            method: self.method.to_string(),
            site: fetch::Site::of(&self.url).to_string(),
            allowed: rules.iter().map(ToString::to_string).collect(),
        })
    }
}

fn method(text: &str) -> Result<Method, RequestError> {
    const KNOWN: [Method; 7] = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::HEAD,
        Method::OPTIONS,
    ];
    let known = KNOWN.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(text));
    known.ok_or_else(|| RequestError::Method(text.chars().take(20).collect()))
}
