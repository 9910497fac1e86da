//! What is eaten when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::few::Few;
use crate::id::{MealId, RecipeId};
use crate::number::Servings;
use crate::recipe::Recipe;
use crate::scale::{Scale, scale};
use crate::shopping::{self, NewItem};
use crate::text::Text;
use crate::time::Day;

/// How many days one question about the plan may span.
pub const MOST_DAYS: i32 = 366;

/// What there is instead of a recipe, or a remark.
pub type MealText = Text<0, 500>;

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

    /// Its place in the day, as stores keep it.
    pub(crate) fn place(self) -> i64 {
        (0..).zip(Slot::ALL).find(|(_, slot)| *slot == self).map_or(0, |(place, _)| place)
    }

    /// The one at this place.
    pub(crate) fn at(place: i64) -> Option<Slot> {
        Slot::ALL.get(usize::try_from(place).ok()?).copied()
    }

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
    /// The time of day.
    #[serde(default)]
    pub slot: Slot,
    /// The recipe to cook.
    #[serde(default)]
    pub recipe_id: Option<RecipeId>,
    /// What there is instead of a recipe, or a remark.
    #[serde(default)]
    pub text: Option<MealText>,
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
    /// Whether what it needs was put on a shopping list.
    #[serde(default, skip_serializing_if = "is_not")]
    pub shopped: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_not(shopped: &bool) -> bool {
    !*shopped
}

impl Meal {
    /// The meal that somebody wants; its title is looked up.
    pub(crate) fn planned(new: NewMeal) -> Result<Meal, Error> {
        let NewMeal { day, slot, recipe_id, text, servings } = new;
        let text = text.filter(|text| !text.is_empty()).map(Text::into_string);
        if recipe_id.is_none() && text.is_none() {
            return Err(Error::invalid("meals", "a meal needs a `recipe_id` or a `text`"));
        }
        Ok(Meal { id: MealId::new(), day, slot, recipe_id, title: None, text, servings, shopped: false })
    }
}

/// What became of the meals that were to be shopped for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shopped {
    /// Meals whose ingredients were put on the list.
    pub added: u32,
    /// Meals whose ingredients were put there before.
    pub before: u32,
    /// Meals whose recipe is in the trash.
    pub without_recipe: u32,
}

/// Which meals to shop for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToShop {
    /// Those nobody has shopped for.
    New,
    /// All of them, also a second time.
    All,
}

/// What the meals of some days need: their recipes, with the servings that were planned, and what becomes of them.
pub(crate) fn to_shop(meals: &[Meal], which: ToShop) -> (Vec<&Meal>, Shopped) {
    let mut shopped = Shopped::default();
    let meals = meals.iter().filter(|meal| match (meal.recipe_id, &meal.title) {
        (Some(_), None) => {
            shopped.without_recipe += 1;
            false
        }
        (Some(_), Some(_)) if meal.shopped && which == ToShop::New => {
            shopped.before += 1;
            false
        }
        (Some(_), Some(_)) => {
            shopped.added += 1;
            true
        }
        (None, _) => false,
    });
    (meals.collect(), shopped)
}

/// What to buy for a meal.
pub(crate) fn needed(mut recipe: Recipe, servings: Option<Servings>) -> Vec<NewItem> {
    if let (Some(wanted), Some(_)) = (servings, recipe.servings) {
        // A recipe that says for how many it is can be scaled.
        let _ = scale(&mut recipe, &Scale::Servings(wanted));
    }
    shopping::needed(recipe).collect()
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
