//! `take_screenshot`: a picture of the screen, a monitor or a window.

use std::time::Duration;

use geometry::Rect;
use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NothingMore, Wanted, picture_reply};
use crate::State;
use crate::capture::Cursor;
use crate::screenshot::Mode;
use crate::shown::Size;

pub(super) struct TakeScreenshot;

/// Longer than this is no delay but a plan.
const LONGEST_DELAY: u32 = 60_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What to capture: all monitors as one picture, one monitor, or one window.
    #[serde(default)]
    mode: Mode,
    /// Which monitor, counted from 0; only with mode `monitor`. The first one if left out.
    monitor_index: Option<u32>,
    /// A part of the window's title, in upper or lower case; only with mode `window`.
    window_title: Option<String>,
    /// How long to wait before the capture, in milliseconds.
    #[serde(default)]
    #[schemars(range(max = 60_000))]
    delay_ms: u32,
    /// The part to capture, in pixels from the upper left corner of the screen, monitor or window.
    region: Option<Rect>,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size. The full one is kept in any case.
    max_edge: Option<u32>,
    /// Whether the mouse pointer is in the picture.
    #[serde(default)]
    include_cursor: bool,
}

impl Tool<State> for TakeScreenshot {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "take_screenshot",
        "Take a screenshot",
        "Captures the screen of this machine and answers with the picture (PNG) and its screenshot_id. Use it to see what \
         the person sees: all monitors, one monitor, or the first window whose title contains a text. Excluded windows, such \
         as password managers, are black on X11; where a desktop does not tell where windows are, the answer says so.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, _: &Cx, input: Input) -> Result<Reply, Stop> {
        let Input { mode, monitor_index, window_title, delay_ms, region, max_edge, include_cursor } = input;
        let target =
            Wanted { mode: Some(mode), monitor_index, window_title: window_title.as_deref() }.target()?;
        if delay_ms > LONGEST_DELAY {
            let message = format!("`delay_ms` is too long: {delay_ms}; at most {LONGEST_DELAY} ms");
            return Err(Fail::arguments(message).into());
        }
        // No thread waits, and who is cancelled is dropped here.
        tokio::time::sleep(Duration::from_millis(delay_ms.into())).await;
        let cursor = if include_cursor { Cursor::Shown } else { Cursor::Hidden };
        let screenshot = state.host.capture(target, region, cursor).await?;
        picture_reply(state, screenshot, Size::from_max_edge(max_edge), &NothingMore {}).await
    }
}
