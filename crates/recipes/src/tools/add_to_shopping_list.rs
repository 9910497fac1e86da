//! `add_to_shopping_list`: single things, or what a recipe needs.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::error::Error;
use crate::id::RecipeId;
use crate::number::Servings;
use crate::scale::{Scale, scale};
use crate::shopping::{ListChange, ListName, NewItems, ShoppingList, needed};

use super::get_shopping_list::named;

pub(crate) struct AddToShoppingList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The name of the list; `Shopping` unless given.
    #[serde(default)]
    list: Option<ListName>,
    /// Things to buy.
    #[serde(default)]
    items: Option<NewItems>,
    /// A recipe whose ingredients to buy.
    #[serde(default)]
    recipe_id: Option<RecipeId>,
    /// With `recipe_id`: for how many people.
    #[serde(default)]
    servings: Option<Servings>,
}

impl Tool<State> for AddToShoppingList {
    type In = Input;
    type Out = Json<ShoppingList>;
    const ABOUT: About = About::new(
        "add_to_shopping_list",
        "Add to a shopping list",
        "Adds things to a shopping list, or the ingredients of a recipe, and returns the list.",
    )
    .additive()
    .local()
    .core();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<ShoppingList>, Stop> {
        let cookbook = state.cookbook()?;
        let mut items = input.items.unwrap_or_default().into_vec();
        if let Some(id) = input.recipe_id {
            let mut recipe = cookbook.recipe(id).await?;
            if let Some(servings) = input.servings {
                scale(&mut recipe, &Scale::Servings(servings))
                    .map_err(|error| Error::invalid("servings", error))?;
            }
            items.extend(needed(recipe));
        }
        if items.is_empty() {
            return Err(Error::invalid("items", "give `items` or a `recipe_id` with ingredients").into());
        }
        Ok(Json(cookbook.change_shopping_list(named(input.list)?, ListChange::Add(items)).await?))
    }
}
