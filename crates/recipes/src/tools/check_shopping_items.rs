//! `check_shopping_items`: into the basket, or out of it.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::few::Few;
use crate::id::ItemId;
use crate::shopping::{ListChange, ListName, ShoppingList};

use super::get_shopping_list::named;

pub(crate) struct CheckShoppingItems;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The name of the list; `Shopping` unless given.
    #[serde(default)]
    list: Option<ListName>,
    /// Ids of items, as `get_shopping_list` gives them.
    items: Few<ItemId, 300>,
    /// True for in the basket, which is what is meant unless given; false for not.
    #[serde(default = "in_the_basket")]
    checked: bool,
}

fn in_the_basket() -> bool {
    true
}

impl Tool<State> for CheckShoppingItems {
    type In = Input;
    type Out = Json<ShoppingList>;
    const ABOUT: About = About::new(
        "check_shopping_items",
        "Check off shopping items",
        "Notes that items of a shopping list are in the basket, or are not, and returns the list.",
    )
    .additive()
    .idempotent()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<ShoppingList>, Stop> {
        let change = ListChange::Check { items: input.items.into_vec(), checked: input.checked };
        Ok(Json(state.cookbook()?.change_shopping_list(named(input.list)?, change).await?))
    }
}
