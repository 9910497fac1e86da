//! `screenshots://{id}`: one screenshot, whole.

use mcp::{Address, Completing, Completion, Cx, Item, Resource, ResourceAbout, Run, Stop};

use super::{json, not_found};
use crate::State;

pub(super) struct Picture;

impl Resource<State> for Picture {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "screenshots://{id}",
        name: "screenshot",
        title: "A screenshot",
        description: "A screenshot at full size as PNG, and its timestamp, size and capture mode",
        mime: "image/png",
        completes: true,
        meta: None,
    };
    const RUN: Run = Run::Blocking;

    async fn read(&self, state: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        let screenshot = state.host.store.get(at.variable("id")).map_err(not_found(&at.uri))?;
        let png = screenshot.png().map_err(not_found(&at.uri))?;
        Ok(vec![Item::blob(&at.uri, "image/png", png), json(&at.uri, &screenshot.summary())?])
    }

    fn complete(&self, state: &State, typed: Completing<'_>) -> Completion {
        crate::prompts::ids(state, typed)
    }
}
