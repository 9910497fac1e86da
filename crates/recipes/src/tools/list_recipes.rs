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
    /// At most so many.
    #[serde(default)]
    limit: Option<PageSize>,
    /// The `next_cursor` of the answer before.
    #[serde(default)]
    cursor: Option<Text<1, 12_000>>,
}

impl Tool<State> for ListRecipes {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "list_recipes",
        "List recipes",
        "Lists the family's recipes by title, as a JSON array with `id`, `title`, `description` and more; all of them \
         unless `limit` is given.",
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
