//! Lists that do not grow without end.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// At most `MAX` things.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Few<T, const MAX: usize>(Vec<T>);

/// More than there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected at most {max} entries, got more")]
pub struct TooMany {
    /// How many there may be.
    pub max: usize,
}

impl<T, const MAX: usize> Few<T, MAX> {
    /// How many there may be.
    pub const MOST: usize = MAX;

    /// Counted.
    pub fn new(things: Vec<T>) -> Result<Self, TooMany> {
        if things.len() > MAX { Err(TooMany { max: MAX }) } else { Ok(Few(things)) }
    }

    /// The things.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Default for Few<T, MAX> {
    fn default() -> Self {
        Few(Vec::new())
    }
}

impl<T, const MAX: usize> Deref for Few<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

/// Stops reading at the first thing too many.
struct FewVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for FewVisitor<T, MAX> {
    type Value = Few<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut things = Vec::new();
        while let Some(thing) = items.next_element()? {
            if things.len() == MAX {
                return Err(A::Error::custom(TooMany { max: MAX }));
            }
            things.push(thing);
        }
        Ok(Few(things))
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Few<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FewVisitor(PhantomData))
    }
}

/// Reads a list of at most `MAX` things, for fields that are plain lists.
pub(crate) fn at_most<'de, const MAX: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Few::<T, MAX>::deserialize(deserializer).map(Few::into_vec)
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for Few<T, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Few{MAX}{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>(), "maxItems": MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn more_than_may_be_are_refused() {
        assert_eq!(serde_json::from_str::<Few<u8, 2>>("[1,2]").expect("two").len(), 2);
        let error = serde_json::from_str::<Few<u8, 2>>("[1,2,3]").expect_err("three").to_string();
        assert!(error.contains("at most 2 entries"), "{error}");
    }
}
