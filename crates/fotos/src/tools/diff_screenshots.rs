//! `diff_screenshots`: what changed between two pictures.

use std::sync::Arc;

use mcp::{About, Cx, Reply, Run, Stop, Tool};
use ocr::{Line, Page};
use picture::{Difference, compare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{picture_reply, read};
use crate::State;
use crate::annotation::{Annotation, Colour, Extent, Shape};
use crate::screenshot::{Origin, Screenshot};
use crate::shown::Size;

pub(super) struct DiffScreenshots;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The earlier screenshot.
    before_id: String,
    /// The later screenshot.
    after_id: String,
    /// Whether text is read in both and compared, too.
    #[serde(default = "yes")]
    compare_text: bool,
    /// The longest edge of the picture in the answer, in pixels: 0 for full size.
    max_edge: Option<u32>,
}

fn yes() -> bool {
    true
}

/// What changed.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    difference: Difference,
    text_gone: Vec<String>,
    text_new: Vec<String>,
}

impl Tool<State> for DiffScreenshots {
    type In = Input;
    type Out = Reply;
    const ABOUT: About = About::new(
        "diff_screenshots",
        "Compare two screenshots",
        "Compares two screenshots and answers with the regions that changed, the lines of text that came and went there, and the later \
         picture with the changes marked (PNG), which is a screenshot of its own. Use it to see what an action did.",
    )
    .additive()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Reply, Stop> {
        let before = state.host.store.get(&input.before_id)?;
        let after = state.host.store.get(&input.after_id)?;
        let (earlier, later) = (Arc::clone(&before), Arc::clone(&after));
        let (difference, marked) = state
            .host
            .work(move |host| {
                let generation = later.generation();
                let mut pixels = (*later.pixels()?).clone();
                let difference = compare(earlier.pixels()?.picture(), pixels.picture());
                host.draw(&marks(&difference), &mut pixels);
                let marked = Screenshot::derived(&later, generation, Origin::Compared, pixels);
                Ok((difference, host.keep(marked)))
            })
            .await?;
        let (mut text_gone, mut text_new) = (Vec::new(), Vec::new());
        if input.compare_text && !difference.regions.is_empty() {
            let (one, other) =
                (read(state, cx, &before, "eng").await?, read(state, cx, &after, "eng").await?);
            (text_gone, text_new) = (only(&one, &other, &difference), only(&other, &one, &difference));
        }
        let told = Told { difference, text_gone, text_new };
        picture_reply(state, marked, Size::from_max_edge(input.max_edge), &told).await
    }
}

/// A box around each region.
#[allow(clippy::cast_precision_loss, reason = "places in a picture are small")]
fn marks(difference: &Difference) -> Vec<Annotation> {
    let mark = |region: &picture::Region| {
        let place = region.place.grown(3);
        let extent = Extent {
            x: place.x as f32,
            y: place.y as f32,
            width: place.width as f32,
            height: place.height as f32,
        };
        Annotation::new(Shape::Rect(extent), Colour::RED, 2.0)
    };
    difference.regions.iter().map(mark).collect()
}

/// The lines that only the first page has, where something changed.
fn only(page: &Page, other: &Page, difference: &Difference) -> Vec<String> {
    let mut known: Vec<String> = other.lines.iter().map(Line::to_string).collect();
    let mut only = Vec::new();
    for line in &page.lines {
        let text = line.to_string();
        match known.iter().position(|known| *known == text) {
            Some(at) => drop(known.swap_remove(at)),
            None if difference.regions.iter().any(|region| region.place.common(line.area).is_some()) => {
                only.push(text);
            }
            None => {}
        }
    }
    only
}
