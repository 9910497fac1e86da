//! The tools, in the order clients see them.

mod analyze_screenshot;
mod annotate_screenshot;
mod auto_redact_pii;
mod clear_screenshots;
mod crop_screenshot;
mod delete_screenshot;
mod diff_screenshots;
mod find_on_screen;
mod list_monitors;
mod list_screenshots;
mod list_windows;
mod ocr_screenshot;
mod open_in_fotos;
mod read_ui;
mod redo_edit;
mod take_screenshot;
mod undo_edit;
mod wait_for;

use std::ops::ControlFlow;
use std::sync::Arc;

use geometry::Rect;
pub(crate) use list_screenshots::DEFAULT_LIMIT;
use mcp::{Content, Cx, Fail, Reply, Server, Stop};
use ocr::{Page, Progress};
use serde::Serialize;

use crate::State;
use crate::capture::{Cursor, Target, Which};
use crate::error::Error;
use crate::screenshot::{Mode, Screenshot, Summary};
use crate::shown::{Shown, Size, show};

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server
        .tool(take_screenshot::TakeScreenshot)
        .tool(ocr_screenshot::OcrScreenshot)
        .tool(find_on_screen::FindOnScreen)
        .tool(annotate_screenshot::AnnotateScreenshot)
        .tool(analyze_screenshot::AnalyzeScreenshot)
        .tool(auto_redact_pii::AutoRedactPii)
        .tool(wait_for::WaitFor)
        .tool(diff_screenshots::DiffScreenshots)
        .tool(crop_screenshot::CropScreenshot)
        .tool(read_ui::ReadUi)
        .tool(list_windows::ListWindows)
        .tool(list_monitors::ListMonitors)
        .tool(list_screenshots::ListScreenshots)
        .tool(delete_screenshot::DeleteScreenshot)
        .tool(clear_screenshots::ClearScreenshots)
}

/// What needs the application.
pub(crate) fn offer_in_application(server: Server<State>) -> Server<State> {
    server.tool(undo_edit::UndoEdit).tool(redo_edit::RedoEdit).tool(open_in_fotos::OpenInFotos)
}

/// What to capture, as a tool is told it. What belongs to another mode is refused: it would capture more than was meant.
struct Wanted<'a> {
    mode: Option<Mode>,
    monitor_index: Option<u32>,
    window_title: Option<&'a str>,
}

impl Wanted<'_> {
    fn target(&self) -> Result<Target, Fail> {
        let mode = self.mode.unwrap_or_default();
        let title = self.window_title.filter(|title| !title.trim().is_empty());
        if title.is_some() && mode != Mode::Window {
            return Err(Fail::arguments(
                "`window_title` is for one window: set `mode` to `window`, or leave it out",
            ));
        }
        if self.monitor_index.is_some() && mode != Mode::Monitor {
            return Err(Fail::arguments(
                "`monitor_index` is for one monitor: set `mode` to `monitor`, or leave it out",
            ));
        }
        match mode {
            Mode::Fullscreen => Ok(Target::Fullscreen),
            Mode::Monitor => Ok(Target::Monitor(self.monitor_index.unwrap_or(0) as usize)),
            Mode::Window => {
                title.map(|title| Target::Window(Which::Titled(title.to_owned()))).ok_or_else(|| {
                    Fail::arguments(
                        "`window_title` is missing: mode `window` needs a part of the window's title",
                    )
                })
            }
        }
    }
}

/// The screenshot of this name, or a new one of the whole screen; of a region of either, if one is named.
async fn given_or_new(
    state: &State,
    id: Option<&str>,
    region: Option<Rect>,
) -> Result<Arc<Screenshot>, Error> {
    match (id.filter(|id| !id.is_empty()), region) {
        (Some(id), None) => state.host.store.get(id),
        (Some(id), Some(region)) => {
            let screenshot = state.host.store.get(id)?;
            state.host.work(move |host| host.crop(&screenshot, region)).await
        }
        (None, region) => state.host.capture(Target::Fullscreen, region, Cursor::Hidden).await,
    }
}

/// The text of a screenshot, on a thread, with progress for the client.
pub(crate) async fn read(
    state: &State,
    cx: &Cx,
    screenshot: &Arc<Screenshot>,
    language: &str,
) -> Result<Arc<Page>, Error> {
    if let Some(page) = screenshot.reading(language) {
        return Ok(page);
    }
    let (cx, screenshot, language) = (cx.clone(), Arc::clone(screenshot), language.to_owned());
    state
        .host
        .work(move |host| host.read(&screenshot, &language, &mut |progress| lines_read(&cx, progress)))
        .await
}

/// Whether anybody waits for the work.
fn go_on(cx: &Cx) -> ControlFlow<()> {
    if cx.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Tells the client how many lines are read, and whether to go on.
#[allow(clippy::cast_precision_loss, reason = "a page has fewer lines")]
fn lines_read(cx: &Cx, Progress { done, of }: Progress) -> ControlFlow<()> {
    cx.advance(done as f64, Some(of as f64), Some("lines read"))
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        Fail::new(error.to_string())
    }
}

/// What an answer with a picture says in words.
#[derive(Serialize)]
struct Told<'a, T> {
    #[serde(flatten)]
    summary: Summary,
    /// The size of the picture in this answer, divided by the size of the screenshot.
    scale: f64,
    #[serde(flatten)]
    more: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// An answer with a picture: what it is, in words and numbers, and the picture itself.
async fn picture_reply<T: Serialize>(
    state: &State,
    screenshot: Arc<Screenshot>,
    size: Size,
    more: &T,
) -> Result<Reply, Stop> {
    let (shown, screenshot) = state.host.work(move |_| Ok((show(&screenshot, size)?, screenshot))).await?;
    let note = (shown.scale < 1.0).then(|| note(&screenshot, &shown));
    let told = Told { summary: screenshot.summary(), scale: shown.scale, more, note };
    let text = serde_json::to_string_pretty(&told)
        .map_err(|error| Fail::new(format!("the answer cannot be written: {error}")))?;
    Ok(Reply::text(text).with(Content::png(shown.png)))
}

fn note(screenshot: &Screenshot, shown: &Shown) -> String {
    let ((width, height), uri) = (screenshot.size(), screenshot.uri());
    format!(
        "The picture is shown at {}x{} pixels, scaled by {:.4}. Coordinates are those of the full picture of \
         {width}x{height} pixels: divide what you measure here by {:.4}. The full picture is at {uri}; max_edge 0 shows it, \
         and region shows a part of it.",
        shown.width, shown.height, shown.scale, shown.scale
    )
}

/// Nothing to say besides.
#[derive(Serialize)]
struct NothingMore {}
