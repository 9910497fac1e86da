//! Photos.

use crate::auth::Scope;
use crate::id::RecipeId;
use crate::photo::{Photo, Picture};
use crate::recipe::Recipe;
use crate::store::Answer;

/// Keeps photos of recipes.
pub trait Photos {
    /// Gives a recipe a photo in place of the one it had.
    fn set_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, picture: Picture) -> Answer<'a, Recipe>;

    /// The photo of a recipe.
    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Photo>;

    /// The small form of a recipe's photo, if it was made.
    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Option<Photo>>;

    /// Keeps the small form of a photo, unless the recipe has another photo by now. For whoever made it from the photo.
    fn keep_small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, small: Photo) -> Answer<'a, ()>;

    /// Takes the photo of a recipe away.
    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe>;
}
