//! Photos on the pages.

use web::axum::extract::State;
use web::axum::http::HeaderMap;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::{At, Pairs};
use crate::api::photos;
use crate::api::problem::Problem;
use crate::id::{RecipeId, kind};
use crate::pages::failure::Failure;
use crate::pages::form::SignedForm;
use crate::pages::visitor::SignedIn;
use crate::site::Book;

type Answer = Result<Response, Failure>;

/// `GET /recipes/{id}/photo`
pub(super) async fn show(
    State(book): State<Book>,
    visitor: SignedIn,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
    headers: HeaderMap,
) -> Answer {
    Ok(photos::show(photos::sized(&book, &visitor.scope, id, &pairs).await?, &headers))
}

/// `POST /recipes/{id}/photo`
pub(super) async fn set(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    let file = form.file.ok_or_else(|| Problem::field("photo", "choose a picture first"))?;
    book.store.set_photo(&form.visitor.scope, id, photos::picture(file.bytes).await?).await?;
    Ok(back(&book, id))
}

/// `POST /recipes/{id}/photo/remove`
pub(super) async fn remove(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    book.store.remove_photo(&form.visitor.scope, id).await?;
    Ok(back(&book, id))
}

fn back(book: &Book, id: RecipeId) -> Response {
    Redirect::to(&format!("{}/recipes/{id}?done=saved", book.settings.base)).into_response()
}
