//! The family: who is in it, how they sign in, and the keys of programs.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::{HeaderMap, StatusCode};
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::Pairs;
use crate::api::keys::{self, WantedKey};
use crate::api::problem::Problem;
use crate::auth::{password, sign_in};
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::{Family, FamilyChanges, FamilyName, Member, Role};
use crate::id::{FamilyId, KeyId};
use crate::key::{ApiKey, Opens};
use crate::pages::cookies::{self, SESSION};
use crate::pages::failure::Failure;
use crate::pages::form::SignedForm;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::language::Language;
use crate::pages::sign_in::is_at_home;
use crate::pages::visitor::SignedIn;
use crate::site::Book;
use crate::text::Text;
use crate::time::Time;
use crate::zone::{self, Zone};

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "family.html")]
struct Page {
    frame: Frame,
    name: String,
    members: Vec<Member>,
    others: Vec<(FamilyId, String)>,
    keys: Vec<Key>,
    shown_once: Option<ShownOnce>,
    notice: Option<String>,
    zone: Option<Zone>,
    /// Every zone there is, and whether it is the family's.
    zones: Vec<(String, bool)>,
    has_own_password: bool,
}

/// A key, and when it was made and used, where the family lives.
struct Key {
    id: KeyId,
    label: String,
    made: String,
    used: Option<String>,
}

impl Key {
    fn of(key: ApiKey, language: Language, zone: Option<&Zone>) -> Key {
        let date = |at: Time| language.date(zone::day(at, zone));
        let ApiKey { id, label, created_at, last_used_at, .. } = key;
        Key { id, label: label.to_string(), made: date(created_at), used: last_used_at.map(date) }
    }
}

/// A secret that is shown on this page and never again.
struct ShownOnce {
    what: &'static str,
    text: String,
    /// The same as a QR code, drawn as SVG.
    code: Option<String>,
    advice: &'static str,
    /// What else there is to do.
    more: Option<String>,
}

/// A text for the camera of a phone. What is in the SVG are squares of our own making.
fn qr(text: &str) -> Option<String> {
    use qrcode::render::svg;
    let code = qrcode::QrCode::new(text.as_bytes()).ok()?;
    let svg = code.render::<svg::Color<'_>>().min_dimensions(220, 220).build();
    svg.find("<svg").and_then(|start| svg.get(start..)).map(str::to_owned)
}

const ROLES: [(&str, &str); 3] = [("viewer", "reads"), ("editor", "writes"), ("owner", "owns")];

/// The family that the visitor looks at.
fn family(visitor: &SignedIn) -> Result<FamilyId, Failure> {
    let family = visitor.scope.family();
    Ok(family.ok_or_else(|| Error::not_found(Thing::Family, "yours"))?)
}

/// `GET /family`
pub(super) async fn show(
    State(book): State<Book>,
    visitor: SignedIn,
    headers: HeaderMap,
    pairs: Pairs,
) -> Answer {
    let notice = match pairs.text("done") {
        Some("password") => {
            Some(visitor.language.t("The password is set. Everybody else signs in again.").to_owned())
        }
        Some("saved") => Some(visitor.language.t("Saved.").to_owned()),
        _ => restored(visitor.language, &pairs)?,
    };
    page(&book, &visitor, &headers, (None, notice)).await
}

/// What a restore did.
fn restored(language: Language, pairs: &Pairs) -> Result<Option<String>, Problem> {
    let number = |name: &str| pairs.whole::<0, { i64::MAX }>(name);
    let (Some(written), Some(skipped)) = (number("restored")?, number("skipped")?) else { return Ok(None) };
    let (back, here) =
        (language.t("The backup is back. Things that were written:"), language.t("Here already:"));
    Ok(Some(format!("{back} {written}. {here} {skipped}.")))
}

