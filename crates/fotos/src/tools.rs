//! The tools, in the order clients see them.

mod annotate_screenshot;
mod clear_screenshots;
mod delete_screenshot;
mod list_screenshots;
mod take_screenshot;

pub(crate) use list_screenshots::DEFAULT_LIMIT;
use mcp::{Content, Fail, Reply, Server};
use serde::Serialize;

use crate::State;
use crate::error::Error;
use crate::screenshot::{Screenshot, Summary};
use crate::shown::{Shown, Size, show};

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server
        .tool(take_screenshot::TakeScreenshot)
        .tool(annotate_screenshot::AnnotateScreenshot)
        .tool(list_screenshots::ListScreenshots)
        .tool(delete_screenshot::DeleteScreenshot)
        .tool(clear_screenshots::ClearScreenshots)
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
fn picture_reply<T: Serialize>(screenshot: &Screenshot, size: Size, more: &T) -> Result<Reply, Fail> {
    let shown = show(screenshot, size)?;
    let note = (shown.scale < 1.0).then(|| note(screenshot, &shown));
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
