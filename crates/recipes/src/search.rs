//! Finding recipes by words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::RecipeId;
use crate::number::Whole;
use crate::text::Text;

/// What to look for.
pub type Words = Text<1, 200>;
/// How many to return.
pub type HitLimit = Whole<1, 100>;

/// What is asked: recipes that have all words in title, description, ingredients or tags; the last one may be a
/// beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuery {
    /// The words.
    pub words: Words,
    /// At most so many.
    pub limit: HitLimit,
    /// After skipping so many.
    pub skip: u32,
}

/// A recipe that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Its id.
    pub id: RecipeId,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
}

/// What was found, best first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The recipes.
    pub hits: Vec<Hit>,
    /// Whether there are more.
    pub more: bool,
}