/// The other families that this browser can go to without signing in.
async fn others(
    book: &Book,
    visitor: &SignedIn,
    headers: &HeaderMap,
) -> Result<Vec<(FamilyId, String)>, Failure> {
    let here = visitor.scope.family();
    let mut families = sign_in::families(&*book.store, &visitor.scope).await?;
    let elsewhere = visitor.elsewhere(book).await?;
    let is_at_home = is_at_home(book, headers);
    families.retain(|(id, _)| {
        Some(*id) != here && (is_at_home || elsewhere.iter().any(|other| other.family == *id))
    });
    Ok(families)
}

async fn page(
    book: &Book,
    visitor: &SignedIn,
    headers: &HeaderMap,
    (shown_once, notice): (Option<ShownOnce>, Option<String>),
) -> Answer {
    let id = family(visitor)?;
    let others = others(book, visitor, headers).await?;
    let Family { name, time_zone: zone, .. } = book.store.default_family(&visitor.scope).await?;
    let keys = if visitor.role == Role::Owner { book.store.keys(&visitor.scope).await? } else { Vec::new() };
    let page = Page {
        frame: Frame::new(book, visitor, Here::Family, visitor.language.t("Family")),
        zones: if visitor.role == Role::Owner { zones(zone.as_ref()) } else { Vec::new() },
        has_own_password: sign_in::has_own_password(&*book.store, &visitor.scope).await?,
        members: book.store.members(&visitor.scope, id).await?,
        keys: keys
            .into_iter()
            .filter(|key| key.revoked_at.is_none())
            .map(|key| Key::of(key, visitor.language, zone.as_ref()))
            .collect(),
        name: name.into_string(),
        zone,
        others,
        shown_once,
        notice,
    };
    Ok(frame::page(StatusCode::OK, &page))
}

fn zones(own: Option<&Zone>) -> Vec<(String, bool)> {
    let is_own = |name: &str| own.is_some_and(|own| own.as_str() == name);
    let all = Zone::all().into_iter();
    all.map(|name| {
        let is_own = is_own(&name);
        (name, is_own)
    })
    .collect()
}

fn back(book: &Book, done: &str) -> Response {
    Redirect::to(&format!("{}/family?done={done}", book.settings.base)).into_response()
}

fn role(pairs: &Pairs) -> Role {
    Role::stored(pairs.text("role").unwrap_or_default()).unwrap_or(Role::Viewer)
}

fn email(pairs: &Pairs) -> Result<Email, Problem> {
    pairs.read("email")?.ok_or_else(|| Problem::field("email", "an address is needed"))
}

/// `POST /family/name`: its name, and where it lives.
pub(super) async fn update(State(book): State<Book>, form: SignedForm) -> Answer {
    let name = form.fields.text("name").map(FamilyName::new).transpose();
    let name = name.map_err(|reason| Problem::field("name", reason))?;
    let changes = FamilyChanges { name, time_zone: form.fields.read("zone")? };
    book.store.update_family(&form.visitor.scope, family(&form.visitor)?, changes).await?;
    Ok(back(&book, "saved"))
}

/// `POST /family/members`
pub(super) async fn set_member(State(book): State<Book>, form: SignedForm) -> Answer {
    let (email, role) = (email(&form.fields)?, role(&form.fields));
    book.store.set_member(&form.visitor.scope, family(&form.visitor)?, &email, role).await?;
    Ok(back(&book, "saved"))
}

/// `POST /family/members/remove`
pub(super) async fn remove_member(State(book): State<Book>, form: SignedForm) -> Answer {
    let email = email(&form.fields)?;
    let id = family(&form.visitor)?;
    sign_in::remove_member(&*book.store, &form.visitor.scope, id, &email).await?;
    Ok(back(&book, "saved"))
}

