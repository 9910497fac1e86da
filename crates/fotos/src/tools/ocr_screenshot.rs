//! `ocr_screenshot`: the text in a picture.

use geometry::Rect;
use mcp::{About, Cx, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{given_or_new, read};
use crate::State;
use crate::reading::Reading;

pub(super) struct OcrScreenshot;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot; without it, a new one of the whole screen is taken first.
    screenshot_id: Option<String>,
    /// Language of the text, as a code such as `eng`, `deu` or `jpn`; several with a plus sign between them.
    #[serde(default = "english")]
    language: String,
    /// The part to read, in pixels of the screenshot; it becomes a screenshot of its own.
    region: Option<Rect>,
}

fn english() -> String {
    "eng".to_owned()
}

impl Tool<State> for OcrScreenshot {
    type In = Input;
    type Out = Json<Reading>;
    const ABOUT: About = About::new(
        "ocr_screenshot",
        "Read the text in a screenshot",
        "Extracts the text of a screenshot on this machine: all of it in reading order, and every word with its box (x, y, w, \
         h, in pixels of the full picture) and confidence. Use it to read what is on the screen exactly, or to find where \
         something is. Without a screenshot_id it captures the whole screen first.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Reading>, Stop> {
        let screenshot = given_or_new(state, input.screenshot_id.as_deref(), input.region).await?;
        let page = read(state, cx, &screenshot, &input.language).await?;
        Ok(Json(Reading::new(&screenshot, &input.language, &page)))
    }
}
