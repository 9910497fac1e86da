//! What tools talk to: the store itself, or the REST API of another process.

mod embedded;
mod refusal;
mod remote;

use crate::card::Trashed;
use crate::draft::{Changes, Draft, OnceKey};
use crate::id::{MealId, RecipeId};
use crate::listing::{ListQuery, Listing};
use crate::photo::{Picture, Place};
use crate::plan::{Days, Meal, NewMeal, Shopped};
use crate::recipe::Recipe;
use crate::search::{Hits, SearchQuery};
use crate::shopping::{ListChange, ListName, ShoppingList};
use crate::store::Answer;
use crate::tag::Tag;
use crate::time::{Day, Time};

pub use embedded::Embedded;
pub use remote::Remote;

/// A cookbook as one person, or one program, sees it. Each method is one request to the API, or one call of the store.
pub trait Cookbook: Send + Sync {
    /// Recipes in the order of their titles, as JSON that is passed on as it is.
    fn list(&self, query: ListQuery) -> Answer<'_, Listing>;
    /// A recipe with its details.
    fn recipe(&self, id: RecipeId) -> Answer<'_, Recipe>;
    /// Makes a recipe. Sent twice with one key, it is made once.
    fn create(&self, draft: Draft, once: OnceKey) -> Answer<'_, Recipe>;
    /// Changes a recipe.
    fn update(&self, id: RecipeId, changes: Changes) -> Answer<'_, Recipe>;
    /// Puts a recipe into the trash.
    fn delete(&self, id: RecipeId) -> Answer<'_, ()>;
    /// What is in the trash, last deleted first.
    fn trash(&self) -> Answer<'_, Vec<Trashed>>;
    /// Takes a recipe out of the trash.
    fn undelete(&self, id: RecipeId) -> Answer<'_, Recipe>;
    /// Finds recipes by words.
    fn search(&self, query: SearchQuery) -> Answer<'_, Hits>;
    /// Puts tags on a recipe and takes others off.
    fn tag(&self, id: RecipeId, add: Vec<Tag>, remove: Vec<Tag>) -> Answer<'_, Recipe>;
    /// Gives a recipe a photo.
    fn add_photo(&self, id: RecipeId, picture: Picture, place: Place) -> Answer<'_, Recipe>;
    /// Notes that a recipe was cooked.
    fn mark_cooked(&self, id: RecipeId, at: Time) -> Answer<'_, Recipe>;
    /// Puts meals on the plan.
    fn plan_meals(&self, meals: Vec<NewMeal>) -> Answer<'_, Vec<Meal>>;
    /// Takes meals off the plan.
    fn unplan_meals(&self, meals: Vec<MealId>) -> Answer<'_, ()>;
    /// The meals of these days.
    fn plan(&self, days: Days) -> Answer<'_, Vec<Meal>>;
    /// The day it is where the family lives.
    fn today(&self) -> Answer<'_, Day>;
    /// Puts what the planned meals of these days need on a list, each meal once.
    fn shop_for_meals(&self, days: Days, list: ListName) -> Answer<'_, Shopped>;
    /// Fails unless recipes may be written. Asked before anything is fetched for somebody.
    fn may_write(&self) -> Answer<'_, ()>;
    /// A shopping list.
    fn shopping_list(&self, name: ListName) -> Answer<'_, ShoppingList>;
    /// Changes a shopping list.
    fn change_shopping_list(&self, name: ListName, change: ListChange) -> Answer<'_, ShoppingList>;
    /// Makes a link to a recipe that works for so many days.
    fn share(&self, id: RecipeId, days: i64) -> Answer<'_, Link>;
}

/// A link to a recipe, shown once.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Link {
    /// The whole address, where it is known which one the pages have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its path below the address of the pages: `/share/…`.
    pub path: String,
    /// What to do so that others can open it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// When it stops working.
    pub expires_at: Time,
}
