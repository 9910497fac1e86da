//! Shopping lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::caller::Caller;
use crate::api::input::{Json, JsonOrNothing, Named};
use crate::api::output;
use crate::api::problem::Problem;
use crate::few::Few;
use crate::id::ItemId;
use crate::shopping::{ListChange, ListName, MOST_ITEMS, NewItems};
use crate::site::Book;

type Answer = Result<Response, Problem>;

/// Things to put on a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Added {
    /// The things.
    pub(crate) items: NewItems,
}

/// Things that are in the basket, or are not.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Checked {
    /// Which.
    pub(crate) items: Few<ItemId, MOST_ITEMS>,
    /// Whether they are; they are unless given.
    #[serde(default = "in_the_basket")]
    pub(crate) checked: bool,
}

fn in_the_basket() -> bool {
    true
}

/// Things to take off a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Removed {
    /// Which.
    pub(crate) items: Few<ItemId, MOST_ITEMS>,
}

/// What is taken off.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Cleared {
    /// Everything, and not only what is in the basket.
    #[serde(default)]
    pub(crate) all: bool,
}

/// The names of the lists.
pub(super) async fn names(State(book): State<Book>, Caller(scope): Caller) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.shopping_lists(&scope).await?))
}

/// `GET /shopping-lists/{name}`
pub(super) async fn read(State(book): State<Book>, Caller(scope): Caller, named: Named) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.shopping_list(&scope, list(&named)?).await?))
}

/// `DELETE /shopping-lists/{name}`
pub(super) async fn remove(State(book): State<Book>, Caller(scope): Caller, named: Named) -> Answer {
    book.store.remove_shopping_list(&scope, list(&named)?).await?;
    Ok(output::nothing())
}

/// `POST /shopping-lists/{name}/items`
pub(super) async fn add(
    State(book): State<Book>,
    Caller(scope): Caller,
    named: Named,
    Json(added): Json<Added>,
) -> Answer {
    let change = ListChange::Add(Few::into_vec(added.items));
    Ok(output::json(StatusCode::OK, &book.store.change_shopping_list(&scope, list(&named)?, change).await?))
}

/// `POST /shopping-lists/{name}/check`
pub(super) async fn check(
    State(book): State<Book>,
    Caller(scope): Caller,
    named: Named,
    Json(Checked { items, checked }): Json<Checked>,
) -> Answer {
    let change = ListChange::Check { items: Few::into_vec(items), checked };
    Ok(output::json(StatusCode::OK, &book.store.change_shopping_list(&scope, list(&named)?, change).await?))
}

/// `POST /shopping-lists/{name}/clear`
pub(super) async fn clear(
    State(book): State<Book>,
    Caller(scope): Caller,
    named: Named,
    JsonOrNothing(cleared): JsonOrNothing<Cleared>,
) -> Answer {
    let change = if cleared.all { ListChange::Clear } else { ListChange::ClearChecked };
    Ok(output::json(StatusCode::OK, &book.store.change_shopping_list(&scope, list(&named)?, change).await?))
}

/// `POST /shopping-lists/{name}/remove`
pub(super) async fn remove_items(
    State(book): State<Book>,
    Caller(scope): Caller,
    named: Named,
    Json(Removed { items }): Json<Removed>,
) -> Answer {
    let change = ListChange::Remove(Few::into_vec(items));
    Ok(output::json(StatusCode::OK, &book.store.change_shopping_list(&scope, list(&named)?, change).await?))
}

/// `DELETE /shopping-lists/{name}/items/{id}`
pub(super) async fn remove_item(State(book): State<Book>, Caller(scope): Caller, named: Named) -> Answer {
    let change = ListChange::Remove(vec![named.get("id")?]);
    Ok(output::json(StatusCode::OK, &book.store.change_shopping_list(&scope, list(&named)?, change).await?))
}

fn list(named: &Named) -> Result<ListName, Problem> {
    ListName::new(named.get::<String>("name")?).map_err(|reason| Problem::field("name", reason))
}
