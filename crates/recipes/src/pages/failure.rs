//! Pages for what went wrong.

use askama::Template;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use web::axum::extract::{Request, State};
use web::axum::http::StatusCode;
use web::axum::middleware::Next;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::problem::{Details, Problem};
use crate::pages::frame::{self, Frame};
use crate::pages::language::Language;
use crate::site::Book;

/// Why a page is not shown.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody is signed in.
    SignIn {
        /// Where they can.
        at: String,
    },
    /// The form was not made by a page this browser was given, or that was long ago.
    StaleForm,
    /// What was asked cannot be done.
    Problem(Problem),
}

impl<E: Into<Problem>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Problem(error.into())
    }
}

impl From<crate::auth::NoLink> for Problem {
    fn from(error: crate::auth::NoLink) -> Problem {
        match error {
            crate::auth::NoLink::Random(error) => error.into(),
            crate::auth::NoLink::Store(error) => error.into(),
        }
    }
}

#[derive(Template)]
#[template(path = "failure.html")]
struct Page<'a> {
    frame: Frame,
    heading: &'a str,
    message: &'a str,
}

impl IntoResponse for Failure {
    /// The page itself is made by [`dress`], which knows where everything is.
    fn into_response(self) -> Response {
        match self {
            Failure::SignIn { at } => Redirect::to(&at).into_response(),
            Failure::StaleForm => {
                let reason = "Go back, load the page again and repeat what you did. Nothing was changed.";
                Problem::new(StatusCode::FORBIDDEN, STALE, reason).into_response()
            }
            Failure::Problem(problem) => problem.into_response(),
        }
    }
}

/// What programs would call a form that is too old.
const STALE: &str = "stale_form";

/// Makes a page of whatever went wrong, wherever that was found out.
pub(crate) async fn dress(
    State(book): State<Book>,
    language: Language,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let Some(details) = response.extensions().get::<Details>() else { return response };
    let heading = language.t(heading(response.status(), &details.code));
    let message = language.says_about(details.about(), details.reason());
    let frame = Frame::bare(&book, language, heading);
    frame::page(response.status(), &Page { frame, heading, message: &message })
}

fn heading(status: StatusCode, code: &str) -> &'static str {
    match status {
        _ if code == STALE => "This page is too old",
        StatusCode::NOT_FOUND => "There is nothing here",
        StatusCode::FORBIDDEN => "Not for you, yet",
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST => "That does not fit",
        StatusCode::CONFLICT => "That is taken",
        StatusCode::PAYLOAD_TOO_LARGE => "That is too large",
        StatusCode::TOO_MANY_REQUESTS => "Too many attempts",
        _ => "That did not work",
    }
}

/// What stays as it is in a query: letters, digits and `-._~`.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Text as part of a query.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// Whatever has no page.
pub(crate) async fn no_page() -> Failure {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is no such page; the first page has the way to all of them",
    )
    .into()
}
