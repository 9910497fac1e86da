//! Recipes: making, reading, changing, finding.

use crate::auth::Scope;
use crate::card::{CardQuery, Cards, Trashed};
use crate::draft::{Changes, Draft, OnceKey};
use crate::id::RecipeId;
use crate::listing::{ListQuery, Listing, Revision};
use crate::recipe::{Recipe, Version};
use crate::search::{Hits, SearchQuery};
use crate::store::Answer;
use crate::tag::{Tag, TagCount};
use crate::time::Time;
use crate::title::Title;

/// Keeps recipes.
pub trait Recipes {
    /// Makes a recipe in the scope's home. With a key that was used before, gives what was made then.
    fn create_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        draft: Draft,
        once: Option<OnceKey>,
    ) -> Answer<'a, Recipe>;

    /// A recipe with its details.
    fn recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe>;

    /// Changes a recipe, and gives it as it is then.
    fn update_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId, changes: Changes) -> Answer<'a, Recipe>;

    /// Puts a recipe into the trash, if it still has the version that is expected. Its title is free at once.
    fn delete_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        expected: Option<Version>,
    ) -> Answer<'a, ()>;

    /// What is in the trash, last deleted first.
    fn trash<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Trashed>>;

    /// Takes a recipe out of the trash.
    fn undelete_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe>;

    /// Removes for good what went into the trash before this time, and says how many those were.
    fn empty_trash<'a>(&'a self, scope: &'a Scope, before: Time) -> Answer<'a, u64>;

    /// Recipes in the order of their titles, as JSON.
    fn list_recipes<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing>;

    /// What [`Listing::revision`] would be now.
    fn revision<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Revision>;

    /// Recipes by words.
    fn search_recipes<'a>(&'a self, scope: &'a Scope, query: SearchQuery) -> Answer<'a, Hits>;

    /// For each of these titles, the recipe of the scope's home that has it.
    fn titled<'a>(&'a self, scope: &'a Scope, titles: Vec<Title>) -> Answer<'a, Vec<Option<RecipeId>>>;

    /// Every tag in use, in alphabetical order.
    fn tags<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<TagCount>>;

    /// Puts tags on a recipe and takes others off.
    fn tag_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        add: Vec<Tag>,
        remove: Vec<Tag>,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe>;

    /// Notes that a recipe was cooked, if it still has the version that is expected.
    fn mark_cooked<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        at: Time,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe>;

    /// What the list page shows, all of it at once.
    fn cards<'a>(&'a self, scope: &'a Scope, query: CardQuery) -> Answer<'a, Cards>;

    /// Whether the person of this scope likes a recipe best.
    fn is_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, bool>;

    /// Notes whether the person of this scope likes a recipe best.
    fn set_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId, is_favourite: bool) -> Answer<'a, ()>;
}
