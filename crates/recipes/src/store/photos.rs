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

    /// Takes the photo of a recipe away.
    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe>;
}
