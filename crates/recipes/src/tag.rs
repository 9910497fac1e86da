//! Tags: short words on recipes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::few::Few;
use crate::text::Text;

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
