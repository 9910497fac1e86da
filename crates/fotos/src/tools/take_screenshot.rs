//! `take_screenshot`: a picture of the screen, a monitor or a window.

use std::time::Duration;

use mcp::{About, Cx, Fail, Reply, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NothingMore, picture_reply};
use crate::State;
use crate::capture::{Cursor, Target};
use crate::rect::Rect;
use crate::screenshot::{Mode, Screenshot};
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
    /// Which monitor, counted from 0; used when mode is `monitor`. The first one if left out.
    monitor_index: Option<u32>,
    /// A part of the window's title, in upper or lower case; used when mode is `window`.
    window_title: Option<String>,
    /// How long to wait before the capture, in milliseconds.
    #[serde(default)]
    #[schemars(range(max = 60_000))]
    delay_ms: u32,
    /// The part to capture, in pixels from the upper left corner of the screen, monitor or window.
    region: Option<Rect>,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size. Without it, a picture that is too large
    /// for clients is scaled; the full one is kept in any case.
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
        "Captures the screen of this machine and answers with the picture (PNG) and its screenshot_id, size, timestamp and \
         mode. Use it to see what the person sees: all monitors, one monitor, or the first window whose title contains a \
         text. Windows the person excluded, such as password managers, are black. The other tools of this server work \
         on the screenshot_id.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let target = match input.mode {
            Mode::Fullscreen => Target::Fullscreen,
            Mode::Monitor => Target::Monitor(input.monitor_index.unwrap_or(0) as usize),
            Mode::Window => match input.window_title.filter(|title| !title.trim().is_empty()) {
                Some(title) => Target::Window(title),
                None => {
                    return Err(Fail::arguments(
                        "`window_title` is missing: mode `window` needs a part of the window's title",
                    )
                    .into());
                }
            },
        };
        if input.delay_ms > LONGEST_DELAY {
            let message = format!("`delay_ms` is too long: {}; at most {LONGEST_DELAY} ms", input.delay_ms);
            return Err(Fail::arguments(message).into());
        }
        let delay = Duration::from_millis(input.delay_ms.into());
        if !delay.is_zero() && tokio::time::timeout(delay, cx.cancelled()).await.is_ok() {
            return Err(Fail::new("the call was cancelled before the capture").into());
        }
        let cursor = if input.include_cursor { Cursor::Shown } else { Cursor::Hidden };
        let screenshot = state.capture(&target, input.region, cursor, cx).await?;
        let reply = picture_reply(&screenshot, Size::from_max_edge(input.max_edge), &NothingMore {})?;
        compress_later(screenshot);
        Ok(reply)
    }
}

/// A file takes a tenth of the memory; where the answer did not need the full one, it is made after the answer.
fn compress_later(screenshot: std::sync::Arc<Screenshot>) {
    if !screenshot.has_png() {
        // Where that fails, the pixels stay.
        tokio::task::spawn_blocking(move || drop(screenshot.png()));
    }
}
