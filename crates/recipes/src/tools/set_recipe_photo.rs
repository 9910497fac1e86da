//! `set_recipe_photo`: a picture file of this machine becomes the photo of a recipe.

use std::path::Path;

use bytes::Bytes;
use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::error::Error;
use crate::id::{PhotoId, RecipeId};
use crate::photo::{MOST_UPLOAD, Picture};
use crate::recipe::Version;
use crate::text::Text;

pub(crate) struct SetRecipePhoto;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// The absolute path of a JPEG, PNG, WebP or GIF file of at most 25 MB.
    file_path: Text<1, 4_096>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Photographed {
    /// The recipe.
    id: RecipeId,
    /// Its new photo.
    photo_id: Option<PhotoId>,
    /// Its version now.
    version: Version,
}

impl Tool<State> for SetRecipePhoto {
    type In = Input;
    type Out = Json<Photographed>;
    const ABOUT: About = About::new(
        "set_recipe_photo",
        "Set a recipe's photo",
        "Makes a picture file of this machine the photo of a recipe, in place of the one it had. Use it when the person \
         names a picture of the dish.",
    )
    .idempotent()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Photographed>, Stop> {
        let Input { recipe_id, file_path } = input;
        // Who cannot see the recipe, or may not change it, learns nothing about files.
        state.cookbook()?.recipe(recipe_id).await?;
        state.cookbook()?.may_write().await?;
        let roots = if cx.caller().remote { &state.remote } else { &state.local };
        let wrong = |reason: &dyn std::fmt::Display| Error::invalid("file_path", reason);
        let place = roots.resolve(Path::new(file_path.as_str())).map_err(|error| wrong(&error))?;
        let file = place.read(MOST_UPLOAD as u64).map_err(|error| wrong(&error))?;
        let picture = Picture::new(Bytes::copy_from_slice(file.bytes())).map_err(|error| wrong(&error))?;
        let recipe = state.cookbook()?.set_photo(recipe_id, picture).await?;
        Ok(Json(Photographed { id: recipe.id, photo_id: recipe.photo_id, version: recipe.version }))
    }
}
