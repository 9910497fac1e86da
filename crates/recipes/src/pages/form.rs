//! Forms that people sent. Each carries the token its page was given; one without it does nothing.

use bytes::Bytes;
use web::axum::body::Body;
use web::axum::extract::{Form, FromRequest, FromRequestParts, Request};
use web::axum::http::HeaderMap;
use web::axum::http::header::CONTENT_TYPE;

use crate::api::input::{Pairs, whole};
use crate::api::photos::multipart;
use crate::pages::cookies::{self, VISIT};
use crate::pages::failure::Failure;
use crate::pages::visitor::SignedIn;
use crate::site::Book;

/// The most bytes a form without files may have: a recipe with every field at its limit, percent signs included.
const MOST: usize = 24 * 1024 * 1024;

/// A form of somebody who is signed in.
pub(crate) struct SignedForm {
    pub(crate) visitor: SignedIn,
    pub(crate) fields: Pairs,
    /// The file that came along, if one did.
    pub(crate) file: Option<Bytes>,
}

impl FromRequest<Book> for SignedForm {
    type Rejection = Failure;

    async fn from_request(request: Request, book: &Book) -> Result<SignedForm, Failure> {
        let (mut parts, body) = request.into_parts();
        let visitor = SignedIn::from_request_parts(&mut parts, book).await?;
        let (fields, file) = read(Request::from_parts(parts, body)).await?;
        is_ours(&fields, &visitor.form_token)?;
        Ok(SignedForm { visitor, fields, file })
    }
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
        let (fields, _) = read(request).await?;
        is_ours(&fields, &cookies::form_token(&visit))?;
        Ok(VisitForm { fields, headers })
    }
}

fn is_ours(fields: &Pairs, token: &str) -> Result<(), Failure> {
    let given = crate::secret::Secret::given(fields.text("form").unwrap_or_default());
    let known = crate::secret::Secret::given(token);
    if given.hash().matches(&known.hash()) { Ok(()) } else { Err(Failure::StaleForm) }
}

async fn read(request: Request) -> Result<(Pairs, Option<Bytes>), Failure> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/form-data") {
        return read_with_file(request).await;
    }
    let (parts, body) = request.into_parts();
    let body = whole(Request::new(body), MOST).await?;
    let mut request = Request::from_parts(parts, Body::from(body));
    web::axum::extract::DefaultBodyLimit::disable().apply(&mut request);
    let Form(pairs) = Form::from_request(request, &()).await.map_err(|_| Failure::StaleForm)?;
    Ok((Pairs(pairs), None))
}

async fn read_with_file(request: Request) -> Result<(Pairs, Option<Bytes>), Failure> {
    let mut form = multipart(request).await?;
    let (mut pairs, mut file) = (Vec::new(), None);
    while let Some(field) = form.next_field().await.map_err(|_| Failure::StaleForm)? {
        let name = field.name().unwrap_or_default().to_owned();
        if field.file_name().is_some() {
            let bytes = field.bytes().await.map_err(|_| Failure::StaleForm)?;
            file = (!bytes.is_empty()).then_some(bytes).or(file);
        } else {
            pairs.push((name, field.text().await.map_err(|_| Failure::StaleForm)?));
        }
    }
    Ok((Pairs(pairs), file))
}
