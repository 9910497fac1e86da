//! Signing in and out.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

use askama::Template;
use fetch::Url;
use web::axum::extract::{FromRequestParts, State};
use web::axum::http::header::HOST;
use web::axum::http::request::Parts;
use web::axum::http::{Extensions, HeaderMap, StatusCode};
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::{Named, Pairs};
use crate::api::problem::Problem;
use crate::auth::attempts::Attempt;
use crate::auth::sign_in::{self, NoSignIn, Offer, Owner};
use crate::auth::{Actor, Refused};
use crate::email::Email;
use crate::pages::cookies::{self, HOME, SESSION, VISIT};
use crate::pages::failure::Failure;
use crate::pages::form::{SignedForm, VisitForm};
use crate::pages::frame::{self, Frame};
use crate::pages::language::Language;
use crate::pages::visitor;
use crate::secret::Secret;
use crate::site::{Book, Peers, Transport, is_loopback};

type Answer = Result<Response, Failure>;

/// What the listener knows about a connection.
pub(super) struct Connection(Extensions);

impl FromRequestParts<Book> for Connection {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Book) -> Result<Connection, std::convert::Infallible> {
        Ok(Connection(parts.extensions.clone()))
    }
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page {
    frame: Frame,
    form_token: String,
    way: Way,
    /// Whom the person at this machine can go on as: address, family's name, and what the button sends.
    owners: Vec<(String, String, String)>,
    /// Whether a link was printed where the server runs.
    has_home: bool,
    email: String,
    back: String,
    complaint: Option<&'static str>,
}

/// What the page is for.
enum Way {
    Password,
    Claim,
    Link,
}

/// `GET /sign-in`
pub(super) async fn show(State(book): State<Book>, pairs: Pairs, headers: HeaderMap) -> Answer {
    let back = pairs.text("back").unwrap_or("/").to_owned();
    if visitor::identify(&headers, &book).await?.is_some() {
        return Ok(Redirect::to(&local(&book, &back)).into_response());
    }
    let mut shown = Shown { back, ..Shown::of(Way::Password) };
    if is_at_home(&book, &headers) {
        match sign_in::offer(&*book.store).await? {
            Offer::Claim => shown.way = Way::Claim,
            Offer::Continue(owners) => shown.owners = owners,
        }
    }
    form(&book, &headers, shown)
}

struct Shown {
    way: Way,
    owners: Vec<Owner>,
    email: String,
    back: String,
    complaint: Option<&'static str>,
}

impl Shown {
    fn of(way: Way) -> Shown {
        Shown { way, owners: Vec::new(), email: String::new(), back: "/".to_owned(), complaint: None }
    }
}

/// The owner that a button names.
fn choice(owner: &Owner) -> String {
    format!("{} {}", owner.family, owner.email)
}

