//! Who is looking at the pages.

use web::axum::extract::FromRequestParts;
use web::axum::http::HeaderMap;
use web::axum::http::request::Parts;

use crate::auth::{self, Actor, Reach, Refused, Scope};
use crate::family::Role;
use crate::pages::cookies::{self, SESSION};
use crate::pages::failure::{Failure, encoded};
use crate::pages::language::Language;
use crate::secret::Secret;
use crate::site::Book;

/// Somebody who is signed in. Anybody else is sent to sign in.
pub(crate) struct SignedIn {
    pub(crate) scope: Scope,
    pub(crate) email: String,
    pub(crate) role: Role,
    /// What the forms of their pages carry.
    pub(crate) form_token: String,
    /// What they read.
    pub(crate) language: Language,
    /// The cookie itself, for what ends the others.
    pub(crate) session: Secret,
}

impl FromRequestParts<Book> for SignedIn {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, book: &Book) -> Result<SignedIn, Failure> {
        let back = parts.uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
        // The first page is also outside the nest, where paths are whole.
        let back =
            back.strip_prefix(&book.settings.base).filter(|back| back.starts_with('/')).unwrap_or(&back);
        let at = format!("{}/sign-in?back={}", book.settings.base, encoded(back));
        identify(&parts.headers, book).await?.ok_or(Failure::SignIn { at })
    }
}

/// Who it is, if they are signed in.
pub(crate) async fn identify(headers: &HeaderMap, book: &Book) -> Result<Option<SignedIn>, Failure> {
    let Some(cookie) = cookies::read(headers, SESSION) else { return Ok(None) };
    let scope = match auth::by_session(&*book.store, &cookie).await {
        Ok(scope) => scope,
        Err(Refused::Session | Refused::Key | Refused::Person(_)) => return Ok(None),
        Err(Refused::Store(error)) => return Err(error.into()),
    };
    let (Reach::Family(_, role), Actor::Person(email)) = (scope.reach(), scope.actor()) else {
        return Ok(None);
    };
    let email = email.to_string();
    let (form_token, language) = (cookies::form_token(&cookie), Language::of(headers));
    Ok(Some(SignedIn { scope, email, role, form_token, language, session: cookie }))
}
