//! What every page has around it, and how one becomes an answer.

use askama::Template;
use web::axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

use crate::family::Role;
use crate::pages::assets;
use crate::pages::language::Language;
use crate::pages::visitor::SignedIn;
use crate::site::Book;

/// Nothing runs, loads or is sent but from and to ourselves.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; worker-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What every page has around it.
pub(crate) struct Frame {
    /// Where the cookbook is mounted.
    pub(crate) base: String,
    /// Where styles and scripts are.
    pub(crate) assets: String,
    /// What the tab says.
    pub(crate) title: String,
    /// Which part of the cookbook it is.
    pub(crate) here: Here,
    /// Who is looking.
    pub(crate) reader: Option<Reader>,
    /// What they read.
    pub(crate) language: Language,
}

/// Who is looking at a page.
pub(crate) struct Reader {
    pub(crate) email: String,
    pub(crate) role: Role,
    /// What forms carry.
    pub(crate) form_token: String,
    /// Tells readers of one browser apart, for what their pages keep there.
    pub(crate) mark: String,
}

/// The parts of the cookbook that the top of each page links to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Here {
    Recipes,
    Plan,
    Shopping,
    Family,
    Elsewhere,
}

impl Here {
    /// Whether this is the part with that name.
    pub(crate) fn is(self, name: &str) -> bool {
        match self {
            Here::Recipes => name == "recipes",
            Here::Plan => name == "plan",
            Here::Shopping => name == "shopping",
            Here::Family => name == "family",
            Here::Elsewhere => false,
        }
    }
}

impl Frame {
    /// Around a page for somebody who is signed in.
    pub(crate) fn new(book: &Book, visitor: &SignedIn, here: Here, title: &str) -> Frame {
        let reader = Reader {
            email: visitor.email.clone(),
            role: visitor.role,
            form_token: visitor.form_token.clone(),
            mark: visitor.mark(),
        };
        Frame { here, reader: Some(reader), ..Frame::bare(book, visitor.language, title) }
    }

    /// Around a page for anybody.
    pub(crate) fn bare(book: &Book, language: Language, title: &str) -> Frame {
        let base = book.settings.base.clone();
        let assets = format!("{base}/assets/{}", assets::version());
        Frame { assets, base, title: title.to_owned(), here: Here::Elsewhere, reader: None, language }
    }

    /// A text in the language of the page.
    pub(crate) fn t(&self, english: &'static str) -> &'static str {
        self.language.t(english)
    }

    /// What forms carry.
    pub(crate) fn form_token(&self) -> &str {
        self.reader.as_ref().map_or("", |reader| &reader.form_token)
    }

    /// Whether the reader may change recipes.
    pub(crate) fn edits(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.role >= Role::Editor)
    }

    /// Whether the reader may change the family.
    pub(crate) fn owns(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.role >= Role::Owner)
    }
}

/// A page as an answer.
pub(crate) fn page(status: StatusCode, template: &impl Template) -> Response {
    let Ok(html) = template.render() else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let mut response = (status, html).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
