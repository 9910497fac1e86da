//! Tags: short words on recipes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::few::Few;
use crate::text::Text;
use crate::title::Key;

/// A tag, as the person wrote it first. Two that differ in case only are one.
pub type Tag = Text<1, 50>;

/// The tags of a recipe.
pub type Tags = Few<Tag, 50>;

/// A tag and how many recipes have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// How many recipes have it.
    pub recipes: u64,
}

/// Tags in alphabetical order.
pub(crate) fn sorted(mut counts: Vec<TagCount>) -> Vec<TagCount> {
    counts.sort_by_cached_key(|count| Key::of(&count.tag).for_sorting());
    counts
}
