//! `screenshots://recent`: the same as `list_screenshots`.

use mcp::{Address, Cx, Item, Resource, ResourceAbout, Run, Stop};

use super::{JSON, RECENT, json};
use crate::State;
use crate::tools::DEFAULT_LIMIT;

pub(super) struct Recent;

impl Resource<State> for Recent {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: RECENT,
        name: "recent",
        title: "Recent screenshots",
        description: "The newest screenshots of this session: id, timestamp, size and capture mode",
        mime: JSON,
        completes: false,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, state: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        Ok(vec![json(&at.uri, &state.host.store.list(DEFAULT_LIMIT))?])
    }
}
