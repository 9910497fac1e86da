//! `auto_redact_pii`: a picture without what is private in it.

use std::collections::BTreeSet;

use geometry::Rect;
use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use redaction::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{lines_read, picture_reply};
use crate::State;
use crate::shown::Size;

pub(super) struct AutoRedactPii;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which screenshot.
    screenshot_id: String,
    /// Only answers with what was found, and draws nothing: look at it, and call again with `except`.
    #[serde(default)]
    review: bool,
    /// The ids of detections that are left as they are.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    except: Vec<String>,
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
    id: String,
    #[serde(rename = "type")]
    kind: Kind,
    x: i32,
    y: i32,
    w: u32,
    h: u32,
    /// Whether it is gone from the picture.
    redacted: bool,
}

impl Tool<State> for AutoRedactPii {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "auto_redact_pii",
        "Redact private information",
        "Finds e-mail addresses, phone numbers, social security numbers, credit cards, API keys and IP addresses in a \
         screenshot, makes them unreadable for good, and answers with the new picture (PNG), which is a screenshot of its own, \
         and with the id, type and box of each. Use it before a screenshot leaves this machine. Detection is not exhaustive: look at the picture.",
    )
    .additive()
    .local()
    .core();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let Input { screenshot_id, review, except, max_edge } = input;
        let screenshot = state.host.store.get(&screenshot_id)?;
        let (watched, source) = (cx.clone(), screenshot.clone());
        let found = state
            .host
            .work(move |host| host.find_private(&source, &mut |progress| lines_read(&watched, progress)))
            .await?;
        let except: BTreeSet<String> = except.into_iter().collect();
        let id = |at: usize| (at + 1).to_string();
        if let Some(unknown) = except.iter().find(|except| !(0..found.len()).any(|at| id(at) == **except)) {
            let message =
                format!("`except` names a detection that is not there: `{unknown}`; `review` lists them");
            return Err(Fail::arguments(message).into());
        }
        let is_redacted = |at: usize| !review && !except.contains(&id(at));
        let covered: Vec<redaction::Detection> = found
            .iter()
            .enumerate()
            .filter(|(at, _)| is_redacted(*at))
            .map(|(_, detection)| *detection)
            .collect();
        let redaction = match (found.is_empty(), covered.is_empty()) {
            (true, _) => "nothing private was found; the picture is unchanged",
            (false, true) => "what was found is still in this picture",
            (false, false) => {
                "what was found is gone from this picture; the original is kept until it is deleted. Detection is not \
                 exhaustive: look at the picture before it is shared"
            }
        };
        let detections = found.iter().enumerate().map(|(at, detection)| {
            let Rect { x, y, width: w, height: h } = detection.place;
            Detection { id: id(at), kind: detection.kind, x, y, w, h, redacted: is_redacted(at) }
        });
        let told = Found { detections: detections.collect(), redaction };
        let redacted = state.host.work(move |host| host.redact(&screenshot, &covered)).await?;
        picture_reply(state, redacted, Size::from_max_edge(max_edge), &told).await
    }
}
