//! `crop_screenshot`: a part of a picture.

use geometry::Rect;
use mcp::{About, Cx, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NothingMore, picture_reply};
use crate::State;
use crate::shown::Size;

pub(super) struct CropScreenshot;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// The part, in pixels of the screenshot.
    region: Rect,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

impl Tool<State> for CropScreenshot {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "crop_screenshot",
        "Cut out a part of a screenshot",
        "Cuts a part out of a screenshot and answers with it (PNG). It is a screenshot of its own; the old one stays. Use it to look \
         at small things closely.",
    )
    .additive()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        let Input { screenshot_id, region, max_edge } = input;
        let screenshot = state.host.store.get(&screenshot_id)?;
        let part = state.host.work(move |host| host.crop(&screenshot, region)).await?;
        picture_reply(state, part, Size::from_max_edge(max_edge), &NothingMore {}).await
    }
}
