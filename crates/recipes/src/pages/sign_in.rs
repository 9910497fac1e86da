//! Signing in and out.

use std::time::Instant;

use askama::Template;
use web::axum::extract::State;
use web::axum::http::header::HOST;
use web::axum::http::{HeaderMap, StatusCode};
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::{Named, Pairs};
use crate::api::problem::Problem;
use crate::auth::Refused;
use crate::auth::sign_in::{self, Offer};
use crate::email::Email;
use crate::pages::cookies::{self, SESSION, VISIT};
use crate::pages::failure::Failure;
use crate::pages::form::{SignedForm, VisitForm};
use crate::pages::frame::{self, Frame};
use crate::pages::visitor;
use crate::secret::Secret;
use crate::site::{Book, Peers};

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page {
    frame: Frame,
    form_token: String,
    way: Way,
    email: String,
    back: String,
    complaint: Option<&'static str>,
}

/// What the page offers besides address and password.
enum Way {
    Password,
    Claim,
    Continue,
    Link,
}

/// `GET /sign-in`
pub(super) async fn show(State(book): State<Book>, pairs: Pairs, headers: HeaderMap) -> Answer {
    let back = pairs.text("back").unwrap_or("/").to_owned();
    if visitor::identify(&headers, &book).await?.is_some() {
        return Ok(Redirect::to(&local(&book, &back)).into_response());
    }
    let (way, email) = if is_at_home(&book, &headers) {
        match sign_in::offer(&*book.store).await? {
            Offer::Claim => (Way::Claim, String::new()),
            Offer::Continue(email, _) => (Way::Continue, email.to_string()),
            Offer::Nothing => (Way::Password, String::new()),
        }
    } else {
        (Way::Password, String::new())
    };
    form(&book, &headers, Shown { way, email, back, complaint: None })
}

struct Shown {
    way: Way,
    email: String,
    back: String,
    complaint: Option<&'static str>,
}

/// The form, with a cookie for the browser if it has none yet.
fn form(book: &Book, headers: &HeaderMap, shown: Shown) -> Answer {
    let Shown { way, email, back, complaint } = shown;
    let known = cookies::read(headers, VISIT);
    let (visit, is_new) = match known {
        Some(visit) => (visit, false),
        None => (Secret::new()?, true),
    };
    let status = if complaint.is_some() { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
    let frame = Frame::bare(book, "Sign in");
    let form_token = cookies::form_token(&visit);
    let mut response = frame::page(status, &Page { frame, form_token, way, email, back, complaint });
    if is_new {
        cookies::set(response.headers_mut(), book, VISIT, Some(&visit));
    }
    Ok(response)
}

/// Whether the browser is a process of the user who runs this one, on this machine. A proxy would be one, too: what it
/// passes on has another name in `Host`, or says where it came from.
fn is_at_home(book: &Book, headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| !port.contains(']')).map_or(host, |(name, _)| name);
    let forwarded = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
    book.settings.peers == Peers::SameUser
        && matches!(name, "localhost" | "127.0.0.1" | "[::1]")
        && !forwarded.iter().any(|name| headers.contains_key(*name))
}

/// Where to go after signing in: a path of ours, whatever the form says.
fn local(book: &Book, back: &str) -> String {
    let is_ours = back.starts_with('/') && !back.starts_with("//") && !back.contains(['\\', '\r', '\n']);
    format!("{}{}", book.settings.base, if is_ours { back } else { "/" })
}

fn signed_in(book: &Book, session: &Secret, back: &str) -> Response {
    let mut response = Redirect::to(&local(book, back)).into_response();
    cookies::set(response.headers_mut(), book, SESSION, Some(session));
    cookies::set(response.headers_mut(), book, VISIT, None);
    response
}

/// `POST /sign-in`
pub(super) async fn with_password(State(book): State<Book>, form_sent: VisitForm) -> Answer {
    let VisitForm { fields, headers } = form_sent;
    let back = fields.text("back").unwrap_or("/").to_owned();
    let given = fields.text("email").unwrap_or_default().to_owned();
    let again = |complaint| {
        let shown = Shown {
            way: Way::Password,
            email: given.clone(),
            back: back.clone(),
            complaint: Some(complaint),
        };
        form(&book, &headers, shown)
    };
    let Ok(email) = given.parse::<Email>() else {
        return again("That is not an e-mail address.");
    };
    if !book.attempts.take(email.as_str(), Instant::now()) {
        return Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "attempts",
            "there were too many attempts to sign in; wait a quarter of an hour",
        )
        .into());
    }
    match sign_in::by_password(&*book.store, &email, fields.text("password").unwrap_or_default()).await {
        Ok(session) => {
            book.attempts.give_back(email.as_str());
            Ok(signed_in(&book, &session, &back))
        }
        Err(Refused::Store(error)) => Err(error.into()),
        Err(Refused::Session | Refused::Key | Refused::Person(_)) => {
            again("The address and the password do not belong together.")
        }
    }
}

/// `POST /sign-in/here`: the person at this machine.
pub(super) async fn here(State(book): State<Book>, form_sent: VisitForm) -> Answer {
    let VisitForm { fields, headers } = form_sent;
    if !is_at_home(&book, &headers) {
        return Err(Failure::StaleForm);
    }
    let (email, family) = match sign_in::offer(&*book.store).await? {
        Offer::Continue(email, family) => (email, family),
        Offer::Claim => {
            let email = fields
                .read::<Email>("email")?
                .ok_or_else(|| Problem::field("email", "an address is needed"))?;
            let family = sign_in::claim(&*book.store, &email).await?;
            (email, family)
        }
        Offer::Nothing => return Err(Failure::StaleForm),
    };
    let session = sign_in::open(&*book.store, email, family).await?;
    Ok(signed_in(&book, &session, fields.text("back").unwrap_or("/")))
}

/// `GET /sign-in/{token}`: a button, since programs that look at links follow them.
pub(super) async fn show_link(State(book): State<Book>, headers: HeaderMap) -> Answer {
    form(
        &book,
        &headers,
        Shown { way: Way::Link, email: String::new(), back: "/".to_owned(), complaint: None },
    )
}

/// `POST /sign-in/{token}`
pub(super) async fn with_link(State(book): State<Book>, named: Named, form_sent: VisitForm) -> Answer {
    match sign_in::follow(&*book.store, &Secret::given(&named.get::<String>("token")?)).await {
        Ok(session) => Ok(signed_in(&book, &session, "/")),
        Err(Refused::Store(error)) => Err(error.into()),
        Err(Refused::Session | Refused::Key | Refused::Person(_)) => {
            let complaint = Some("This link was used already, or is too old. Ask for a new one.");
            let shown = Shown { way: Way::Password, email: String::new(), back: "/".to_owned(), complaint };
            form(&book, &form_sent.headers, shown)
        }
    }
}

/// `POST /sign-out`
pub(super) async fn out(State(book): State<Book>, headers: HeaderMap, _: SignedForm) -> Answer {
    if let Some(session) = cookies::read(&headers, SESSION) {
        sign_in::close(&*book.store, &session).await?;
    }
    let mut response = Redirect::to(&format!("{}/sign-in", book.settings.base)).into_response();
    cookies::set(response.headers_mut(), &book, SESSION, None);
    Ok(response)
}