/// The form, with a cookie for the browser if it has none yet.
fn form(book: &Book, headers: &HeaderMap, shown: Shown) -> Answer {
    let Shown { way, owners, email, back, complaint } = shown;
    let known = cookies::read(headers, VISIT);
    let (visit, is_new) = match known {
        Some(visit) => (visit, false),
        None => (Secret::new()?, true),
    };
    let status = if complaint.is_some() { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
    let language = Language::of(headers);
    let frame = Frame::bare(book, language, language.t("Sign in"));
    let form_token = cookies::form_token(&visit);
    let owners =
        owners.into_iter().map(|owner| (owner.email.to_string(), owner.family_name.clone(), choice(&owner)));
    let (owners, has_home) = (owners.collect(), book.settings.home_path().is_some());
    let mut response =
        frame::page(status, &Page { frame, form_token, way, owners, has_home, email, back, complaint });
    if is_new {
        cookies::set(response.headers_mut(), book, VISIT, Some(&visit));
    }
    Ok(response)
}

/// Whether the browser is a process of the user who runs this one, on this machine, and was shown the link that the server
/// printed there. A proxy or a tunnel would be such a process, too; who is at its other end has not seen the link.
pub(super) fn is_at_home(book: &Book, headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let forwarded = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
    let shown = cookies::read(headers, HOME);
    let knows = book
        .settings
        .home
        .as_ref()
        .zip(shown)
        .is_some_and(|(home, shown)| home.hash().matches(&shown.hash()));
    book.settings.peers == Peers::SameUser
        && knows
        && is_loopback(host)
        && !forwarded.iter().any(|name| headers.contains_key(*name))
}

/// Where to go after signing in: a path of ours, whatever the form says. What a browser would read as another address is
/// found out by the parser that browsers agree with.
fn local(book: &Book, back: &str) -> String {
    let base = &book.settings.base;
    let path = || {
        let home = Url::parse("http://home.invalid").ok()?;
        let plain = back.starts_with('/') && !back.contains(|c: char| c.is_control() || c == '\\');
        let there = home.join(back).ok().filter(|there| plain && there.origin() == home.origin())?;
        let path = there.path().strip_prefix("//").map_or(there.path(), |_| "/");
        Some(there.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
    };
    format!("{base}{}", path().unwrap_or_else(|| "/".to_owned()))
}

/// Signs in with the first of these sessions. The browser stays signed in where the same person was before.
async fn signed_in(book: &Book, headers: &HeaderMap, sessions: Vec<Secret>, back: &str) -> Answer {
    let mut response = Redirect::to(&local(book, back)).into_response();
    let mut sessions = sessions.into_iter();
    let Some(first) = sessions.next() else { return Err(Failure::StaleForm) };
    let others: Vec<Secret> =
        sessions.chain(cookies::read(headers, SESSION)).chain(cookies::others(headers)).collect();
    let kept = match visitor::scope_of(book, &first).await? {
        Some(scope) => visitor::elsewhere(book, &others, &scope).await?,
        None => Vec::new(),
    };
    let kept: Vec<Secret> = kept.into_iter().map(|other| other.session).collect();
    cookies::set(response.headers_mut(), book, SESSION, Some(&first));
    cookies::set_others(response.headers_mut(), book, &kept);
    cookies::set(response.headers_mut(), book, VISIT, None);
    Ok(response)
}

/// Who is at the other end: behind a proxy of our own what it says, else the connection.
fn peer(book: &Book, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
    let forwarded =
        headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
    let told = forwarded.and_then(|list| list.rsplit(',').next()?.trim().parse().ok());
    let connected = extensions.get::<web::Peer>().map(|peer| peer.0);
    let connected = connected.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    match book.settings.transport {
        Transport::Https => told.unwrap_or(connected),
        Transport::Http => connected,
    }
}

/// `GET /home/{token}`: the link that the server printed. The browser remembers it; what it opens, the sign-in page offers.
pub(super) async fn at_home(State(book): State<Book>, named: Named) -> Answer {
    let shown = Secret::given(&named.get::<String>("token")?);
    let mut response = Redirect::to(&format!("{}/", book.settings.base)).into_response();
    if book.settings.home.as_ref().is_some_and(|home| home.hash().matches(&shown.hash())) {
        cookies::set(response.headers_mut(), &book, HOME, Some(&shown));
    }
    Ok(response)
}

/// `POST /sign-in`
pub(super) async fn with_password(
    State(book): State<Book>,
    Connection(extensions): Connection,
    form_sent: VisitForm,
) -> Answer {
    let VisitForm { fields, headers } = form_sent;
    let back = fields.text("back").unwrap_or("/").to_owned();
    let given = fields.text("email").unwrap_or_default().to_owned();
    let again = |complaint| {
        let shown = Shown {
            email: given.clone(),
            back: back.clone(),
            complaint: Some(complaint),
            ..Shown::of(Way::Password)
        };
        form(&book, &headers, shown)
    };
    let Ok(email) = given.parse::<Email>() else {
        return again("That is not an e-mail address.");
    };
    let attempt = Attempt::new(peer(&book, &extensions, &headers), email.clone());
    if !book.attempts.take(&attempt, Instant::now()) {
        return Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "attempts",
            "there were too many attempts to sign in; wait a quarter of an hour",
        )
        .into());
    }
    match sign_in::by_password(&*book.store, &email, fields.text("password").unwrap_or_default()).await {
        Ok(sessions) => {
            book.attempts.give_back(&attempt);
            signed_in(&book, &headers, sessions, &back).await
        }
        Err(NoSignIn::Wrong) => again("The address and the password do not belong together."),
        Err(NoSignIn::Busy(busy)) => {
            book.attempts.give_back(&attempt);
            Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "busy", busy.to_string()).into())
        }
        Err(NoSignIn::Store(error)) => {
            book.attempts.give_back(&attempt);
            Err(error.into())
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
        Offer::Continue(owners) => {
            let wanted = fields.text("owner").unwrap_or_default();
            let owner = owners.into_iter().find(|owner| choice(owner) == wanted).ok_or(Failure::StaleForm)?;
            (owner.email, owner.family)
        }
        Offer::Claim => {
            let email = fields
                .read::<Email>("email")?
                .ok_or_else(|| Problem::field("email", "an address is needed"))?;
            let family = sign_in::claim(&*book.store, &email).await?;
            // The browser knows where the family lives; what is no zone is left out.
            if let Some(time_zone) = fields.text("zone").and_then(|zone| zone.parse().ok()) {
                sign_in::set_zone(&*book.store, family, time_zone).await?;
            }
            (email, family)
        }
    };
    let session = sign_in::open(&*book.store, email, family).await?;
    signed_in(&book, &headers, vec![session], fields.text("back").unwrap_or("/")).await
}

