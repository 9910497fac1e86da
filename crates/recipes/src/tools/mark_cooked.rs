//! `mark_cooked`: a recipe was cooked.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::id::RecipeId;
use crate::time::Time;

pub(crate) struct MarkCooked;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// When; now unless given.
    #[serde(default)]
    at: Option<Time>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct History {
    /// The recipe.
    id: RecipeId,
    /// How often it was cooked.
    times_cooked: u32,
    /// When it was cooked last.
    last_cooked_at: Option<Time>,
}

impl Tool<State> for MarkCooked {
    type In = Input;
    type Out = Json<History>;
    const ABOUT: About = About::new(
        "mark_cooked",
        "Mark a recipe as cooked",
        "Notes that a recipe was cooked, and returns how often that was. Use it when the person says they made it.",
    )
    .additive()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<History>, Stop> {
        let at = input.at.unwrap_or_else(Time::now);
        let recipe = state.cookbook()?.mark_cooked(input.recipe_id, at).await?;
        let (times_cooked, last_cooked_at) = (recipe.times_cooked, recipe.last_cooked_at);
        Ok(Json(History { id: recipe.id, times_cooked, last_cooked_at }))
    }
}
