//! Who is asking, over REST: always somebody with a key.

use web::axum::extract::FromRequestParts;
use web::axum::http::HeaderMap;
use web::axum::http::header::AUTHORIZATION;
use web::axum::http::request::Parts;

use crate::api::problem::Problem;
use crate::auth::{self, Aim, Refused, Scope};
use crate::email::Email;
use crate::secret::Secret;
use crate::site::Book;

/// Somebody with a key, and what it reaches.
pub(crate) struct Caller(pub(crate) Scope);

/// As [`Caller`], for a route that only reads.
pub(crate) struct Reader(pub(crate) Scope);

impl FromRequestParts<Book> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, book: &Book) -> Result<Caller, Problem> {
        reached(&parts.headers, book, Aim::Change).await.map(Caller)
    }
}

impl FromRequestParts<Book> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, book: &Book) -> Result<Reader, Problem> {
        reached(&parts.headers, book, Aim::Read).await.map(Reader)
    }
}

async fn reached(headers: &HeaderMap, book: &Book, aim: Aim) -> Result<Scope, Problem> {
    let scope = identify(headers, book, aim).await?;
    let Some(family) = headers.get("x-family-id") else { return Ok(scope) };
    let family = family
        .to_str()
        .unwrap_or_default()
        .parse()
        .map_err(|reason| Problem::field("X-Family-Id", reason))?;
    Ok(auth::within(&*book.store, &scope, family).await?)
}

async fn identify(headers: &HeaderMap, book: &Book, aim: Aim) -> Result<Scope, Problem> {
    let bearer = || header(headers, AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Bearer "));
    let key = header(headers, "x-api-key").or_else(bearer).ok_or(Refused::Key)?;
    // A header that is there and names nobody is a mistake: without it, the key would open more.
    let person = headers.get("x-user-email").map(|value| value.to_str().unwrap_or_default());
    let person = person.map(str::parse::<Email>).transpose();
    // A key that does not work is said first: nobody without one learns anything.
    let person = match person {
        Ok(person) => person,
        Err(reason) => {
            known(book, key, None, aim).await?;
            return Err(Problem::field("X-User-Email", reason));
        }
    };
    known(book, key, person.as_ref(), aim).await
}

async fn known(book: &Book, key: &str, person: Option<&Email>, aim: Aim) -> Result<Scope, Problem> {
    if let Some(configured) = &book.settings.api_key {
        match auth::by_configured_key(&*book.store, &Secret::given(key), configured, person, aim).await {
            Err(Refused::Key) => {}
            answered => return Ok(answered?),
        }
    }
    Ok(auth::by_key(&*book.store, key, person, aim).await?)
}

/// A header as text. One that is not text is as good as missing.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
