//! `settings://current`: the settings.

use mcp::{Address, Cx, Item, Resource, ResourceAbout, Run, Stop};

use super::{JSON, SETTINGS, json};
use crate::State;

pub(super) struct Current;

impl Resource<State> for Current {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: SETTINGS,
        name: "settings",
        title: "Settings",
        description: "How screenshots are taken, drawn on and read, and how the program looks; the defaults as long as the \
                      desktop program is not there to change them",
        mime: JSON,
        completes: false,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, state: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        Ok(vec![json(&at.uri, &state.host.settings().told())?])
    }
}
