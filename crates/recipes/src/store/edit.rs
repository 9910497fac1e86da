//! What a write makes of a recipe, on every engine.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::auth::Scope;
use crate::draft::{Changes, Draft};
use crate::error::Error;
use crate::id::RecipeId;
use crate::recipe::{Placed, Recipe, Version};
use crate::store::album;
use crate::tag::Tag;
use crate::time::Time;
use crate::title::Key;

/// How long a recipe stays in the trash, in days.
const TRASH_DAYS: i64 = 30;

/// What went into the trash before this goes for good, when the next recipe of the family goes there.
pub(super) fn end_of_trash() -> Time {
    Time::now().plus_days(-TRASH_DAYS)
}

/// The most tags a recipe may have.
const MOST_TAGS: usize = 50;

/// A short list as a column has it.
pub(super) fn json<T: Serialize>(list: &[T]) -> String {
    // Writing our own types does not fail: they have string keys and no failing parts.
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}

/// A short list from its column.
pub(super) fn listed<T: DeserializeOwned>(json: &str) -> Vec<T> {
    if json == "[]" { Vec::new() } else { serde_json::from_str(json).unwrap_or_default() }
}

/// What of a recipe is written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) tags: bool,
    pub(super) ingredients: bool,
    pub(super) steps: bool,
}

impl Parts {
    pub(super) const ALL: Parts = Parts { tags: true, ingredients: true, steps: true };
    pub(super) const NONE: Parts = Parts { tags: false, ingredients: false, steps: false };
}

/// The first version of a recipe.
pub(super) fn new_recipe(scope: &Scope, draft: Draft) -> Result<Recipe, Error> {
    let now = Time::now();
    Ok(Recipe {
        id: RecipeId::new(),
        title: draft.title,
        description: draft.description,
        prep_time_minutes: draft.prep_time_minutes,
        cook_time_minutes: draft.cook_time_minutes,
        servings: draft.servings,
        difficulty: draft.difficulty,
        rating: draft.rating,
        yield_text: draft.yield_text,
        source_url: draft.source_url,
        notes: draft.notes,
        nutrition: draft.nutrition,
        tags: in_order(draft.tags.unwrap_or_default().iter().map(ToString::to_string))?,
        photo_id: None,
        photos: Vec::new(),
        times_cooked: 0,
        last_cooked_at: None,
        version: Version(1),
        created_at: now,
        created_by: scope.author(),
        updated_at: now,
        updated_by: scope.author(),
        ingredients: Placed::in_order(draft.ingredients.unwrap_or_default().into_vec()),
        steps: Placed::in_order(draft.steps.unwrap_or_default().into_vec()),
    })
}

/// Refuses what was meant for another version.
pub(super) fn is_current(recipe: &Recipe, expected: Option<Version>) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != recipe.version => Err(Error::Stale { current: recipe.version }),
        Some(_) | None => Ok(()),
    }
}

/// One version more, and who did it.
pub(super) fn sign(recipe: &mut Recipe, scope: &Scope) {
    recipe.version.0 += 1;
    // Later than before, whatever the clock says; and what an archive says may be the end of time.
    let later = Time::from_millis(recipe.updated_at.millis() + 1).min(Time::LAST);
    recipe.updated_at = Time::now().max(later);
    recipe.updated_by = scope.author();
}

/// Changes what the changes name.
pub(super) fn apply(recipe: &mut Recipe, changes: Changes) -> Parts {
    let parts = Parts {
        tags: changes.tags.is_some(),
        ingredients: changes.ingredients.is_some(),
        steps: changes.steps.is_some(),
    };
    if let Some(title) = changes.title {
        recipe.title = title;
    }
    changes.description.apply(&mut recipe.description);
    changes.prep_time_minutes.apply(&mut recipe.prep_time_minutes);
    changes.cook_time_minutes.apply(&mut recipe.cook_time_minutes);
    changes.servings.apply(&mut recipe.servings);
    changes.difficulty.apply(&mut recipe.difficulty);
    changes.rating.apply(&mut recipe.rating);
    changes.yield_text.apply(&mut recipe.yield_text);
    changes.source_url.apply(&mut recipe.source_url);
    changes.notes.apply(&mut recipe.notes);
    changes.nutrition.apply(&mut recipe.nutrition);
    if let Some(tags) = changes.tags {
        recipe.tags = unique(tags.iter().map(ToString::to_string));
    }
    if let Some(ingredients) = changes.ingredients {
        recipe.ingredients = Placed::in_order(ingredients.into_vec());
    }
    if let Some(steps) = changes.steps {
        let before = std::mem::replace(&mut recipe.steps, Placed::in_order(steps.into_vec()));
        album::follow(&before, recipe);
    }
    parts
}

/// Puts tags on and takes others off.
pub(super) fn retag(recipe: &mut Recipe, add: &[Tag], remove: &[Tag]) -> Result<Parts, Error> {
    let kept = recipe.tags.iter().filter(|tag| !contains(remove, tag)).cloned();
    let new = add.iter().map(ToString::to_string);
    recipe.tags = in_order(kept.chain(new))?;
    Ok(Parts { tags: true, ..Parts::NONE })
}

/// Once more.
pub(super) fn cooked(recipe: &mut Recipe, at: Time) {
    recipe.times_cooked = recipe.times_cooked.saturating_add(1);
    recipe.last_cooked_at = recipe.last_cooked_at.max(Some(at));
}

/// What only a person can do.
pub(super) fn no_person() -> Error {
    Error::invalid("X-User-Email", "favourites belong to a person; say who it is")
}

fn contains(tags: &[Tag], tag: &str) -> bool {
    let key = Key::of(tag);
    tags.iter().any(|tag| Key::of(tag.as_str()) == key)
}

/// In alphabetical order; of those that differ in case only the first.
pub(super) fn unique(tags: impl Iterator<Item = String>) -> Vec<String> {
    let mut keyed: Vec<(Key, String)> = tags.map(|tag| (Key::of(&tag), tag)).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    keyed.dedup_by(|(one, _), (other, _)| one == other);
    keyed.sort_by_cached_key(|(key, _)| key.for_sorting());
    keyed.into_iter().map(|(_, tag)| tag).collect()
}

/// As [`unique`], unless there are too many.
fn in_order(tags: impl Iterator<Item = String>) -> Result<Vec<String>, Error> {
    let tags = unique(tags);
    if tags.len() > MOST_TAGS {
        return Err(Error::invalid(
            "tags",
            format!("a recipe has at most {MOST_TAGS} tags; remove some first"),
        ));
    }
    Ok(tags)
}
