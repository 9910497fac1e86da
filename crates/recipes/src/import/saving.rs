//! What was read goes into the cookbook.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cookbook::Cookbook;
use crate::draft::{Change, Changes, Draft, OnceKey};
use crate::error::Error;
use crate::id::RecipeId;
use crate::recipe::Recipe;
use crate::secret::Secret;
use crate::title::numbered;

/// How often another title is tried.
const MOST_NAMES: u32 = 100;

/// What to do with a recipe whose title the family has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnDuplicate {
    /// The one that is there stays.
    #[default]
    Skip,
    /// The new one is kept as `title (2)`.
    Rename,
    /// The new one replaces it.
    Replace,
}

/// What became of a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is new.
    Created,
    /// It is new, under another title.
    Renamed,
    /// It took the place of the one that was there.
    Replaced,
    /// One of this title is there.
    Skipped,
    /// It could not be kept; the remarks say why.
    Failed,
}

/// A recipe that was saved, or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Saved {
    /// What became of it.
    pub outcome: Outcome,
    /// The recipe that is in the cookbook now, where its id is known.
    pub id: Option<RecipeId>,
    /// Its title there.
    pub title: String,
}

/// Saves a draft.
pub async fn save(cookbook: &dyn Cookbook, draft: Draft, on_duplicate: OnDuplicate) -> Result<Saved, Error> {
    let saved =
        |outcome, recipe: Recipe| Saved { outcome, id: Some(recipe.id), title: recipe.title.to_string() };
    let taken = match cookbook.create(draft.clone(), once()?).await {
        Ok(recipe) => return Ok(saved(Outcome::Created, recipe)),
        Err(Error::TitleTaken { existing, .. }) => existing,
        Err(other) => return Err(other),
    };
    match (on_duplicate, taken) {
        (OnDuplicate::Skip, id) => {
            Ok(Saved { outcome: Outcome::Skipped, id, title: draft.title.into_string() })
        }
        (OnDuplicate::Replace, Some(id)) => {
            Ok(saved(Outcome::Replaced, cookbook.update(id, replacing(draft)).await?))
        }
        (OnDuplicate::Rename | OnDuplicate::Replace, _) => {
            for number in 2..MOST_NAMES {
                let renamed = Draft {
                    title: numbered(&draft.title, number)
                        .map_err(|misfit| Error::invalid("title", misfit))?,
                    ..draft.clone()
                };
                match cookbook.create(renamed, once()?).await {
                    Ok(recipe) => return Ok(saved(Outcome::Renamed, recipe)),
                    Err(Error::TitleTaken { .. }) => {}
                    Err(other) => return Err(other),
                }
            }
            Err(Error::TitleTaken { title: draft.title.into_string(), existing: taken })
        }
    }
}

/// Its own key for every write: what is sent again after a lost answer is made once.
fn once() -> Result<OnceKey, Error> {
    let key = Secret::new().map_err(Error::unavailable)?;
    OnceKey::new(key.reveal()).ok_or_else(|| Error::invalid("idempotency_key", "is empty"))
}

/// Everything as in the draft; what it does not say becomes empty. Remarks and ratings of the family stay.
fn replacing(draft: Draft) -> Changes {
    fn set<T>(value: Option<T>) -> Change<T> {
        value.map_or(Change::Clear, Change::Set)
    }
    Changes {
        expected_version: None,
        title: Some(draft.title),
        description: set(draft.description),
        prep_time_minutes: set(draft.prep_time_minutes),
        cook_time_minutes: set(draft.cook_time_minutes),
        servings: set(draft.servings),
        difficulty: Change::from_given(draft.difficulty),
        rating: Change::from_given(draft.rating),
        yield_text: set(draft.yield_text),
        source_url: set(draft.source_url),
        notes: Change::from_given(draft.notes),
        nutrition: set(draft.nutrition),
        tags: draft.tags,
        ingredients: Some(draft.ingredients.unwrap_or_default()),
        steps: Some(draft.steps.unwrap_or_default()),
    }
}
