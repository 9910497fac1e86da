//! Nextcloud Cookbook: a folder for each recipe, with `recipe.json` (which is schema.org) and `full.jpg` beside it.

use std::collections::HashMap;

use bytes::Bytes;

use crate::photo::Picture;

use super::{Image, Imported};

/// What the folders of an archive have, by their path.
#[derive(Default)]
pub(super) struct Folders(HashMap<String, Folder>);

/// The recipe in a folder, and the picture.
#[derive(Default)]
struct Folder {
    recipe: Option<usize>,
    picture: Option<Bytes>,
}

impl Folders {
    fn of(&mut self, name: &str) -> &mut Folder {
        let path = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.0.entry(path.to_owned()).or_default()
    }

    /// Notes where the one recipe of a file went.
    pub(super) fn remember(&mut self, name: &str, place: usize, count: usize) {
        if count == 1 && name.contains('/') {
            self.of(name).recipe = Some(place);
        }
    }

    /// Takes a file that may be a recipe's picture: the largest form there is, not its thumbnails. Says how much it keeps.
    pub(super) fn offer(&mut self, name: &str, bytes: Vec<u8>) -> usize {
        let file = name.rsplit('/').next().unwrap_or(name);
        let is_full = file.starts_with("full.") || file.starts_with("original.");
        if !is_full || Picture::check(&bytes).is_err() {
            return 0;
        }
        let length = bytes.len();
        self.of(name).picture = Some(bytes.into());
        length
    }

    /// Gives the recipes their pictures.
    pub(super) fn attach(self, recipes: &mut [Imported]) {
        for Folder { recipe, picture } in self.0.into_values() {
            if let (Some(recipe), Some(picture)) = (recipe.and_then(|at| recipes.get_mut(at)), picture) {
                recipe.picture = Some(Image::Bytes(picture));
            }
        }
    }
}
