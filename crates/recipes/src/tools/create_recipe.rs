//! `create_recipe`: a new recipe.

use mcp::{About, Cx, Json, Stop, Tool};

use crate::State;
use crate::draft::{Draft, OnceKey};
use crate::error::Error;
use crate::recipe::Recipe;
use crate::secret::Secret;

pub(crate) struct CreateRecipe;

impl Tool<State> for CreateRecipe {
    type In = Draft;
    type Out = Json<Recipe>;
    const ABOUT: About = About::new(
        "create_recipe",
        "Create a recipe",
        "Adds a recipe to the family's cookbook and returns it with its id. Only the title is required; no other recipe \
         may have it. Use it when the person wants a recipe kept.",
    )
    .additive()
    .local()
    .core();

    async fn call(&self, state: &State, _: &Cx, draft: Draft) -> Result<Json<Recipe>, Stop> {
        // Its own key for every call: what is sent again after a lost answer is made once.
        let key = Secret::new().map_err(Error::unavailable)?;
        let once = OnceKey::new(key.reveal()).ok_or_else(|| Error::invalid("idempotency_key", "is empty"))?;
        Ok(Json(state.cookbook()?.create(draft, once).await?))
    }
}
