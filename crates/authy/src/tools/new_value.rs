//! How a client says what a new value is to be like.

use ::mcp::Fail;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::Error;
use crate::generate::{Classes, Recipe, generate};
use crate::name::SecretName;
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

fn usual_length() -> usize {
    32
}

/// Which secret gets a new value, and what that is to be like.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    /// The name of the secret.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// What the value is made of.
    #[serde(default)]
    kind: Kind,
    /// How many characters, or random bytes for hex and base64; 32 if not said.
    #[serde(default = "usual_length")]
    #[schemars(range(min = 8, max = 4096))]
    length: usize,
    /// Marks such as `!` and `%` as well.
    #[serde(default)]
    symbols: bool,
    /// Without characters that look like others, such as `0` and `O`.
    #[serde(default)]
    unambiguous: bool,
}

impl Wish {
    pub(super) fn name(&self) -> Result<SecretName, Error> {
        Ok(SecretName::new(self.name.clone())?)
    }

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
