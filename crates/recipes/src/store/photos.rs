//! Photos.

use crate::auth::Scope;
use crate::id::{PhotoId, RecipeId};
use crate::photo::{Form, Photo, Picture, Place, Which};
use crate::recipe::Recipe;
use crate::store::Answer;

/// Keeps photos of recipes.
pub trait Photos {
    /// Gives a recipe a photo. The cover and each step have one, whose place the new one takes; the dish has several.
    fn add_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        picture: Picture,
        place: Place,
    ) -> Answer<'a, Recipe>;

    /// Moves a photo. The one that was there is not lost: it shows the dish.
    fn move_photo<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        photo: PhotoId,
        place: Place,
    ) -> Answer<'a, Recipe>;

    /// A photo of a recipe.
    fn photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Photo>;

    /// The small form of a photo, if it was made.
    fn small_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Option<Photo>>;

    /// Keeps another form of a photo, unless that is gone by now. For whoever made it from the photo; the recipe stays as it
    /// is. A small form is of the whole one before, and goes with it.
    fn keep_form<'a>(&'a self, scope: &'a Scope, id: RecipeId, photo: Photo, form: Form) -> Answer<'a, ()>;

    /// Takes a photo of a recipe away.
    fn remove_photo<'a>(&'a self, scope: &'a Scope, id: RecipeId, which: Which) -> Answer<'a, Recipe>;
}
