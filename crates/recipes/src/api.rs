//! The REST API: one file per subject. Everybody needs a key; `openapi.rs` describes what is here.

pub(crate) mod caller;
pub(crate) mod exchange;
pub(crate) mod families;
pub(crate) mod input;
pub(crate) mod keys;
mod openapi;
mod output;
pub(crate) mod photos;
pub(crate) mod plan;
pub(crate) mod problem;
pub(crate) mod recipes;
pub(crate) mod shares;
pub(crate) mod shopping;

use web::axum::Router;
use web::axum::routing::{delete, get, patch, post, put};

use crate::api::problem::Problem;
use crate::site::Book;

/// Every route, below `/api`.
pub(crate) fn routes() -> Router<Book> {
    Router::new()
        .route("/openapi.json", get(openapi::show))
        .route("/recipes", get(recipes::list).post(recipes::create))
        .route(
            "/recipes/{id}",
            get(recipes::read).put(recipes::update).patch(recipes::update).delete(recipes::remove),
        )
        .route("/recipes/{id}/undelete", post(recipes::undelete))
        .route("/recipes/{id}/cooked", post(recipes::cooked))
        .route("/recipes/{id}/tags", post(recipes::tag))
        .route("/recipes/{id}/favourite", put(recipes::like).delete(recipes::unlike))
        .route(
            "/recipes/{id}/photo",
            get(photos::read).put(photos::set).post(photos::set).delete(photos::remove),
        )
        .route("/recipes/{id}/photos", post(photos::add))
        .route(
            "/recipes/{id}/photos/{photo}",
            get(photos::read_one).put(photos::shift).delete(photos::remove_one),
        )
        .route("/recipes/{id}/export", get(exchange::export))
        .route("/recipes/{id}/shares", get(shares::list).post(shares::create))
        .route("/recipes/{id}/share", post(shares::create))
        .route("/shares/{id}", delete(shares::revoke))
        .route("/trash", get(recipes::trash))
        .route("/today", get(families::today))
        .route("/search", get(recipes::search))
        .route("/tags", get(recipes::tags_in_use))
        .route("/import", post(exchange::import))
        .route("/import/file", post(exchange::import_file))
        .route("/backup", get(exchange::backup))
        .route("/restore", post(exchange::restore))
        .route("/families", get(families::list).post(families::create))
        .route("/families/{id}", patch(families::update).delete(families::remove))
        .route("/families/{id}/members", get(families::members))
        .route("/families/{id}/members/{email}", put(families::set_member).delete(families::remove_member))
        .route("/keys", get(keys::list).post(keys::create))
        .route("/keys/{id}", delete(keys::revoke))
        .route("/plan", get(plan::read).post(plan::add))
        .route("/plan/remove", post(plan::remove_several))
        .route("/plan/shop", post(plan::shop))
        .route("/plan/{id}", delete(plan::remove))
        .route("/shopping-lists", get(shopping::names))
        .route("/shopping-lists/{name}", get(shopping::read).delete(shopping::remove))
        .route("/shopping-lists/{name}/items", post(shopping::add))
        .route("/shopping-lists/{name}/check", post(shopping::check))
        .route("/shopping-lists/{name}/remove", post(shopping::remove_items))
        .route("/shopping-lists/{name}/clear", post(shopping::clear))
        .route("/shopping-lists/{name}/items/{id}", delete(shopping::remove_item))
        .fallback(async || Problem::no_path())
        .method_not_allowed_fallback(async || Problem::no_method())
}
