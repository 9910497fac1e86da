//! Nextcloud Cookbook: a folder for each recipe, with `recipe.json` (which is schema.org) and `full.jpg` beside it.

use crate::photo::{MOST_BYTES, Picture};

use super::{Image, Imported};

/// A folder of the archive: the recipe in it, and the picture.
pub(super) struct Folder {
    path: String,
    recipe: Option<usize>,
    picture: Option<bytes::Bytes>,
}

fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn find<'a>(folders: &'a mut Vec<Folder>, path: &str) -> &'a mut Folder {
    let at = folders.iter().rposition(|folder| folder.path == path).unwrap_or_else(|| {
        folders.push(Folder { path: path.to_owned(), recipe: None, picture: None });
        folders.len() - 1
    });
    &mut folders[at]
}

/// Notes where the one recipe of a file went.
pub(super) fn remember(folders: &mut Vec<Folder>, name: &str, place: usize, count: usize) {
    if count == 1 && !folder_of(name).is_empty() {
        find(folders, folder_of(name)).recipe = Some(place);
    }
}

/// Takes a file that may be a recipe's picture: the largest form there is, not its thumbnails.
pub(super) fn offer(folders: &mut Vec<Folder>, name: &str, bytes: &[u8]) {
    let file = name.rsplit('/').next().unwrap_or(name);
    let is_full = file.starts_with("full.") || file.starts_with("original.");
    if is_full && bytes.len() <= MOST_BYTES {
        find(folders, folder_of(name)).picture = Some(bytes::Bytes::copy_from_slice(bytes));
    }
}

/// Gives the recipes their pictures.
pub(super) fn attach(folders: Vec<Folder>, recipes: &mut [Imported]) {
    for Folder { recipe, picture, .. } in folders {
        if let (Some(recipe), Some(picture)) = (recipe.and_then(|at| recipes.get_mut(at)), picture)
            && Picture::new(picture.clone()).is_ok()
        {
            recipe.picture = Some(Image::Bytes(picture));
        }
    }
}
