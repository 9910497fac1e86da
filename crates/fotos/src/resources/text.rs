//! `screenshots://{id}/ocr`: the text of a screenshot.

use mcp::{Address, Completing, Completion, Cx, Item, Resource, ResourceAbout, Run, Stop};

use super::{JSON, json, not_found};
use crate::State;
use crate::reading::Reading;
use crate::tools::read;

pub(super) struct Text;

impl Resource<State> for Text {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "screenshots://{id}/ocr",
        name: "screenshot-text",
        title: "The text of a screenshot",
        description: "What was read in a screenshot last: the text, and every word with its box and confidence. Read in English \
                      if it was not read before",
        mime: JSON,
        completes: true,
        meta: None,
    };
    const RUN: Run = Run::Async;

    async fn read(&self, state: &State, cx: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        let screenshot = state.host.store.get(at.variable("id")).map_err(not_found(&at.uri))?;
        let (language, page) = match screenshot.last_reading() {
            Some(last) => last,
            None => ("eng".to_owned(), read(state, cx, &screenshot, "eng").await?),
        };
        Ok(vec![json(&at.uri, &Reading::new(&screenshot, &language, &page))?])
    }

    fn complete(&self, state: &State, typed: Completing<'_>) -> Completion {
        crate::prompts::ids(state, typed)
    }
}
