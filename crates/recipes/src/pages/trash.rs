//! The trash: what was deleted, and the way back.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::card::Trashed;
use crate::pages::failure::Failure;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::visitor::SignedIn;
use crate::site::Book;
use crate::zone;

#[derive(Template)]
#[template(path = "trash.html")]
struct Page {
    frame: Frame,
    recipes: Vec<Line>,
}

struct Line {
    recipe: Trashed,
    deleted: String,
}

/// `GET /trash`
pub(super) async fn show(State(book): State<Book>, visitor: SignedIn) -> Result<Response, Failure> {
    let zone = book.store.default_family(&visitor.scope).await?.time_zone;
    let line = |recipe: Trashed| Line {
        deleted: visitor.language.day(zone::day(recipe.deleted_at, zone.as_ref())),
        recipe,
    };
    let recipes = book.store.trash(&visitor.scope).await?.into_iter().map(line).collect();
    let frame = Frame::new(&book, &visitor, Here::Recipes, visitor.language.t("Trash"));
    Ok(frame::page(StatusCode::OK, &Page { frame, recipes }))
}
