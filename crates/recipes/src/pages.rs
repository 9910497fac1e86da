//! The pages: the cookbook for people, one file per page. Every page works without script; the modules in `assets/` only
//! make some of them quicker to use.

mod amount;
mod app;
mod assets;
mod backup;
mod cook;
mod cookies;
mod edit;
mod failure;
mod family;
mod form;
mod frame;
mod import;
mod language;
mod list;
mod photo;
mod placeholder;
mod plan;
mod recipe;
mod share;
mod shopping;
mod sign_in;
mod trash;
mod visitor;

pub(crate) use failure::encoded;
pub(crate) use import::Previews;

use web::axum::Router;
use web::axum::routing::{get, post};

use crate::site::Book;

/// The first page alone, at a path of its own.
pub(crate) fn first(book: &Book, path: &str) -> Router<Book> {
    let dress = web::axum::middleware::from_fn_with_state(book.clone(), failure::dress);
    Router::new().route(path, get(list::show)).layer(dress)
}

/// Every page.
pub(crate) fn routes(book: &Book) -> Router<Book> {
    Router::new()
        .route("/", get(list::show))
        .route("/sign-in", get(sign_in::show).post(sign_in::with_password))
        .route("/sign-in/here", post(sign_in::here))
        .route("/home/{token}", get(sign_in::at_home))
        .route("/sign-in/{token}", get(sign_in::show_link).post(sign_in::with_link))
        .route("/sign-out", post(sign_in::out))
        .route("/sign-out/everywhere", post(sign_in::out_everywhere))
        .route("/trash", get(trash::show))
        .route("/recipes/new", get(edit::new))
        .route("/recipes", get(list::show).post(edit::create))
        .route("/recipes/{id}", get(recipe::show).post(edit::update))
        .route("/recipes/{id}/edit", get(edit::show))
        .route("/recipes/{id}/cook", get(cook::show))
        .route("/recipes/{id}/cooked", post(recipe::cooked))
        .route("/recipes/{id}/share", post(recipe::share))
        .route("/recipes/{id}/shop", post(recipe::shop))
        .route("/recipes/{id}/favourite", post(recipe::favourite))
        .route("/recipes/{id}/delete", post(recipe::delete))
        .route("/recipes/{id}/undelete", post(recipe::undelete))
        .route("/recipes/{id}/export", get(backup::recipe))
        .route("/recipes/{id}/photo", get(photo::cover))
        .route("/recipes/{id}/photos", get(photo::all).post(photo::add))
        .route("/recipes/{id}/photos/{photo}", get(photo::one).post(photo::change))
        .route("/import", get(import::show).post(import::look))
        .route("/import/keep", post(import::keep))
        .route("/plan", get(plan::show).post(plan::add))
        .route("/plan/remove", post(plan::remove))
        .route("/plan/shop", post(plan::shop))
        .route("/shopping", get(shopping::show).post(shopping::change))
        .route("/family", get(family::show))
        .route("/family/name", post(family::update))
        .route("/family/own-password", post(family::set_own_password))
        .route("/family/members", post(family::set_member))
        .route("/family/members/remove", post(family::remove_member))
        .route("/family/link", post(family::link))
        .route("/family/password", post(family::set_password))
        .route("/family/keys", post(family::make_key))
        .route("/family/keys/revoke", post(family::revoke_key))
        .route("/family/switch", post(family::switch))
        .route("/family/backup", get(backup::everything))
        .route("/family/restore", post(backup::restore))
        .route("/share/{token}", get(share::show))
        .route("/share/{token}/photo", get(share::photo))
        .route("/share/{token}/photos/{photo}", get(share::one_photo))
        .route("/assets/{version}/{name}", get(assets::serve))
        .route("/app.webmanifest", get(app::manifest))
        .route("/worker.js", get(app::worker))
        .fallback(failure::no_page)
        .method_not_allowed_fallback(failure::no_page)
        .layer(web::axum::middleware::from_fn_with_state(book.clone(), failure::dress))
}
