//! `get_meal_plan`: the meals of some days.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::error::Error;
use crate::plan::{Days, Meal};
use crate::time::Day;

pub(crate) struct GetMealPlan;

/// A week, from its first day.
const WEEK: i32 = 6;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The first day, e.g. `2026-11-15`; today unless given.
    #[serde(default)]
    from: Option<Day>,
    /// The last day; by default six days later.
    #[serde(default)]
    to: Option<Day>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Plan {
    /// The first day.
    from: Day,
    /// The last day.
    to: Day,
    /// The meals, in order.
    meals: Vec<Meal>,
}

impl Tool<State> for GetMealPlan {
    type In = Input;
    type Out = Json<Plan>;
    const ABOUT: About = About::new(
        "get_meal_plan",
        "Read the meal plan",
        "Returns what the family eats on some days, by default a week from today.",
    )
    .read_only()
    .local()
    .core();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Plan>, Stop> {
        let cookbook = state.cookbook()?;
        let from = match input.from {
            Some(from) => from,
            None => cookbook.today().await?,
        };
        let to = input.to.unwrap_or(from.plus(WEEK));
        let days = Days::new(from, to).map_err(|error| Error::invalid("to", error))?;
        Ok(Json(Plan { from, to, meals: cookbook.plan(days).await? }))
    }
}
