//! `share_recipe`: a link to one recipe.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::cookbook::Link;
use crate::id::RecipeId;
use crate::number::Whole;
use crate::share::DEFAULT_DAYS;

pub(crate) struct ShareRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// For how many days the link works; 30 unless given.
    #[serde(default)]
    days: Option<Whole<1, 365>>,
}

impl Tool<State> for ShareRecipe {
    type In = Input;
    type Out = Json<Link>;
    const ABOUT: About = About::new(
        "share_recipe",
        "Share a recipe",
        "Makes a link with which anybody can read this one recipe, and returns its path on the cookbook's web server and \
         when it stops working. Use it when the person wants to give a recipe to somebody outside the family.",
    )
    .additive()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Link>, Stop> {
        let days = input.days.map_or(DEFAULT_DAYS, Whole::get);
        Ok(Json(state.cookbook()?.share(input.recipe_id, days).await?))
    }
}
