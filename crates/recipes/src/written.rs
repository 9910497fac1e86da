//! A recipe as JSON, the way it goes out to clients.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::error::Error;
use crate::recipe::{Recipe, Version};

/// A [`Recipe`] as JSON, and its version.
#[derive(Debug, Clone)]
pub struct Written {
    /// The version it has.
    pub version: Version,
    json: Arc<RawValue>,
}

impl Written {
    /// A recipe, written.
    pub fn new(recipe: &Recipe) -> Result<Written, Error> {
        let json = to_raw_value(recipe).map_err(Error::unavailable)?;
        Ok(Written { version: recipe.version, json: Arc::from(json) })
    }

    /// The JSON.
    pub fn json(&self) -> &str {
        self.json.get()
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

/// It is a recipe to whoever reads it.
impl JsonSchema for Written {
    fn schema_name() -> Cow<'static, str> {
        Recipe::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Recipe::json_schema(generator)
    }
}
