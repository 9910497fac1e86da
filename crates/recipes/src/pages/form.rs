//! Forms that people sent. Each carries the token its page was given; one without it does nothing.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use web::axum::body::Body;
use web::axum::extract::{Form, FromRequest, FromRequestParts, Request};
use web::axum::http::header::CONTENT_TYPE;
use web::axum::http::{HeaderMap, StatusCode};

use crate::api::exchange;
use crate::api::input::{Pairs, whole};
use crate::api::photos::{FRAME, MOST_WITH_PHOTO, multipart};
use crate::api::problem::Problem;
use crate::family::Role;
use crate::pages::cookies::{self, VISIT};
use crate::pages::failure::Failure;
use crate::pages::visitor::SignedIn;
use crate::site::Book;

/// The most bytes a form without files may have: a recipe with every field at its limit, percent signs included.
const MOST: usize = 24 * 1024 * 1024;

/// The most bytes of a form of somebody nobody knows yet: an address, a password, and where to go.
const MOST_OF_A_STRANGER: usize = 64 * 1024;

/// The most fields of a form: a recipe with as many lines as it may have. A field of two bytes takes fifty times as many here.
const MOST_FIELDS: usize = 20_000;

/// The most files of one form.
const MOST_FILES: usize = 50;

/// A form of somebody who is signed in.
pub(crate) struct SignedForm {
    pub(crate) visitor: SignedIn,
    pub(crate) fields: Pairs,
    /// The files that came along.
    pub(crate) files: Vec<File>,
    /// Few forms with files are in memory at once.
    _turn: Option<OwnedSemaphorePermit>,
}

/// A file in a form.
pub(crate) struct File {
    /// What it was called where it came from.
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

impl FromRequest<Book> for SignedForm {
    type Rejection = Failure;

    async fn from_request(request: Request, book: &Book) -> Result<SignedForm, Failure> {
        let (visitor, request) = sender(request, book).await?;
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("multipart/form-data")) {
            let turn = exchange::photo_turn(book).await?;
            let form = exchange::in_time(signed(visitor, request, MOST_WITH_PHOTO)).await??;
            return Ok(SignedForm { _turn: Some(turn), ..form });
        }
        signed(visitor, request, MOST_WITH_PHOTO).await
    }
}

/// A form with a large file: an import, or an archive. Few are in memory at once; who comes later waits.
pub(crate) struct LargeForm {
    pub(crate) form: SignedForm,
    pub(crate) turn: OwnedSemaphorePermit,
}

impl FromRequest<Book> for LargeForm {
    type Rejection = Failure;

    async fn from_request(request: Request, book: &Book) -> Result<LargeForm, Failure> {
        let (visitor, request) = sender(request, book).await?;
        // Who may not write keeps nobody waiting for a turn.
        visitor.scope.may(Role::Editor)?;
        let turn = exchange::turn(book).await?;
        let form = signed(visitor, request, exchange::MOST_UPLOAD + FRAME);
        let form = exchange::in_time(form).await??;
        Ok(LargeForm { form, turn })
    }
}

/// Who sends a form, before any of it is read.
async fn sender(request: Request, book: &Book) -> Result<(SignedIn, Request), Failure> {
    let (mut parts, body) = request.into_parts();
    let visitor = SignedIn::from_request_parts(&mut parts, book).await?;
    Ok((visitor, Request::from_parts(parts, body)))
}

async fn signed(visitor: SignedIn, request: Request, most: usize) -> Result<SignedForm, Failure> {
    let (fields, files) = read(request, most).await?;
    is_ours(&fields, &visitor.form_token)?;
    Ok(SignedForm { visitor, fields, files, _turn: None })
}

/// A form of somebody who is not signed in yet.
pub(crate) struct VisitForm {
    pub(crate) fields: Pairs,
    pub(crate) headers: HeaderMap,
}

impl FromRequest<Book> for VisitForm {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &Book) -> Result<VisitForm, Failure> {
        let headers = request.headers().clone();
        let visit = cookies::read(&headers, VISIT).ok_or(Failure::StaleForm)?;
        let (fields, _) = read(request, MOST_OF_A_STRANGER).await?;
        is_ours(&fields, &cookies::form_token(&visit))?;
        Ok(VisitForm { fields, headers })
    }
}

fn is_ours(fields: &Pairs, token: &str) -> Result<(), Failure> {
    let given = crate::secret::Secret::given(fields.text("form").unwrap_or_default());
    let known = crate::secret::Secret::given(token);
    if given.hash().matches(&known.hash()) { Ok(()) } else { Err(Failure::StaleForm) }
}

async fn read(request: Request, most: usize) -> Result<(Pairs, Vec<File>), Failure> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/form-data") {
        return read_with_files(request, most).await;
    }
    let (parts, body) = request.into_parts();
    let body = whole(Request::new(body), most.min(MOST)).await?;
    if memchr::memchr_iter(b'&', &body).count() >= MOST_FIELDS {
        return Err(too_many_fields());
    }
    let mut request = Request::from_parts(parts, Body::from(body));
    web::axum::extract::DefaultBodyLimit::disable().apply(&mut request);
    let Form(pairs) = Form::from_request(request, &()).await.map_err(|_| Failure::StaleForm)?;
    Ok((Pairs(pairs), Vec::new()))
}

async fn read_with_files(request: Request, most: usize) -> Result<(Pairs, Vec<File>), Failure> {
    let mut form = multipart(request, most).await?;
    let (mut pairs, mut files) = (Vec::new(), Vec::new());
    while let Some(field) = form.next_field().await.map_err(|_| Failure::StaleForm)? {
        let name = field.name().unwrap_or_default().to_owned();
        if let Some(given) = field.file_name().map(str::to_owned) {
            let bytes = field.bytes().await.map_err(|_| Failure::StaleForm)?;
            if !bytes.is_empty() && files.len() < MOST_FILES {
                files.push(File { name: given, bytes });
            }
        } else {
            pairs.push((name, field.text().await.map_err(|_| Failure::StaleForm)?));
        }
        if pairs.len() > MOST_FIELDS {
            return Err(too_many_fields());
        }
    }
    Ok((Pairs(pairs), files))
}

fn too_many_fields() -> Failure {
    let reason = format!("the form has more than {MOST_FIELDS} fields; send less");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", reason).into()
}
