//! Steps of the preparation.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::few::Few;
use crate::number::{Minutes, Whole};
use crate::text::Text;

/// The steps of a recipe, in order.
pub type Steps = Few<Step, 300>;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// What to do.
    pub instruction: Text<1, 5_000>,
    /// How long it takes.
    #[serde(default)]
    pub duration_minutes: Option<Minutes>,
    /// How hot.
    #[serde(default)]
    pub temperature_value: Option<Whole<-100, 2_000>>,
    /// The unit of `temperature_value`.
    #[serde(default)]
    pub temperature_unit: Option<Degrees>,
    /// Its heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Text<0, 100>>,
}

/// A scale of temperature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Degrees {
    /// Degrees Celsius.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
}

impl Degrees {
    /// As stores and JSON write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Degrees::Celsius => "Celsius",
            Degrees::Fahrenheit => "Fahrenheit",
        }
    }

    /// From what a store kept.
    pub(crate) fn stored(text: &str) -> Option<Degrees> {
        [Degrees::Celsius, Degrees::Fahrenheit].into_iter().find(|degrees| degrees.as_str() == text)
    }
}

impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
