//! Ids: UUIDs that know what they name.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::time::Time;

/// The id of a `K`. New ones sort by the time they were made.
pub struct Id<K> {
    uuid: Uuid,
    of: PhantomData<fn() -> K>,
}

/// What ids name; the types have no other use.
pub mod kind {
    /// A recipe.
    #[derive(Debug)]
    pub enum Recipe {}
    /// A family.
    #[derive(Debug)]
    pub enum Family {}
    /// A photo.
    #[derive(Debug)]
    pub enum Photo {}
    /// A meal of a plan.
    #[derive(Debug)]
    pub enum Meal {}
    /// An item of a shopping list.
    #[derive(Debug)]
    pub enum Item {}
    /// An API key.
    #[derive(Debug)]
    pub enum Key {}
    /// A link to a recipe.
    #[derive(Debug)]
    pub enum Share {}
}

/// The id of a recipe.
pub type RecipeId = Id<kind::Recipe>;
/// The id of a family.
pub type FamilyId = Id<kind::Family>;
/// The id of a photo.
pub type PhotoId = Id<kind::Photo>;
/// The id of a planned meal.
pub type MealId = Id<kind::Meal>;
/// The id of an item of a shopping list.
pub type ItemId = Id<kind::Item>;
/// The id of an API key.
pub type KeyId = Id<kind::Key>;
/// The id of a share link.
pub type ShareId = Id<kind::Share>;

/// Text that is not a UUID as 36 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid format: not a UUID such as `018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f`, so there is no such thing"
)]
pub struct Malformed;

impl<K> Id<K> {
    /// A new one: UUID version 7.
    pub fn new() -> Id<K> {
        let mut random = [0; 10];
        // Linux gives random bytes since its first second. Should it not, a clash is refused by the store's keys.
        let _ = getrandom::fill(&mut random);
        let millis = u64::try_from(Time::now().millis()).unwrap_or_default();
        Id::from(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// Its bytes, as stores keep them.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.uuid.as_bytes()
    }

    /// From the bytes a store kept.
    pub fn from_bytes(bytes: [u8; 16]) -> Id<K> {
        Id::from(Uuid::from_bytes(bytes))
    }
}

impl<K> From<Uuid> for Id<K> {
    fn from(uuid: Uuid) -> Id<K> {
        Id { uuid, of: PhantomData }
    }
}

impl<K> Default for Id<K> {
    fn default() -> Id<K> {
        Id::new()
    }
}

impl<K> FromStr for Id<K> {
    type Err = Malformed;

    /// Other ways to write a UUID (braces, no hyphens) are refused: one id, one spelling.
    fn from_str(text: &str) -> Result<Id<K>, Malformed> {
        if text.len() != 36 {
            return Err(Malformed);
        }
        Uuid::parse_str(text).map(Id::from).map_err(|_| Malformed)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Id<K> {
        *self
    }
}

impl<K> Copy for Id<K> {}

impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Id<K>) -> bool {
        self.uuid == other.uuid
    }
}

impl<K> Eq for Id<K> {}

impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Id<K>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Id<K>) -> std::cmp::Ordering {
        self.uuid.cmp(&other.uuid)
    }
}

impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.hyphenated().fmt(f)
    }
}

impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl<K> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
        serializer.serialize_str(self.uuid.hyphenated().encode_lower(&mut buffer))
    }
}

impl<'de, K> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id<K>, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl<K> JsonSchema for Id<K> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Id".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uuid" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Malformed, RecipeId};

    #[test]
    fn new_ids_are_version_7_differ_and_sort_by_time() {
        let ids: Vec<RecipeId> = (0..100).map(|_| RecipeId::new()).collect();
        for id in &ids {
            let text = id.to_string();
            assert_eq!(text.as_bytes()[14], b'7', "{text}");
            assert_eq!(text.parse(), Ok(*id));
        }
        let mut unique = ids.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), ids.len());
    }

    #[test]
    fn one_spelling_is_accepted() {
        let id = "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";
        assert_eq!(id.to_uppercase().parse::<RecipeId>().map(|id| id.to_string()), Ok(id.to_owned()));
        for bad in
            ["", "invalid-id", "not-a-uuid", &id.replace('-', ""), &format!("{{{id}}}"), &format!("../{id}")]
        {
            assert_eq!(bad.parse::<RecipeId>(), Err(Malformed), "{bad}");
        }
    }
}