/// `GET /sign-in/{token}`: a button, since programs that look at links follow them.
pub(super) async fn show_link(State(book): State<Book>, headers: HeaderMap) -> Answer {
    form(&book, &headers, Shown::of(Way::Link))
}

/// `POST /sign-in/{token}`
pub(super) async fn with_link(State(book): State<Book>, named: Named, form_sent: VisitForm) -> Answer {
    match sign_in::follow(&*book.store, &Secret::given(&named.get::<String>("token")?)).await {
        Ok(session) => signed_in(&book, &form_sent.headers, vec![session], "/").await,
        Err(Refused::Store(error)) => Err(error.into()),
        Err(Refused::Session | Refused::Key | Refused::Person(_)) => {
            let complaint = Some("This link was used already, or is too old. Ask for a new one.");
            form(&book, &form_sent.headers, Shown { complaint, ..Shown::of(Way::Password) })
        }
    }
}

/// `POST /sign-out`
pub(super) async fn out(State(book): State<Book>, form: SignedForm) -> Answer {
    sign_in::close(&*book.store, &form.visitor.session).await?;
    for other in form.visitor.elsewhere(&book).await? {
        sign_in::close(&*book.store, &other.session).await?;
    }
    Ok(signed_out(&book))
}

fn signed_out(book: &Book) -> Response {
    let mut response = Redirect::to(&format!("{}/sign-in", book.settings.base)).into_response();
    cookies::set(response.headers_mut(), book, SESSION, None);
    cookies::set_others(response.headers_mut(), book, &[]);
    response
}

/// `POST /sign-out/everywhere`: every browser, in the families in which this one is signed in.
pub(super) async fn out_everywhere(State(book): State<Book>, form: SignedForm) -> Answer {
    let others = form.visitor.elsewhere(&book).await?;
    for scope in others.iter().map(|other| &other.scope).chain([&form.visitor.scope]) {
        if let (Actor::Person(email), Some(family)) = (scope.actor(), scope.family()) {
            sign_in::close_all(&*book.store, family, email).await?;
        }
    }
    Ok(signed_out(&book))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::local;
    use crate::site::{Book, Settings};
    use crate::store::sqlite::{Place, Sqlite};

    #[test]
    fn nobody_is_led_elsewhere() {
        let store = Arc::new(Sqlite::new(Place::File("/nowhere/recipes.db".into())));
        for base in ["", "/cookbook"] {
            let book = Book::new(store.clone(), Settings { base: base.to_owned(), ..Settings::default() });
            for (back, expected) in [
                ("/recipes/1?servings=2", "/recipes/1?servings=2"),
                ("/", "/"),
                ("/?q=a%20b", "/?q=a%20b"),
                ("//evil.example", "/"),
                ("/\t/evil.example", "/"),
                ("/\n/evil.example", "/"),
                ("/\\evil.example", "/"),
                ("\\\\evil.example", "/"),
                ("https://evil.example", "/"),
                ("/.//evil.example", "/"),
                ("/%09/evil.example", "/%09/evil.example"),
                ("javascript:alert(1)", "/"),
                ("", "/"),
            ] {
                assert_eq!(local(&book, back), format!("{base}{expected}"), "{back:?}");
            }
        }
    }
}
