//! What is eaten when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::few::Few;
use crate::id::{MealId, RecipeId};
use crate::number::Servings;
use crate::text::Text;
use crate::time::Day;

/// How many days one question about the plan may span.
pub const MOST_DAYS: i32 = 366;

/// The time of day of a meal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Slot {
    /// In the morning.
    Breakfast,
    /// At noon.
    Lunch,
    /// In the evening.
    #[default]
    Dinner,
    /// In between.
    Snack,
}

impl Slot {
    /// All of them, in the order of a day.
    pub const ALL: [Slot; 4] = [Slot::Breakfast, Slot::Lunch, Slot::Dinner, Slot::Snack];

    /// As JSON writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Slot::Breakfast => "breakfast",
            Slot::Lunch => "lunch",
            Slot::Dinner => "dinner",
            Slot::Snack => "snack",
        }
    }
}

/// A meal to be planned: a recipe, or words such as `leftovers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NewMeal {
    /// The day, e.g. `2026-11-15`.
    pub day: Day,
    /// The time of day; dinner unless given.
    #[serde(default)]
    pub slot: Slot,
    /// The recipe to cook.
    #[serde(default)]
    pub recipe_id: Option<RecipeId>,
    /// What there is instead of a recipe, or a remark.
    #[serde(default)]
    pub text: Option<Text<0, 500>>,
    /// For how many people.
    #[serde(default)]
    pub servings: Option<Servings>,
}

/// Meals to be planned.
pub type NewMeals = Few<NewMeal, 100>;

/// A planned meal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Meal {
    /// Its id, to take it off the plan.
    pub id: MealId,
    /// The day.
    pub day: Day,
    /// The time of day.
    pub slot: Slot,
    /// The recipe to cook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_id: Option<RecipeId>,
    /// The recipe's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What there is instead, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// For how many people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servings: Option<Servings>,
}

/// Days from the first to the last, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first.
    pub first: Day,
    /// The last.
    pub last: Day,
}

/// Days in the wrong order, or too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the last day must be the first or up to {MOST_DAYS} days after it")]
pub struct NoDays;

impl Days {
    /// Checked for order and number.
    pub fn new(first: Day, last: Day) -> Result<Days, NoDays> {
        let spans = i64::from(last.number()) - i64::from(first.number());
        if (0..=i64::from(MOST_DAYS)).contains(&spans) { Ok(Days { first, last }) } else { Err(NoDays) }
    }
}
