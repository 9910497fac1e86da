//! `scale_recipe`: a recipe for other numbers of people. Nothing is stored.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::error::Error;
use crate::id::RecipeId;
use crate::ingredient::Ingredient;
use crate::number::{Amount, Servings};
use crate::recipe::Placed;
use crate::scale::{Scale, scale};
use crate::text::Text;

pub(crate) struct ScaleRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// For so many people. Give one of `servings`, `factor` and `ingredient`.
    #[serde(default)]
    servings: Option<Servings>,
    /// So many times as much, e.g. 0.5.
    #[serde(default)]
    factor: Option<Amount>,
    /// So that there is this much of one ingredient.
    #[serde(default)]
    ingredient: Option<Have>,
}

#[derive(Deserialize, JsonSchema)]
struct Have {
    /// The ingredient, as the recipe spells it.
    name: Text<1, 200>,
    /// How much of it there is, in the recipe's unit.
    quantity: Amount,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Scaled {
    /// The recipe.
    id: RecipeId,
    /// Its title.
    title: String,
    /// So many times as much as the recipe says.
    factor: f64,
    /// For how many people that is, about.
    #[serde(skip_serializing_if = "Option::is_none")]
    servings: Option<Servings>,
    /// The scaled ingredients, in order.
    ingredients: Vec<Placed<Ingredient>>,
}

impl Tool<State> for ScaleRecipe {
    type In = Input;
    type Out = Json<Scaled>;
    const ABOUT: About = About::new(
        "scale_recipe",
        "Scale a recipe",
        "Returns the ingredients of a recipe for other servings, times a factor, or for the amount there is of one \
         ingredient. The recipe itself stays as it is.",
    )
    .read_only()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Scaled>, Stop> {
        let (field, wanted) = match (input.servings, input.factor, input.ingredient) {
            (Some(servings), None, None) => ("servings", Scale::Servings(servings)),
            (None, Some(factor), None) => ("factor", Scale::Factor(factor.get())),
            (None, None, Some(Have { name, quantity })) => {
                ("ingredient", Scale::Ingredient { name: name.into_string(), quantity })
            }
            _ => {
                return Err(
                    Error::invalid("servings", "give one of `servings`, `factor` and `ingredient`").into()
                );
            }
        };
        let mut recipe = state.cookbook()?.recipe(input.recipe_id).await?;
        let factor = scale(&mut recipe, &wanted).map_err(|error| Error::invalid(field, error))?;
        Ok(Json(Scaled {
            id: recipe.id,
            title: recipe.title.into_string(),
            factor,
            servings: recipe.servings,
            ingredients: recipe.ingredients,
        }))
    }
}
