//! `plan_meals`: meals put on the plan and taken off.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::few::Few;
use crate::id::MealId;
use crate::plan::{Meal, NewMeals};

pub(crate) struct PlanMeals;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Each with a recipe or a text.
    #[serde(default)]
    meals: Option<NewMeals>,
    /// Ids of meals to take off.
    #[serde(default)]
    remove: Option<Few<MealId, 100>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Planned {
    /// The meals that were put on the plan.
    planned: Vec<Meal>,
    /// How many were taken off.
    removed: usize,
}

impl Tool<State> for PlanMeals {
    type In = Input;
    type Out = Json<Planned>;
    const ABOUT: About = About::new(
        "plan_meals",
        "Plan meals",
        "Puts meals on the family's plan, and takes others off. A meal is a recipe, or words such as `leftovers`. \
         get_meal_plan shows what is there.",
    )
    .local()
    .core();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Planned>, Stop> {
        let cookbook = state.cookbook()?;
        let (meals, remove) = (input.meals.unwrap_or_default(), input.remove.unwrap_or_default());
        let removed = remove.len();
        if removed > 0 {
            cookbook.unplan_meals(remove.into_vec()).await?;
        }
        let planned =
            if meals.is_empty() { Vec::new() } else { cookbook.plan_meals(meals.into_vec()).await? };
        Ok(Json(Planned { planned, removed }))
    }
}
