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
    /// The recipe in this state, if it is here.
    pub(super) fn get(&self, id: RecipeId, now: Stamp) -> Option<Written> {
        self.by_id.get(&id).filter(|(then, _)| *then == now).map(|(_, written)| written.clone())
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
    use crate::id::{FamilyId, PhotoId, RecipeId};
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
    fn a_recipe_in_another_state_is_not_the_one_that_was_kept() {
        let ((stamp, written), id) = (recipe(0), RecipeId::new());
        let mut kept = KeptRecipes::default();
        kept.put(id, stamp, written.clone());
        assert_eq!(kept.get(id, stamp).map(|kept| kept.json().to_owned()).as_deref(), Some(written.json()));
        let others = [
            Stamp { version: Version(2), ..stamp },
            Stamp { updated_at: stamp.updated_at.plus_days(1), ..stamp },
            Stamp { family: FamilyId::new(), ..stamp },
            Stamp { photo: Some(PhotoId::new()), ..stamp },
        ];
        assert!(others.iter().all(|other| kept.get(id, *other).is_none()));
        assert!(kept.get(RecipeId::new(), stamp).is_none());
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
