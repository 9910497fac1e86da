//! `get_recipe`: one recipe with its details.

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::id::RecipeId;
use crate::written::Written;

pub(crate) struct GetRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID, as `list_recipes` and `search_recipes` give it.
    recipe_id: RecipeId,
}

impl Tool<State> for GetRecipe {
    type In = Input;
    type Out = Json<Written>;
    const ABOUT: About = About::new(
        "get_recipe",
        "Read a recipe",
        "Returns a recipe with all its details: ingredients and steps in order, times, servings, difficulty, tags, notes, \
         and its version. Use it before cooking, answering questions about a recipe, or changing one.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Written>, Stop> {
        Ok(Json(state.cookbook_at_once().await?.written_recipe(input.recipe_id).await?))
    }
}
