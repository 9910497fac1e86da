//! `auto_redact_pii`: a picture without what is private in it.

use mcp::{About, Cx, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::picture_reply;
use crate::State;
use crate::pii::{self, Kind};
use crate::rect::Rect;
use crate::screenshot::{Origin, Screenshot};
use crate::shown::Size;

pub(super) struct AutoRedactPii;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

/// What was found; never what it says.
#[derive(Serialize)]
struct Found {
    detections: Vec<Detection>,
    redaction: &'static str,
}

#[derive(Serialize)]
struct Detection {
    #[serde(rename = "type")]
    kind: Kind,
    x: i32,
    y: i32,
    w: u32,
    h: u32,
}

impl Tool<State> for AutoRedactPii {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "auto_redact_pii",
        "Redact private information",
        "Finds e-mail addresses, phone numbers, social security numbers, credit cards, API keys and IP addresses in a \
         screenshot, makes them unreadable for good, and answers with the new picture (PNG), which is a screenshot of its own, \
         and with the type and box of each. Use it before a screenshot leaves this machine. Detection is not exhaustive: look at \
         the picture.",
    )
    .additive()
    .local()
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let screenshot = state.store.get(&input.screenshot_id)?;
        let page = state.read(&screenshot, "eng", cx)?;
        let pixels = screenshot.pixels()?;
        let inside = |found: pii::Detection| Some((found.kind, pixels.frame().common(found.place)?));
        let found: Vec<(Kind, Rect)> = pii::find(&page).into_iter().filter_map(inside).collect();
        let size = Size::from_max_edge(input.max_edge);
        if found.is_empty() {
            let nothing = Found {
                detections: Vec::new(),
                redaction: "nothing private was found; the picture is unchanged",
            };
            return Ok(picture_reply(&screenshot, size, &nothing)?);
        }
        let places: Vec<pii::Detection> =
            found.iter().map(|(kind, place)| pii::Detection { kind: *kind, place: *place }).collect();
        let redacted = pii::redacted(&pixels, &places);
        let screenshot = state.keep(Screenshot::derived(&screenshot, Origin::Redacted, redacted));
        let detections = found.into_iter().map(|(kind, place)| {
            let Rect { x, y, width: w, height: h } = place;
            Detection { kind, x, y, w, h }
        });
        let redaction = "what was found is gone from this picture; the original is kept until it is deleted. Detection is not \
                         exhaustive: look at the picture before it is shared";
        Ok(picture_reply(&screenshot, size, &Found { detections: detections.collect(), redaction })?)
    }
}
