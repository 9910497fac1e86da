//! `clear_shopping_list`: what is bought goes, or everything.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::shopping::{ListChange, ListName, ShoppingList};

use super::get_shopping_list::named;

pub(crate) struct ClearShoppingList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The name of the list; `Shopping` unless given.
    #[serde(default)]
    list: Option<ListName>,
    /// What goes; what is in the basket unless given.
    #[serde(default)]
    what: What,
}

/// What is taken off a list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum What {
    #[default]
    Checked,
    All,
}

impl Tool<State> for ClearShoppingList {
    type In = Input;
    type Out = Json<ShoppingList>;
    const ABOUT: About = About::new(
        "clear_shopping_list",
        "Clear a shopping list",
        "Takes off a shopping list what is in the basket, or everything, and returns the list.",
    )
    .idempotent()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<ShoppingList>, Stop> {
        let change = match input.what {
            What::Checked => ListChange::ClearChecked,
            What::All => ListChange::Clear,
        };
        Ok(Json(state.cookbook()?.change_shopping_list(named(input.list)?, change).await?))
    }
}
