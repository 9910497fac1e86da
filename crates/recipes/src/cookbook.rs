//! What tools talk to: the store itself, or the REST API of another process.

mod embedded;
mod refusal;
mod remote;

use crate::draft::{Changes, Draft, OnceKey};
use crate::id::{MealId, RecipeId};
use crate::listing::{ListQuery, Listing};
use crate::photo::Picture;
use crate::plan::{Days, Meal, NewMeal};
use crate::recipe::Recipe;
use crate::search::{Hits, SearchQuery};
use crate::shopping::{ListChange, ListName, ShoppingList};
use crate::store::Answer;
use crate::tag::Tag;
use crate::time::Time;
use crate::written::Written;

pub use embedded::Embedded;
pub use remote::Remote;

/// A cookbook as one person, or one program, sees it. Each method is one request to the API, or one call of the store.
pub trait Cookbook: Send + Sync {
    /// Recipes in the order of their titles, as JSON that is passed on as it is.
    fn list(&self, query: ListQuery) -> Answer<'_, Listing>;
    /// A recipe with its details.
    fn recipe(&self, id: RecipeId) -> Answer<'_, Recipe>;
    /// The same as JSON.
    fn written_recipe(&self, id: RecipeId) -> Answer<'_, Written>;
    /// Makes a recipe. Sent twice with one key, it is made once.
    fn create(&self, draft: Draft, once: OnceKey) -> Answer<'_, Recipe>;
    /// Changes a recipe.
    fn update(&self, id: RecipeId, changes: Changes) -> Answer<'_, Recipe>;
    /// Puts a recipe into the trash.
    fn delete(&self, id: RecipeId) -> Answer<'_, ()>;
    /// Finds recipes by words.
    fn search(&self, query: SearchQuery) -> Answer<'_, Hits>;
    /// Puts tags on a recipe and takes others off.
    fn tag(&self, id: RecipeId, add: Vec<Tag>, remove: Vec<Tag>) -> Answer<'_, Recipe>;
    /// Gives a recipe a photo.
    fn set_photo(&self, id: RecipeId, picture: Picture) -> Answer<'_, Recipe>;
    /// Notes that a recipe was cooked.
    fn mark_cooked(&self, id: RecipeId, at: Time) -> Answer<'_, Recipe>;
    /// Puts meals on the plan.
    fn plan_meals(&self, meals: Vec<NewMeal>) -> Answer<'_, Vec<Meal>>;
    /// Takes meals off the plan.
    fn unplan_meals(&self, meals: Vec<MealId>) -> Answer<'_, ()>;
    /// The meals of these days.
    fn plan(&self, days: Days) -> Answer<'_, Vec<Meal>>;
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
    /// Its path on the web server of the cookbook: `/share/…`.
    pub path: String,
    /// When it stops working.
    pub expires_at: Time,
}
