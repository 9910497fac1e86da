//! A recipe with everything that belongs to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::few::at_most;
use crate::id::{PhotoId, RecipeId};
use crate::ingredient::Ingredient;
use crate::number::{Difficulty, Minutes, Rating, Servings};
use crate::step::Step;
use crate::text::Text;
use crate::time::Time;
use crate::title::Title;

/// What a recipe is about, in a few sentences.
pub type Description = Text<0, 2_000>;
/// Remarks of the family.
pub type Notes = Text<0, 10_000>;
/// How much it makes, where servings do not say it, e.g. `24 cookies`.
pub type Yield = Text<0, 100>;
/// Where it came from.
pub type SourceUrl = Text<0, 2_000>;
/// Nutrition facts, as they were given.
pub type Nutrition = Text<0, 2_000>;

/// How often a recipe was changed, starting at 1. A change may name the version it was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Version(pub i64);

/// A recipe as it is kept: `RecipeWithDetails` of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recipe {
    /// Its id.
    pub id: RecipeId,
    /// Its title; unique in its family.
    pub title: Title,
    /// What it is about.
    pub description: Option<Description>,
    /// Time to prepare it.
    pub prep_time_minutes: Option<Minutes>,
    /// Time to cook it.
    pub cook_time_minutes: Option<Minutes>,
    /// For how many people the quantities are.
    pub servings: Option<Servings>,
    /// From 1, easy, to 5, hard.
    pub difficulty: Option<Difficulty>,
    /// How much the family liked it, 1 to 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// How much it makes, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yield_text: Option<Yield>,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_url: Option<SourceUrl>,
    /// Remarks of the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Notes>,
    /// Nutrition facts, as they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nutrition: Option<Nutrition>,
    /// Its tags, in alphabetical order.
    #[serde(default, deserialize_with = "at_most::<50, _, _>")]
    pub tags: Vec<String>,
    /// The photo that cards show: the first of the dish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_id: Option<PhotoId>,
    /// All its photos, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<100, _, _>")]
    pub photos: Vec<RecipePhoto>,
    /// How often it was cooked.
    #[serde(default)]
    pub times_cooked: u32,
    /// When it was cooked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_cooked_at: Option<Time>,
    /// The version to name when changing it.
    pub version: Version,
    /// When it was made.
    pub created_at: Time,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it was changed last.
    pub updated_at: Time,
    /// Who changed it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// Its ingredients, in order.
    #[serde(deserialize_with = "at_most::<300, _, _>")]
    pub ingredients: Vec<Placed<Ingredient>>,
    /// Its steps, in order.
    #[serde(deserialize_with = "at_most::<300, _, _>")]
    pub steps: Vec<Placed<Step>>,
}

/// A photo of a recipe, and what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecipePhoto {
    /// Its id.
    pub id: PhotoId,
    /// The position of the step it shows; without one it shows the dish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// Something at its place in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Placed<T> {
    /// Its place, counted from 0.
    pub position: u32,
    /// What is there.
    #[serde(flatten)]
    pub what: T,
}

impl<T> Placed<T> {
    /// A list with its places counted.
    pub fn in_order(things: Vec<T>) -> Vec<Placed<T>> {
        (0..).zip(things).map(|(position, what)| Placed { position, what }).collect()
    }
}
