//! `annotate_screenshot`: draws on a picture.

use std::sync::PoisonError;

use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NothingMore, picture_reply};
use crate::State;
use crate::annotation::{Given, check};
use crate::screenshot::{Origin, Screenshot};
use crate::shown::Size;

pub(super) struct AnnotateScreenshot;

/// More than anybody can look at.
const MOST_ANNOTATIONS: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// What to draw, in this order.
    #[schemars(length(min = 1, max = 1_000))]
    annotations: Vec<Given>,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

impl Tool<State> for AnnotateScreenshot {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "annotate_screenshot",
        "Annotate a screenshot",
        "Draws on a screenshot and answers with the new picture (PNG), which is a screenshot of its own; the old one stays. \
         Use it to point at something or to make something unreadable: arrow, rect, ellipse, text, blur, freehand, \
         highlight and step (a numbered disc), drawn in the order given. Coordinates are pixels of the full picture. What \
         is blurred cannot be brought back.",
    )
    .additive()
    .local()
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        let screenshot = state.store.get(&input.screenshot_id)?;
        let count = input.annotations.len();
        if !(1..=MOST_ANNOTATIONS).contains(&count) {
            return Err(Fail::arguments(format!(
                "`annotations` has {count} entries; from 1 to {MOST_ANNOTATIONS}"
            ))
            .into());
        }
        let annotations =
            check(&input.annotations).map_err(|mistake| Fail::arguments(mistake.to_string()))?;
        let mut pixels = (*screenshot.pixels()?).clone();
        state.renderer.lock().unwrap_or_else(PoisonError::into_inner).draw(&annotations, &mut pixels);
        let drawn = state.keep(Screenshot::derived(&screenshot, Origin::Annotated, pixels));
        Ok(picture_reply(&drawn, Size::from_max_edge(input.max_edge), &NothingMore {})?)
    }
}
