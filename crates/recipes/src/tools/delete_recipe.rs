//! `delete_recipe`: a recipe into the trash.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::id::RecipeId;

pub(crate) struct DeleteRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Deleted {
    /// The recipe that is gone.
    deleted: RecipeId,
}

impl Tool<State> for DeleteRecipe {
    type In = Input;
    type Out = Json<Deleted>;
    const ABOUT: About = About::new(
        "delete_recipe",
        "Delete a recipe",
        "Takes a recipe out of the cookbook. Ask the person first. It stays in the trash for 30 days, and its title is \
         free at once.",
    )
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Deleted>, Stop> {
        state.cookbook()?.delete(input.recipe_id).await?;
        Ok(Json(Deleted { deleted: input.recipe_id }))
    }
}
