//! `set_recipe_photo`: a picture file of this machine becomes a photo of a recipe.

use std::path::Path;

use bytes::Bytes;
use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::error::Error;
use crate::id::{PhotoId, RecipeId};
use crate::number::Whole;
use crate::photo::{MOST_UPLOAD, Picture, Place};
use crate::recipe::{Recipe, RecipePhoto, Version};
use crate::text::Text;

pub(crate) struct SetRecipePhoto;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// The absolute path of a JPEG, PNG, WebP or GIF file of at most 25 MB.
    file_path: Text<1, 4_096>,
    /// The number of the step it shows, counted from 1. Leave it out for a picture of the dish.
    #[serde(default)]
    step: Option<Whole<1, 300>>,
    /// True to add it to the photos of the dish; else it takes the place of the main one.
    #[serde(default)]
    add: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Photographed {
    /// The recipe.
    id: RecipeId,
    /// The photo of the dish that stands for the recipe.
    photo_id: Option<PhotoId>,
    /// All its photos; `step` is the position, counted from 0, of the step that one shows.
    photos: Vec<RecipePhoto>,
    /// Its version now.
    version: Version,
}

impl Tool<State> for SetRecipePhoto {
    type In = Input;
    type Out = Json<Photographed>;
    const ABOUT: About = About::new(
        "set_recipe_photo",
        "Set a recipe's photo",
        "Makes a picture file of this machine a photo of a recipe: the main photo of the dish, in place of the one it had, \
         one more of the dish with `add`, or that of a step with `step`. Use it when the person names a picture of the dish \
         or of a step.",
    )
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Photographed>, Stop> {
        let Input { recipe_id, file_path, step, add } = input;
        // Who cannot see the recipe, or may not change it, learns nothing about files.
        state.cookbook()?.recipe(recipe_id).await?;
        state.cookbook()?.may_write().await?;
        let roots = if cx.caller().remote { &state.remote } else { &state.local };
        let wrong = |reason: &dyn std::fmt::Display| Error::invalid("file_path", reason);
        let named = roots.resolve(Path::new(file_path.as_str())).map_err(|error| wrong(&error))?;
        let file = named.read(MOST_UPLOAD as u64).map_err(|error| wrong(&error))?;
        let picture = Picture::new(Bytes::copy_from_slice(file.bytes())).map_err(|error| wrong(&error))?;
        let place = match step.map(|step| u32::try_from(step.get() - 1)) {
            Some(Ok(position)) => Place::Step(position),
            Some(Err(_)) | None if add => Place::Last,
            Some(Err(_)) | None => Place::Cover,
        };
        let recipe = state.cookbook()?.add_photo(recipe_id, picture, place).await?;
        let Recipe { id, photo_id, photos, version, .. } = recipe;
        Ok(Json(Photographed { id, photo_id, photos, version }))
    }
}
