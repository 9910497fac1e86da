//! The cookbook as a file, for people: a recipe, everything, and everything back.

use web::axum::extract::State;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::exchange;
use crate::api::input::{At, Pairs};
use crate::api::problem::Problem;
use crate::family::Role;
use crate::id::kind;
use crate::pages::failure::Failure;
use crate::pages::form::{LargeForm, SignedForm};
use crate::pages::visitor::SignedIn;
use crate::record::OnConflict;
use crate::site::Book;

type Answer = Result<Response, Failure>;

/// `GET /recipes/{id}/export`
pub(super) async fn recipe(
    State(book): State<Book>,
    visitor: SignedIn,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
) -> Answer {
    let format = exchange::format(&pairs)?;
    Ok(exchange::exported(&book.store.recipe(&visitor.scope, id).await?, format))
}

/// `GET /family/backup`
pub(super) async fn everything(State(book): State<Book>, visitor: SignedIn) -> Answer {
    Ok(exchange::archive(&book, &visitor.scope).await?)
}

/// `POST /family/restore`
pub(super) async fn restore(State(book): State<Book>, sent: LargeForm) -> Answer {
    let LargeForm { form: SignedForm { visitor, fields, files, .. }, turn } = sent;
    visitor.scope.may(Role::Owner)?;
    let file = files.into_iter().next();
    let file = file.ok_or_else(|| Problem::field("file", "choose a file first"))?;
    let on_conflict =
        if fields.text("on_conflict") == Some("replace") { OnConflict::Replace } else { OnConflict::Skip };
    let upload = exchange::Upload { bytes: file.bytes, _turn: turn };
    let done = exchange::restored(&book, &visitor.scope, upload, on_conflict).await?;
    let place = format!("{}/family?restored={}&skipped={}", book.settings.base, done.written, done.skipped);
    Ok(Redirect::to(&place).into_response())
}
