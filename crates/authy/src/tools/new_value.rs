//! How a client says what a new value is to be like.

use ::mcp::Fail;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::Error;
use crate::generate::{Classes, Recipe, generate};
use crate::value::SecretValue;

/// What a new value is made of.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Letters and digits, and marks if wanted.
    #[default]
    Characters,
    /// Random bytes as hexadecimal digits.
    Hex,
    /// Random bytes as base64 for URLs.
    Base64,
}

pub(super) fn usual_length() -> usize {
    32
}

pub(super) struct Wish {
    pub(super) kind: Kind,
    pub(super) length: usize,
    pub(super) symbols: bool,
    pub(super) unambiguous: bool,
}

impl Wish {
    /// A value that nobody has seen.
    pub(super) fn value(&self) -> Result<SecretValue, Fail> {
        let recipe = match self.kind {
            Kind::Characters => {
                let classes =
                    Classes { symbols: self.symbols, unambiguous: self.unambiguous, ..Classes::default() };
                Recipe::Characters { length: self.length, classes }
            }
            Kind::Hex => Recipe::Hex { bytes: self.length },
            Kind::Base64 => Recipe::Base64 { bytes: self.length },
        };
        let value = generate(recipe).map_err(|error| Fail::arguments(error.to_string()))?;
        Ok(SecretValue::new(value.to_vec()).map_err(Error::from)?)
    }
}
