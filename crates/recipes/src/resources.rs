//! Resources: a recipe and the plan of the week, for clients that attach context without a call of a tool.

use mcp::{Address, Cx, Fail, Item, Resource, ResourceAbout, Server, Stop};

use crate::State;
use crate::error::Error;
use crate::id::RecipeId;
use crate::plan::Days;

/// Days of a week after its first.
const WEEK: i32 = 6;

const JSON: &str = "application/json";

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server.resource(OneRecipe).resource(PlanOfTheWeek)
}

struct OneRecipe;

impl Resource<State> for OneRecipe {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "recipe://{id}",
        name: "recipe",
        title: "A recipe",
        description: "A recipe with its ingredients and steps, by its id.",
        mime: JSON,
        completes: false,
        meta: None,
    };

    async fn read(&self, state: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        // What the protocol says about resources goes before the codes of our tools.
        let missing = || Fail::resource_not_found(&at.uri);
        let id: RecipeId = at.variable("id").parse().map_err(|_| missing())?;
        let recipe = match state.cookbook()?.recipe(id).await {
            Err(Error::NotFound { .. }) => return Err(missing().into()),
            other => other?,
        };
        let text = serde_json::to_string(&recipe).map_err(Error::unavailable)?;
        Ok(vec![Item::text(at.uri, JSON, text)])
    }
}

struct PlanOfTheWeek;

impl Resource<State> for PlanOfTheWeek {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "plan://week",
        name: "plan",
        title: "The meal plan of the week",
        description: "What the family eats in the seven days from today.",
        mime: JSON,
        completes: false,
        meta: None,
    };

    async fn read(&self, state: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        let today = state.cookbook()?.today().await?;
        let days = Days::new(today, today.plus(WEEK)).map_err(|error| Error::invalid("to", error))?;
        let meals = state.cookbook()?.plan(days).await?;
        let text = serde_json::to_string(&meals).map_err(Error::unavailable)?;
        Ok(vec![Item::text(at.uri, JSON, text)])
    }
}
