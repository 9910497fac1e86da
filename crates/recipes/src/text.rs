//! Text of a bounded length, counted in characters.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Text of `MIN` to `MAX` characters, without white space around it and without NUL, which PostgreSQL cannot keep.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

/// Text that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Too short or too long.
    #[error("expected {min} to {max} characters, got {found}")]
    Length {
        /// The least there may be.
        min: usize,
        /// The most there may be.
        max: usize,
        /// How many there are.
        found: usize,
    },
    /// A character no store keeps.
    #[error("the character U+0000 cannot be stored; leave it out")]
    Nul,
}

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// White space around the text is taken away before it is measured.
    pub fn new(text: impl AsRef<str>) -> Result<Self, Misfit> {
        let text = text.as_ref().trim();
        let found = text.chars().count();
        if found < MIN || found > MAX {
            return Err(Misfit::Length { min: MIN, max: MAX, found });
        }
        if text.contains('\0') {
            return Err(Misfit::Nul);
        }
        Ok(Text(text.to_owned()))
    }

    /// What a store kept: it was measured when it came in.
    pub(crate) fn stored(text: String) -> Self {
        Text(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<const MIN: usize, const MAX: usize> AsRef<str> for Text<MIN, MAX> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Says what is expected in our words, not in those of Rust's types.
struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::new(deserializer.deserialize_str(TextVisitor)?).map_err(D::Error::custom)
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Text{MIN}To{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "string" });
        if MIN > 0 {
            schema.insert("minLength".into(), MIN.into());
        }
        schema.insert("maxLength".into(), MAX.into());
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::{Misfit, Text};

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(Text::<1, 3>::new("äöü").is_ok());
        assert_eq!(Text::<1, 3>::new("äöüß"), Err(Misfit::Length { min: 1, max: 3, found: 4 }));
        assert_eq!(Text::<1, 3>::new(" \n\t"), Err(Misfit::Length { min: 1, max: 3, found: 0 }));
        assert_eq!(Text::<1, 3>::new(" a "), Text::new("a"));
        assert_eq!(Text::<1, 3>::new("a\0"), Err(Misfit::Nul));
    }

    #[test]
    fn wrong_types_are_named() {
        let error = serde_json::from_str::<Text<1, 3>>("7").expect_err("refused").to_string();
        assert!(error.starts_with("invalid type: integer `7`, expected a string"), "{error}");
    }
}
