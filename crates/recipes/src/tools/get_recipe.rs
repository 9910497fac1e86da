//! `get_recipe`: one recipe with its details.

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::id::RecipeId;
use crate::recipe::Recipe;

pub(crate) struct GetRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id.
    recipe_id: RecipeId,
}

impl Tool<State> for GetRecipe {
    type In = Input;
    type Out = Json<Recipe>;
    const ABOUT: About = About::new(
        "get_recipe",
        "Read a recipe",
        "Returns a recipe with its ingredients, steps and all details. Use it to cook, to answer questions about a \
         recipe, or before changing one.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Recipe>, Stop> {
        Ok(Json(state.cookbook_at_once().await?.recipe(input.recipe_id).await?))
    }
}
