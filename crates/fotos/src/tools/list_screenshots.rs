//! `list_screenshots`: what there is.

use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::State;
use crate::store::List;

pub(super) struct ListScreenshots;

/// As many as a model reads with profit.
pub(crate) const DEFAULT_LIMIT: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// How many at most.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1))]
    limit: usize,
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

impl Tool<State> for ListScreenshots {
    type In = Input;
    type Out = Json<List>;
    const ABOUT: About = About::new(
        "list_screenshots",
        "List screenshots",
        "Lists the screenshots of this session, the newest first: id, timestamp, size and capture mode. Use it to find the \
         screenshot_id of an earlier picture.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Inline;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Json<List>, Stop> {
        Ok(Json(state.host.store.list(input.limit)))
    }
}
