//! `tag_recipe`: tags put on a recipe and taken off.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::id::RecipeId;
use crate::recipe::Version;
use crate::tag::Tags;

pub(crate) struct TagRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// Tags to put on it, e.g. `soup`.
    #[serde(default)]
    add: Option<Tags>,
    /// Tags to take off it.
    #[serde(default)]
    remove: Option<Tags>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Tagged {
    /// The recipe.
    id: RecipeId,
    /// All tags it has now.
    tags: Vec<String>,
    /// Its version now.
    version: Version,
}

impl Tool<State> for TagRecipe {
    type In = Input;
    type Out = Json<Tagged>;
    const ABOUT: About = About::new(
        "tag_recipe",
        "Tag a recipe",
        "Puts tags on a recipe, takes others off, and returns all it has then. Case makes no difference.",
    )
    .idempotent()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Tagged>, Stop> {
        let Input { recipe_id, add, remove } = input;
        let (add, remove) = (add.unwrap_or_default().into_vec(), remove.unwrap_or_default().into_vec());
        let recipe = state.cookbook()?.tag(recipe_id, add, remove).await?;
        Ok(Json(Tagged { id: recipe.id, tags: recipe.tags, version: recipe.version }))
    }
}
