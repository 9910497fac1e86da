//! A recipe for somebody with a link.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::{HeaderMap, StatusCode};
use web::axum::response::Response;

use crate::api::input::{Named, Pairs};
use crate::api::photos;
use crate::auth::{self, Scope};
use crate::error::{Error, Thing};
use crate::id::RecipeId;
use crate::pages::failure::{Failure, encoded};
use crate::pages::frame::{self, Frame};
use crate::pages::language::Language;
use crate::pages::recipe::View;
use crate::photo::Which;
use crate::secret::Secret;
use crate::site::Book;

#[derive(Template)]
#[template(path = "share.html")]
struct Page {
    frame: Frame,
    view: View,
    token: String,
}

/// `GET /share/{token}`
pub(super) async fn show(
    State(book): State<Book>,
    language: Language,
    named: Named,
    pairs: Pairs,
) -> Result<Response, Failure> {
    let token = named.get::<String>("token")?;
    let (scope, recipe) = opened(&book, &token).await?;
    let mut recipe = book.store.recipe(&scope, recipe).await?;
    // When the family last had it is for the family.
    (recipe.times_cooked, recipe.last_cooked_at) = (0, None);
    let mut view = View::of(recipe, &pairs, None, language)?;
    view.album = format!("/share/{}/photos", encoded(&token));
    let frame = Frame::bare(&book, language, &view.title);
    Ok(frame::page(StatusCode::OK, &Page { frame, view, token }))
}

/// `GET /share/{token}/photo`
pub(super) async fn photo(
    State(book): State<Book>,
    named: Named,
    pairs: Pairs,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (scope, recipe) = opened(&book, &named.get::<String>("token")?).await?;
    Ok(photos::show(photos::sized(&book, &scope, (recipe, Which::Cover), &pairs).await?, &headers))
}

/// `GET /share/{token}/photos/{photo}`
pub(super) async fn one_photo(
    State(book): State<Book>,
    named: Named,
    pairs: Pairs,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (scope, recipe) = opened(&book, &named.get::<String>("token")?).await?;
    let which = Which::One(named.get("photo")?);
    Ok(photos::show(photos::sized(&book, &scope, (recipe, which), &pairs).await?, &headers))
}

async fn opened(book: &Book, token: &str) -> Result<(Scope, RecipeId), Error> {
    let opened = auth::by_share(&*book.store, &Secret::given(token)).await?;
    // A token is not repeated to whoever guessed it.
    opened.ok_or_else(|| Error::not_found(Thing::Share, "it was taken back, is too old, or never was"))
}
