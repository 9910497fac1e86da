//! The quantities of a recipe for more or fewer people.

use crate::number::{Amount, Servings};
use crate::recipe::Recipe;
use crate::title::Key;

/// How a recipe is to be scaled.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// For so many people.
    Servings(Servings),
    /// So many times as much.
    Factor(f64),
    /// So that there is this much of one ingredient.
    Ingredient {
        /// Its name.
        name: String,
        /// How much of it there is, in the recipe's unit.
        quantity: Amount,
    },
}

/// Why a recipe cannot be scaled so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoScale {
    /// It does not say for how many it is.
    #[error(
        "the recipe does not say how many servings it makes; give a factor or an ingredient's quantity instead"
    )]
    NoServings,
    /// Not a sensible factor.
    #[error("expected a factor greater than 0 and at most 1000, got {0}")]
    Factor(f64),
    /// It has no such ingredient, or no quantity of it.
    #[error("the recipe has no quantity of an ingredient called `{0}`; name one as the recipe spells it")]
    NoIngredient(String),
}

impl Scale {
    /// The factor it means for a recipe.
    pub fn factor(&self, recipe: &Recipe) -> Result<f64, NoScale> {
        #[allow(clippy::cast_precision_loss, reason = "servings are at most a thousand")]
        let factor = match self {
            Scale::Factor(factor) => *factor,
            Scale::Servings(wanted) => {
                let now = recipe.servings.ok_or(NoScale::NoServings)?;
                wanted.get() as f64 / now.get() as f64
            }
            Scale::Ingredient { name, quantity } => {
                let key = Key::of(name);
                let known =
                    recipe.ingredients.iter().find(|placed| Key::of(placed.what.name.as_str()) == key);
                let has = known.and_then(|placed| placed.what.quantity).filter(|amount| amount.get() > 0.0);
                quantity.get() / has.ok_or_else(|| NoScale::NoIngredient(name.clone()))?.get()
            }
        };
        if factor > 0.0 && factor <= 1_000.0 { Ok(factor) } else { Err(NoScale::Factor(factor)) }
    }
}

/// Scales the quantities and servings of a recipe, and returns the factor. Ingredients that do not scale stay.
pub fn scale(recipe: &mut Recipe, scale: &Scale) -> Result<f64, NoScale> {
    let factor = scale.factor(recipe)?;
    for ingredient in recipe.ingredients.iter_mut().map(|placed| &mut placed.what) {
        if ingredient.scales {
            ingredient.quantity = ingredient.quantity.map(|amount| amount.times(factor));
            ingredient.quantity_max = ingredient.quantity_max.map(|amount| amount.times(factor));
        }
    }
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "both are small")]
    let servings =
        recipe.servings.and_then(|now| Servings::new((now.get() as f64 * factor).round() as i64).ok());
    recipe.servings = servings;
    Ok(factor)
}
