//! `search_recipes`: recipes by words.

use mcp::{About, Cx, Json, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::State;
use crate::number::Whole;
use crate::search::{Hit, HitLimit, SearchQuery, Words};

pub(crate) struct SearchRecipes;

/// How many a page has unless somebody says otherwise.
const PAGE: i64 = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// E.g. `lentil soup`. All words must be there; the last may be a beginning.
    query: Words,
    /// At most so many; 20 unless given.
    #[serde(default)]
    limit: Option<HitLimit>,
    /// The `next_cursor` of the answer before.
    #[serde(default)]
    cursor: Option<Whole<0, 100_000>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    /// Recipes, best first.
    recipes: Vec<Hit>,
    /// Where the next page starts, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<i64>,
}

impl Tool<State> for SearchRecipes {
    type In = Input;
    type Out = Json<Found>;
    const ABOUT: About = About::new(
        "search_recipes",
        "Search recipes",
        "Finds recipes by words in title, description, ingredients and tags, best first. Use it whenever the person \
         names a dish or an ingredient.",
    )
    .read_only()
    .local()
    .core();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<Found>, Stop> {
        let limit = input.limit.unwrap_or(HitLimit::stored(PAGE));
        let skip = input.cursor.map_or(0, Whole::get);
        let query = SearchQuery { words: input.query, limit, skip: u32::try_from(skip).unwrap_or_default() };
        let hits = state.cookbook()?.search(query).await?;
        let next_cursor = hits.more.then_some(skip + limit.get());
        Ok(Json(Found { recipes: hits.hits, next_cursor }))
    }
}
