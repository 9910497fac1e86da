//! `add_to_shopping_list`: single things, or what a recipe needs.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::error::Error;
use crate::id::RecipeId;
use crate::number::Servings;
use crate::recipe::Recipe;
use crate::scale::{Scale, scale};
use crate::shopping::{ListChange, ListName, NewItem, NewItems, ShoppingList};

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
    /// For how many people, with `recipe_id`; as the recipe says unless given.
    #[serde(default)]
    servings: Option<Servings>,
}

impl Tool<State> for AddToShoppingList {
    type In = Input;
    type Out = Json<ShoppingList>;
    const ABOUT: About = About::new(
        "add_to_shopping_list",
        "Add to a shopping list",
        "Adds things to a shopping list, or all ingredients of a recipe for some servings, and returns the list. Amounts of \
         the same thing add up where their units do; mass and volume stay apart.",
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

/// What to buy for a recipe; of a range, the larger amount.
fn needed(recipe: Recipe) -> impl Iterator<Item = NewItem> {
    let recipe_id = Some(recipe.id);
    recipe.ingredients.into_iter().map(move |placed| {
        let what = placed.what;
        NewItem { name: what.name, quantity: what.quantity_max.or(what.quantity), unit: what.unit, recipe_id }
    })
}
