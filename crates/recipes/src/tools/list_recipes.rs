//! `list_recipes`: every recipe, or a page of them.

use mcp::{About, Content, Cx, Reply, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::error::Error;
use crate::listing::{Cursor, ListQuery, PageSize};
use crate::tag::Tags;
use crate::text::Text;

pub(crate) struct ListRecipes;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Only recipes with all of these tags.
    #[serde(default)]
    tags: Option<Tags>,
    /// At most so many; without it, all of them.
    #[serde(default)]
    limit: Option<PageSize>,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default)]
    cursor: Option<Text<1, 12_000>>,
}

impl Tool<State> for ListRecipes {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "list_recipes",
        "List recipes",
        "Lists the family's recipes in the order of their titles, as a JSON array of objects with `id`, `title` and \
         `description`, and times, servings, difficulty and tags where they are known. Without arguments it lists all; \
         with `limit`, a page, followed by a `next_cursor` if there are more. Use search_recipes to find recipes by \
         words, and get_recipe for ingredients and steps.",
    )
    .read_only()
    .local()
    .core();

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        let Input { tags, limit, cursor } = input;
        let after = cursor.map(|cursor| cursor.as_str().parse::<Cursor>()).transpose();
        let after = after.map_err(|error| Error::invalid("cursor", error))?;
        let tags = tags.unwrap_or_default().into_vec();
        let listing = state.cookbook()?.list(ListQuery { tags, limit, after }).await?;
        let reply = Reply::shared_text(listing.json);
        Ok(match listing.next {
            Some(next) => reply.with(Content::Text(format!("{{\"next_cursor\":\"{}\"}}", next.to_text()))),
            None => reply,
        })
    }
}
