//! `annotate_screenshot`: draws on a picture.

use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::picture_reply;
use crate::State;
use crate::annotation::{AnnotationInput, MOST_ANNOTATIONS, check};
use crate::shown::Size;

pub(super) struct AnnotateScreenshot;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// What to draw, in this order.
    #[schemars(length(min = 1, max = 1_000))]
    annotations: Vec<AnnotationInput>,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

impl Tool<State> for AnnotateScreenshot {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "annotate_screenshot",
        "Annotate a screenshot",
        "Draws on a screenshot and answers with the new picture (PNG), a screenshot of its own; the old one stays. Use it \
         to point at something or to make something unreadable, in the order given. Coordinates are pixels of the full \
         picture. What is blurred cannot be brought back.",
    )
    .additive()
    .local()
    .core();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        let screenshot = state.host.store.get(&input.screenshot_id)?;
        let count = input.annotations.len();
        if !(1..=MOST_ANNOTATIONS).contains(&count) {
            return Err(Fail::arguments(format!(
                "`annotations` has {count} entries; from 1 to {MOST_ANNOTATIONS}"
            ))
            .into());
        }
        let annotations = check(&input.annotations).map_err(|error| Fail::arguments(error.to_string()))?;
        let ids = annotations.iter().map(|annotation| annotation.id.clone()).collect();
        let drawn = state.host.work(move |host| host.annotate(&screenshot, &annotations)).await?;
        let size = Size::from_max_edge(input.max_edge);
        picture_reply(state, drawn, size, &Drawn { annotation_ids: ids }).await
    }
}

/// What was drawn.
#[derive(Serialize)]
struct Drawn {
    annotation_ids: Vec<String>,
}
