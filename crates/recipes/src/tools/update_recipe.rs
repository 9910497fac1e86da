//! `update_recipe`: fields of a recipe changed, the others kept.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::draft::{Change, Changes};
use crate::few::Few;
use crate::id::RecipeId;
use crate::ingredient::Ingredients;
use crate::number::{Difficulty, Minutes, Rating, Servings};
use crate::recipe::{Description, Notes, Nutrition, Recipe, SourceUrl, Version, Yield};
use crate::step::Steps;
use crate::tag::Tags;
use crate::title::Title;

pub(crate) struct UpdateRecipe;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The recipe's id, a UUID.
    recipe_id: RecipeId,
    /// A new title; the family may have no other recipe of this title.
    #[serde(default)]
    title: Option<Title>,
    /// What it is about.
    #[serde(default)]
    description: Option<Description>,
    /// Time to prepare it, in minutes.
    #[serde(default)]
    prep_time_minutes: Option<Minutes>,
    /// Time to cook it, in minutes.
    #[serde(default)]
    cook_time_minutes: Option<Minutes>,
    /// For how many people the quantities are.
    #[serde(default)]
    servings: Option<Servings>,
    /// From 1, easy, to 5, hard.
    #[serde(default)]
    difficulty: Option<Difficulty>,
    /// How much the family likes it, 1 to 5.
    #[serde(default)]
    rating: Option<Rating>,
    /// How much it makes, in words, e.g. `24 cookies`.
    #[serde(default)]
    yield_text: Option<Yield>,
    /// The address of the page it came from.
    #[serde(default)]
    source_url: Option<SourceUrl>,
    /// Remarks of the family.
    #[serde(default)]
    notes: Option<Notes>,
    /// Nutrition facts, as they were given.
    #[serde(default)]
    nutrition: Option<Nutrition>,
    /// All tags; those not named go.
    #[serde(default)]
    tags: Option<Tags>,
    /// All ingredients, in order; those not named go.
    #[serde(default)]
    ingredients: Option<Ingredients>,
    /// All steps, in order; those not named go.
    #[serde(default)]
    steps: Option<Steps>,
    /// Fields to make empty.
    #[serde(default)]
    clear: Option<Few<Clearable, 20>>,
    /// Change it only if it still has this version, as `get_recipe` gave it.
    #[serde(default)]
    expected_version: Option<Version>,
}

/// A field that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Clearable {
    Description,
    PrepTimeMinutes,
    CookTimeMinutes,
    Servings,
    Difficulty,
    Rating,
    YieldText,
    SourceUrl,
    Notes,
    Nutrition,
}

impl Tool<State> for UpdateRecipe {
    type In = Input;
    type Out = Json<Recipe>;
    const ABOUT: About = About::new(
        "update_recipe",
        "Change a recipe",
        "Changes the given fields of a recipe, keeps all others, and returns the whole recipe. Ingredients, steps and tags \
         that are given replace all there were, so read the recipe first. `clear` names fields to make empty.",
    )
    .idempotent()
    .local();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Recipe>, Stop> {
        let id = input.recipe_id;
        Ok(Json(state.cookbook()?.update(id, changes(input)).await?))
    }
}

fn changes(input: Input) -> Changes {
    let clear = input.clear.unwrap_or_default();
    let cleared = |field: Clearable| clear.contains(&field);
    Changes {
        expected_version: input.expected_version,
        title: input.title,
        description: change(input.description, cleared(Clearable::Description)),
        prep_time_minutes: change(input.prep_time_minutes, cleared(Clearable::PrepTimeMinutes)),
        cook_time_minutes: change(input.cook_time_minutes, cleared(Clearable::CookTimeMinutes)),
        servings: change(input.servings, cleared(Clearable::Servings)),
        difficulty: change(input.difficulty, cleared(Clearable::Difficulty)),
        rating: change(input.rating, cleared(Clearable::Rating)),
        yield_text: change(input.yield_text, cleared(Clearable::YieldText)),
        source_url: change(input.source_url, cleared(Clearable::SourceUrl)),
        notes: change(input.notes, cleared(Clearable::Notes)),
        nutrition: change(input.nutrition, cleared(Clearable::Nutrition)),
        tags: input.tags,
        ingredients: input.ingredients,
        steps: input.steps,
    }
}

fn change<T>(given: Option<T>, cleared: bool) -> Change<T> {
    if cleared { Change::Clear } else { Change::from_given(given) }
}
