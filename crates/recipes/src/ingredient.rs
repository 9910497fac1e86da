//! Ingredients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::few::Few;
use crate::number::Amount;
use crate::text::Text;

/// The ingredients of a recipe, in order.
pub type Ingredients = Few<Ingredient, 300>;

/// One ingredient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ingredient {
    /// E.g. `flour`.
    pub name: Text<1, 200>,
    /// How much, in `unit`.
    #[serde(default)]
    pub quantity: Option<Amount>,
    /// The upper end of a range: 3 in "2 to 3 apples".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity_max: Option<Amount>,
    /// E.g. `g` or `cup`; none for things that are counted.
    #[serde(default)]
    pub unit: Option<Text<0, 50>>,
    /// E.g. `finely chopped`.
    #[serde(default)]
    pub notes: Option<Text<0, 500>>,
    /// Its heading, e.g. `For the sauce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Text<0, 100>>,
    /// The line it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_text: Option<Text<0, 500>>,
    /// False for what does not grow with the servings.
    #[serde(default = "grows", skip_serializing_if = "is_usual")]
    pub scales: bool,
}

fn grows() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_usual(scales: &bool) -> bool {
    *scales
}
