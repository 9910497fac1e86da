//! Recipes that were read, as JSON: one that has not changed since is not put together again.

use std::collections::HashMap;

use crate::id::{FamilyId, PhotoId, RecipeId};
use crate::recipe::{Recipe, Version};
use crate::time::Time;
use crate::written::Written;

/// Memory for them: some hundreds.
const MOST_BYTES: usize = 1024 * 1024;

/// Differs between two states of a recipe. The version alone may come again when a backup is restored, and the photo comes
/// back after the recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) family: FamilyId,
    pub(super) version: Version,
    pub(super) updated_at: Time,
    pub(super) photo: Option<PhotoId>,
}

impl Stamp {
    pub(super) fn of(family: FamilyId, recipe: &Recipe) -> Stamp {
        let Recipe { version, updated_at, photo_id, .. } = *recipe;
        Stamp { family, version, updated_at, photo: photo_id }
    }
}

#[derive(Debug, Default)]
pub(super) struct KeptRecipes {
    by_id: HashMap<RecipeId, (Stamp, Written)>,
    bytes: usize,
}

impl KeptRecipes {
    /// The recipe as it was last, if it is here. Only whoever may read it now, and finds it in the same state, may have it.
    pub(super) fn get(&self, id: RecipeId) -> Option<(Stamp, Written)> {
        self.by_id.get(&id).cloned()
    }

    /// Keeps a recipe. When there is no room, all others are forgotten: nobody has to count who reads what.
    pub(super) fn put(&mut self, id: RecipeId, stamp: Stamp, written: Written) {
        let length = written.json().len();
        if length > MOST_BYTES {
            return;
        }
        if self.bytes + length > MOST_BYTES {
            *self = KeptRecipes::default();
        }
        self.bytes += length;
        let before = self.by_id.insert(id, (stamp, written));
        self.bytes -= before.map_or(0, |(_, written)| written.json().len());
    }
}

#[cfg(test)]
mod tests {
    use super::{KeptRecipes, MOST_BYTES, Stamp};
    use crate::id::{FamilyId, RecipeId};
    use crate::recipe::{Recipe, Version};
    use crate::time::Time;
    use crate::written::Written;

    fn recipe(notes: usize) -> (Stamp, Written) {
        let json = serde_json::json!({ "id": RecipeId::new(), "title": "Soup", "notes": "x".repeat(notes), "version": 1,
            "created_at": Time::now(), "updated_at": Time::now(), "ingredients": [], "steps": [] });
        let recipe: Recipe = serde_json::from_value(json).expect("a recipe");
        let stamp = Stamp::of(FamilyId::new(), &recipe);
        (stamp, Written::new(&recipe).expect("written"))
    }

    #[test]
    fn a_recipe_is_kept_as_it_was_last() {
        let ((stamp, written), id) = (recipe(0), RecipeId::new());
        let mut kept = KeptRecipes::default();
        assert!(kept.get(id).is_none());
        kept.put(id, stamp, written);
        let (later, changed) = (Stamp { version: Version(2), ..stamp }, recipe(1).1);
        kept.put(id, later, changed.clone());
        let (then, last) = kept.get(id).expect("kept");
        assert_eq!((then, last.json()), (later, changed.json()));
    }

    #[test]
    fn memory_is_bounded_and_counted() {
        let (stamp, written) = recipe(9_000);
        let mut kept = KeptRecipes::default();
        for _ in 0..1_000 {
            kept.put(RecipeId::new(), stamp, written.clone());
            let there: usize = kept.by_id.values().map(|(_, written)| written.json().len()).sum();
            assert!(there == kept.bytes && there <= MOST_BYTES && there > 0);
        }
        let id = RecipeId::new();
        kept.put(id, stamp, written.clone());
        let before = kept.bytes;
        kept.put(id, stamp, written);
        assert_eq!(kept.bytes, before, "the same recipe counts once");
    }
}