/// `POST /family/link`: a sign-in link for a member, from an owner.
pub(super) async fn link(State(book): State<Book>, headers: HeaderMap, form: SignedForm) -> Answer {
    let (id, email) = (family(&form.visitor)?, email(&form.fields)?);
    form.visitor.scope.may_in(id, Role::Owner)?;
    if !book.store.members(&form.visitor.scope, id).await?.iter().any(|member| member.email == email) {
        return Err(Error::not_found(Thing::Member, email).into());
    }
    let secret = sign_in::link_into(&*book.store, &email, id).await?;
    let address = book.address(&headers);
    let text = format!("{}/sign-in/{}", address.url, secret.reveal());
    let language = form.visitor.language;
    let more = address.advice().map(|advice| language.says(advice));
    let advice = language.t(match more {
        None => {
            "Send it to the person it is for, or let them scan the code. It works once, within seven days."
        }
        Some(_) => "It works once, within seven days.",
    });
    // A code is for other devices.
    let code = if more.is_none() { qr(&text) } else { None };
    let shown = ShownOnce { what: language.t("Sign-in link"), code, text, advice, more };
    page(&book, &form.visitor, &headers, (Some(shown), None)).await
}

/// `POST /family/password`
pub(super) async fn set_password(State(book): State<Book>, form: SignedForm) -> Answer {
    let id = form.visitor.scope.may_in(family(&form.visitor)?, Role::Owner)?;
    let hash = password::hash(form.fields.text("password").unwrap_or_default()).await;
    let hash = hash.map_err(|reason| Problem::field("password", reason))?;
    let this = Some(&form.visitor.session);
    sign_in::set_family_password(&*book.store, &form.visitor.scope, id, hash, this).await?;
    Ok(back(&book, "password"))
}

/// `POST /family/own-password`: one of somebody's own, in place of the family's; or, with nothing, the family's again.
pub(super) async fn set_own_password(State(book): State<Book>, form: SignedForm) -> Answer {
    let hash = match form.fields.text("own-password") {
        None => None,
        Some(given) => {
            let hash = password::hash(given).await;
            Some(hash.map_err(|reason| Problem::field("own-password", reason))?)
        }
    };
    let this = Some(&form.visitor.session);
    sign_in::set_own_password(&*book.store, &form.visitor.scope, hash, this).await?;
    Ok(back(&book, "saved"))
}

/// `POST /family/keys`
pub(super) async fn make_key(State(book): State<Book>, headers: HeaderMap, form: SignedForm) -> Answer {
    let label = Text::new(form.fields.text("label").unwrap_or_default());
    let wanted = WantedKey {
        label: Some(label.map_err(|reason| Problem::field("label", reason))?),
        opens: Opens::Family { family_id: family(&form.visitor)?, role: role(&form.fields) },
        days: form.fields.whole("days")?,
    };
    let made = keys::make(&book, &form.visitor.scope, wanted).await?;
    let language = form.visitor.language;
    let advice = language.t("Copy it now. It is kept as a hash and cannot be shown again.");
    let shown = ShownOnce { what: language.t("API key"), text: made.key, code: None, advice, more: None };
    page(&book, &form.visitor, &headers, (Some(shown), None)).await
}

/// `POST /family/keys/revoke`
pub(super) async fn revoke_key(State(book): State<Book>, form: SignedForm) -> Answer {
    if let Some(key) = form.fields.read::<KeyId>("key")? {
        book.store.revoke_key(&form.visitor.scope, key).await?;
    }
    Ok(back(&book, "saved"))
}

/// `POST /family/switch`: another family of the same person.
pub(super) async fn switch(State(book): State<Book>, headers: HeaderMap, form: SignedForm) -> Answer {
    let id = form.fields.read("family")?.ok_or_else(|| Problem::field("family", "choose a family"))?;
    let mut others = form.visitor.elsewhere(&book).await?;
    let session = match others.iter().position(|other| other.family == id) {
        Some(at) => others.remove(at).session,
        None if is_at_home(&book, &headers) => sign_in::switch(&*book.store, &form.visitor.scope, id).await?,
        None => return Err(Error::not_found(Thing::Family, id).into()),
    };
    let mut response = Redirect::to(&format!("{}/", book.settings.base)).into_response();
    let mut kept = vec![form.visitor.session];
    kept.extend(others.into_iter().map(|other| other.session));
    cookies::set(response.headers_mut(), &book, SESSION, Some(&session));
    cookies::set_others(response.headers_mut(), &book, &kept);
    Ok(response)
}
