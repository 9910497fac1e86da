//! Who is looking at the pages.

use web::axum::extract::FromRequestParts;
use web::axum::http::HeaderMap;
use web::axum::http::request::Parts;

use crate::auth::{self, Actor, Reach, Refused, Scope};
use crate::family::Role;
use crate::id::FamilyId;
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
    /// Sessions in other families that this browser has, if they are what it says.
    others: Vec<Secret>,
}

/// The same person in another family, in the same browser.
pub(crate) struct Elsewhere {
    pub(crate) family: FamilyId,
    pub(crate) scope: Scope,
    pub(crate) session: Secret,
}

impl SignedIn {
    /// The same for a person in a family, wherever and whenever they sign in, and for nobody else.
    pub(crate) fn mark(&self) -> String {
        let family = self.scope.family().map(|family| family.to_string()).unwrap_or_default();
        let mark = Secret::given(&format!("reader {family} {}", self.email)).hash();
        hex::encode(&mark.as_bytes()[..8])
    }

    /// Where else this person is signed in, in this browser.
    pub(crate) async fn elsewhere(&self, book: &Book) -> Result<Vec<Elsewhere>, Failure> {
        elsewhere(book, &self.others, &self.scope).await
    }
}

/// Those of these sessions that are of the same person, each in a family of its own.
pub(crate) async fn elsewhere(
    book: &Book,
    sessions: &[Secret],
    here: &Scope,
) -> Result<Vec<Elsewhere>, Failure> {
    let mut found: Vec<Elsewhere> = Vec::new();
    for session in sessions {
        let Some(scope) = scope_of(book, session).await? else { continue };
        let Some(family) = scope.family() else { continue };
        let is_new = Some(family) != here.family() && found.iter().all(|known| known.family != family);
        if is_new && scope.actor() == here.actor() {
            found.push(Elsewhere { family, scope, session: session.clone() });
        }
    }
    Ok(found)
}

/// What the cookie of a session opens, if it is one.
pub(crate) async fn scope_of(book: &Book, session: &Secret) -> Result<Option<Scope>, Failure> {
    match auth::by_session(&*book.store, session).await {
        Ok(scope) => Ok(Some(scope)),
        Err(Refused::Session | Refused::Key | Refused::Person(_)) => Ok(None),
        Err(Refused::Store(error)) => Err(error.into()),
    }
}

impl FromRequestParts<Book> for SignedIn {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, book: &Book) -> Result<SignedIn, Failure> {
        // What was sent is not sent again: whoever comes back to its address would find no page there.
        let path = parts.uri.path_and_query().filter(|_| parts.method.is_safe());
        let back = path.map_or_else(|| "/".to_owned(), ToString::to_string);
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
    let Some(scope) = scope_of(book, &cookie).await? else { return Ok(None) };
    let (Reach::Family(_, role), Actor::Person(email)) = (scope.reach(), scope.actor()) else {
        return Ok(None);
    };
    let email = email.to_string();
    let (form_token, language) = (cookies::form_token(&cookie), Language::of(headers));
    let others = cookies::others(headers);
    Ok(Some(SignedIn { scope, email, role, form_token, language, session: cookie, others }))
}
