//! `restore_recipe`: a recipe out of the trash.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::card::Trashed;
use crate::id::RecipeId;
use crate::recipe::Recipe;

pub(crate) struct RestoreRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The id of a deleted recipe, a UUID. Leave it out to see what is in the trash.
    #[serde(default)]
    recipe_id: Option<RecipeId>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Back {
    /// The recipe that is back.
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<Recipe>,
    /// What is in the trash, last deleted first, if no recipe was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    trash: Option<Vec<Trashed>>,
}

impl Tool<State> for RestoreRecipe {
    type In = Input;
    type Out = Json<Back>;
    const ABOUT: About = About::new(
        "restore_recipe",
        "Bring a deleted recipe back",
        "Takes a recipe out of the trash, where deleted recipes stay for 30 days. Without `recipe_id` it lists what is in \
         the trash. If another recipe has the title by now, rename that one first.",
    )
    .idempotent()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Back>, Stop> {
        let cookbook = state.cookbook()?;
        Ok(Json(match input.recipe_id {
            Some(id) => Back { restored: Some(cookbook.undelete(id).await?), trash: None },
            None => Back { restored: None, trash: Some(cookbook.trash().await?) },
        }))
    }
}
