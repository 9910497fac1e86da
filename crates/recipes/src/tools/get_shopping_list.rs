//! `get_shopping_list`: what is to be bought.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::error::Error;
use crate::shopping::{DEFAULT_LIST, ListName, ShoppingList};

pub(crate) struct GetShoppingList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The name of the list; `Shopping` unless given.
    #[serde(default)]
    list: Option<ListName>,
}

/// The list that is meant.
pub(super) fn named(list: Option<ListName>) -> Result<ListName, Error> {
    list.map_or_else(|| ListName::new(DEFAULT_LIST).map_err(|error| Error::invalid("list", error)), Ok)
}

impl Tool<State> for GetShoppingList {
    type In = Input;
    type Out = Json<ShoppingList>;
    const ABOUT: About = About::new(
        "get_shopping_list",
        "Read a shopping list",
        "Returns a shopping list of the family, and which items are in the basket.",
    )
    .read_only()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<ShoppingList>, Stop> {
        Ok(Json(state.cookbook()?.shopping_list(named(input.list)?).await?))
    }
}
