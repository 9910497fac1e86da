//! The meal plan.

use crate::auth::Scope;
use crate::id::MealId;
use crate::plan::{Days, Meal, NewMeal};
use crate::store::Answer;

/// Keeps what is eaten when, for the scope's home.
pub trait Plans {
    /// Puts meals on the plan, all or none.
    fn plan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<NewMeal>) -> Answer<'a, Vec<Meal>>;

    /// The meals of these days, in order.
    fn plan<'a>(&'a self, scope: &'a Scope, days: Days) -> Answer<'a, Vec<Meal>>;

    /// Takes meals off the plan, all or none.
    fn unplan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<MealId>) -> Answer<'a, ()>;
}
