//! A recipe to be, and changes of one that is there.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ingredient::Ingredients;
use crate::number::{Difficulty, Minutes, Rating, Servings};
use crate::recipe::{Description, Notes, Nutrition, SourceUrl, Version, Yield};
use crate::step::Steps;
use crate::tag::Tags;
use crate::title::Title;

/// What somebody wants a new recipe to be. REST, MCP and import all come through this type, so its fields are the one
/// validator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// Unique in the family.
    pub title: Title,
    /// A few sentences about it.
    #[serde(default)]
    pub description: Option<Description>,
    /// Time to prepare it.
    #[serde(default)]
    pub prep_time_minutes: Option<Minutes>,
    /// Time to cook it.
    #[serde(default)]
    pub cook_time_minutes: Option<Minutes>,
    /// For how many people the quantities are.
    #[serde(default)]
    pub servings: Option<Servings>,
    /// From 1, easy, to 5, hard.
    #[serde(default)]
    pub difficulty: Option<Difficulty>,
    /// How much the family likes it, 1 to 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// How much it makes, e.g. `24 cookies`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yield_text: Option<Yield>,
    /// The page it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_url: Option<SourceUrl>,
    /// Remarks of the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Notes>,
    /// Nutrition facts, as they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nutrition: Option<Nutrition>,
    /// E.g. `soup`.
    #[serde(default)]
    pub tags: Option<Tags>,
    /// What goes into it, in order.
    #[serde(default)]
    pub ingredients: Option<Ingredients>,
    /// What to do, in order.
    #[serde(default)]
    pub steps: Option<Steps>,
}

/// What becomes of one field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// It stays.
    #[default]
    Keep,
    /// It becomes empty.
    Clear,
    /// It becomes this.
    Set(T),
}

impl<T> Change<T> {
    /// Whether nothing is asked.
    pub fn is_keep(&self) -> bool {
        matches!(self, Change::Keep)
    }

    /// Absent means unchanged.
    pub fn from_given(given: Option<T>) -> Change<T> {
        given.map_or(Change::Keep, Change::Set)
    }

    /// The field after the change.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Change::Keep => {}
            Change::Clear => *field = None,
            Change::Set(value) => *field = Some(value),
        }
    }
}

/// In JSON a field that stays is left out, and `null` makes it empty.
impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Change::Keep | Change::Clear => serializer.serialize_none(),
            Change::Set(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Change<T>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Change::Clear, Change::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// What somebody wants changed. Ingredients, steps and tags that are given replace all there were.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// Only for this version; else the change is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<Version>,
    /// A new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub description: Change<Description>,
    /// Time to prepare it.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub prep_time_minutes: Change<Minutes>,
    /// Time to cook it.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub cook_time_minutes: Change<Minutes>,
    /// For how many people.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub servings: Change<Servings>,
    /// How hard it is.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub difficulty: Change<Difficulty>,
    /// How much it is liked.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub rating: Change<Rating>,
    /// How much it makes.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub yield_text: Change<Yield>,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub source_url: Change<SourceUrl>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub notes: Change<Notes>,
    /// Nutrition facts.
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    pub nutrition: Change<Nutrition>,
    /// All tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// All ingredients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingredients: Option<Ingredients>,
    /// All steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
}

impl Changes {
    /// Whether no field is named.
    pub fn is_empty(&self) -> bool {
        Changes { expected_version: None, ..self.clone() } == Changes::default()
    }
}

/// Makes a write that is sent twice happen once: the second time, the first result comes back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OnceKey(String);

impl OnceKey {
    /// Longer keys are refused.
    const MOST: usize = 200;

    /// A key the client chose; `None` if it is empty or longer than 200 bytes.
    pub fn new(text: &str) -> Option<OnceKey> {
        (1..=OnceKey::MOST).contains(&text.len()).then(|| OnceKey(text.to_owned()))
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Draft {
    /// What two drafts that say the same have in common.
    pub(crate) fn fingerprint(&self) -> Vec<u8> {
        use sha2::Digest;
        // Writing a draft as JSON does not fail: it has string keys and no failing parts.
        sha2::Sha256::digest(serde_json::to_vec(self).unwrap_or_default()).to_vec()
    }
}
