//! The meal plan.

use crate::auth::Scope;
use crate::id::MealId;
use crate::plan::{Days, Meal, NewMeal, Shopped, ToShop};
use crate::shopping::ListName;
use crate::store::Answer;

/// Keeps what is eaten when, for the scope's home.
pub trait Plans {
    /// Puts meals on the plan, all or none.
    fn plan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<NewMeal>) -> Answer<'a, Vec<Meal>>;

    /// The meals of these days, in order.
    fn plan<'a>(&'a self, scope: &'a Scope, days: Days) -> Answer<'a, Vec<Meal>>;

    /// Puts what the meals of these days need on a shopping list, all of it or nothing, and notes for each meal that it was
    /// done: asked again, nothing is added twice.
    fn shop_for_meals<'a>(
        &'a self,
        scope: &'a Scope,
        days: Days,
        list: ListName,
        which: ToShop,
    ) -> Answer<'a, Shopped>;

    /// Takes meals off the plan, all or none.
    fn unplan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<MealId>) -> Answer<'a, ()>;
}
