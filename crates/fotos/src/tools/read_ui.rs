//! `read_ui`: what a window consists of.

use mcp::{About, Cx, Fail, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read;
use crate::State;
use crate::capture::{Cursor, Target, Which, Window, WindowState, is_titled};
use crate::ui::{self, Element, MOST_ELEMENTS, Wanted};

pub(super) struct ReadUi;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A part of the window's title, in upper or lower case.
    #[schemars(length(min = 1))]
    window_title: String,
    /// Whether text is read where the program tells nothing.
    #[serde(default = "yes")]
    ocr: bool,
    /// How many elements at most.
    #[serde(default = "most")]
    #[schemars(range(min = 1, max = 1_000))]
    limit: usize,
}

fn yes() -> bool {
    true
}

fn most() -> usize {
    200
}

/// What a window consists of.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ui {
    /// The title of the window.
    window: String,
    /// The screenshot in which text was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot_id: Option<String>,
    /// Its parts, the outermost first; then what was read where the program told nothing.
    elements: Vec<Element>,
    /// How many there are in all.
    total: usize,
}

impl Tool<State> for ReadUi {
    type In = Input;
    type Out = Json<Ui>;
    const ABOUT: About = About::new(
        "read_ui",
        "Read the elements of a window",
        "Lists what a window consists of, as its program tells assistive technology (AT-SPI): role, name, value, state and box of \
         each, in coordinates of the screen; and what can be read where the program tells nothing. Says of each who told it. Never \
         tells what is in a password field. Use it to find buttons and fields exactly.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Ui>, Stop> {
        let part = input.window_title.trim().to_lowercase();
        if part.is_empty() {
            return Err(
                Fail::arguments("`window_title` is missing: give a part of the window's title").into()
            );
        }
        let windows = state.host.windows().await?;
        let is_meant =
            |window: &&Window| window.state == WindowState::Visible && is_titled(&window.title, &part);
        let Some(window) = windows.iter().find(is_meant) else {
            // Says the same as a screenshot would: there is none, or nobody is to see it.
            state.host.glance(Target::Window(Which::Titled(input.window_title)), None).await?;
            return Err(Fail::new("the window went away; call list_windows to see which there are").into());
        };
        let wanted = Wanted { pid: window.pid, title: window.title.clone(), place: window.place };
        let mut elements = ui::elements(&wanted).await;
        let mut screenshot_id = None;
        if input.ocr && elements.len() < MOST_ELEMENTS {
            let target = Target::Window(Which::Numbered(window.number));
            let screenshot = state.host.capture(target, None, Cursor::Hidden).await?;
            let page = read(state, cx, &screenshot, "eng").await?;
            let place = screenshot.place();
            ui::add_read(&mut elements, &page, (place.x, place.y));
            screenshot_id = Some(screenshot.id().to_string());
        }
        let total = elements.len();
        elements.truncate(input.limit.clamp(1, MOST_ELEMENTS));
        Ok(Json(Ui { window: redaction::mask(&window.title), screenshot_id, elements, total }))
    }
}
