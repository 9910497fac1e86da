//! `find_on_screen`: where a text is, and where to click it.

use geometry::Rect;
use mcp::{About, Cx, Fail, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Wanted, read};
use crate::State;
use crate::capture::Cursor;
use crate::screenshot::Mode;
use crate::search::{LONGEST, Match, Query};

pub(super) struct FindOnScreen;

/// As many as a model reads with profit.
const DEFAULT_LIMIT: usize = 10;

/// More mistakes than this are another text.
const MOST_FUZZY: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The words or the phrase to find, in upper or lower case.
    #[schemars(length(min = 1, max = 500))]
    text: Option<String>,
    /// A regular expression to find within a line, instead of `text`.
    #[schemars(length(min = 1, max = 500))]
    pattern: Option<String>,
    /// How many characters of `text` may be different, missing or too many.
    #[serde(default)]
    #[schemars(range(max = 10))]
    fuzzy: usize,
    /// Which screenshot; without it, a new one is taken.
    screenshot_id: Option<String>,
    /// What to capture, without a `screenshot_id`: all monitors, one monitor, or one window.
    mode: Option<Mode>,
    /// Which monitor, counted from 0; only with mode `monitor`.
    monitor_index: Option<u32>,
    /// A part of the window's title; only with mode `window`.
    window_title: Option<String>,
    /// Sorts what is found by how near it is to this point of the screen.
    near: Option<Place>,
    /// Only the one of this number, counted from 1.
    #[schemars(range(min = 1))]
    nth: Option<usize>,
    /// How many at most.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1_000))]
    limit: usize,
    /// Language of the text, as a code such as `eng`, `deu` or `jpn`.
    #[serde(default = "english")]
    language: String,
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

fn english() -> String {
    "eng".to_owned()
}

/// A point, in pixels of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    /// From the left edge of the screen.
    x: i32,
    /// From the upper edge of the screen.
    y: i32,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Found {
    /// The screenshot it was found in.
    screenshot_id: String,
    /// Where it is.
    matches: Vec<Hit>,
    /// How many there are in all.
    total: usize,
    /// What to do where nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A place where the text is.
#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    /// What stands there.
    text: String,
    /// Its middle on the screen: where a click goes.
    click: Place,
    /// Its box on the screen.
    screen_box: Rect,
    /// Its box in the screenshot.
    #[serde(rename = "box")]
    place: Rect,
    /// How many characters are not as they were looked for.
    distance: usize,
    /// How sure the reader is, from 0 to 1.
    confidence: f64,
}

impl Tool<State> for FindOnScreen {
    type In = Input;
    type Out = Json<Found>;
    const ABOUT: About = About::new(
        "find_on_screen",
        "Find text on the screen",
        "Finds words, a phrase or a regular expression on the screen and answers with a box and a click point for each, in \
         coordinates of the screen. Use it to know where to click. Looks at the whole screen, one monitor, one window, or a \
         screenshot taken before.",
    )
    .read_only()
    .local()
    .core();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Found>, Stop> {
        let query = query(&input)?;
        let target = Wanted {
            mode: input.mode,
            monitor_index: input.monitor_index,
            window_title: input.window_title.as_deref(),
        };
        let screenshot = match input.screenshot_id.as_deref().filter(|id| !id.is_empty()) {
            Some(_) if input.mode.is_some() => {
                let message = "`mode` is for a new screenshot: leave it or `screenshot_id` out";
                return Err(Fail::arguments(message).into());
            }
            Some(id) => {
                target.target()?;
                state.host.store.get(id)?
            }
            None => state.host.capture(target.target()?, None, Cursor::Hidden).await?,
        };
        let page = read(state, cx, &screenshot, &input.language).await?;
        let origin = screenshot.place();
        let mut matches: Vec<Hit> =
            query.search(&page).into_iter().map(|found| hit(found, (origin.x, origin.y))).collect();
        if let Some(Place { x, y }) = input.near {
            let away = |at: i32, from: i32| (i64::from(at) - i64::from(from)).pow(2);
            matches.sort_by_key(|hit| away(hit.click.x, x) + away(hit.click.y, y));
        }
        let total = matches.len();
        if let Some(nth) = input.nth {
            matches = matches.into_iter().skip(nth.saturating_sub(1)).take(1).collect();
        }
        matches.truncate(input.limit.clamp(1, 1_000));
        let note = matches.is_empty().then(|| note(&query, total));
        Ok(Json(Found { screenshot_id: screenshot.id().to_string(), matches, total, note }))
    }
}

fn query(input: &Input) -> Result<Query, Fail> {
    let refuse = |message: String| Err(Fail::arguments(message));
    if input.fuzzy > MOST_FUZZY {
        return refuse(format!("`fuzzy` is too large: {}; at most {MOST_FUZZY}", input.fuzzy));
    }
    let long = [&input.text, &input.pattern].into_iter().flatten().any(|text| text.chars().count() > LONGEST);
    if long {
        return refuse(format!("`text` or `pattern` is too long: at most {LONGEST} characters"));
    }
    match (&input.text, &input.pattern) {
        (Some(text), None) if !text.trim().is_empty() => Ok(Query::phrase(text, input.fuzzy)),
        (None, Some(pattern)) if !pattern.is_empty() => {
            Query::pattern(pattern).map_err(|error| Fail::arguments(error.to_string()))
        }
        (Some(_), Some(_)) => refuse("`text` and `pattern` are both there: give one of them".to_owned()),
        _ => refuse("`text` is missing: give the words to find, or a `pattern`".to_owned()),
    }
}

/// What to do where nothing is answered.
fn note(query: &Query, total: usize) -> String {
    match query {
        _ if total > 0 => format!("`nth` is too large; found in all: {total}"),
        Query::Phrase { .. } => {
            "nothing was found: allow for misread characters with `fuzzy`, or read everything with ocr_screenshot"
                .to_owned()
        }
        Query::Pattern(_) => {
            "nothing was found: a pattern is looked for within one line; read everything with ocr_screenshot".to_owned()
        }
    }
}

fn hit(found: Match, (x, y): (i32, i32)) -> Hit {
    let screen_box = found.place.moved(x, y);
    let click = screen_box.centre();
    Hit {
        text: found.text,
        click: Place { x: click.0, y: click.1 },
        screen_box,
        place: found.place,
        distance: found.distance,
        confidence: (f64::from(found.confidence) * 1_000.0).round() / 1_000.0,
    }
}
