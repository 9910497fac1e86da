//! `wait_for`: until a text appears or goes, or nothing moves any more.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use geometry::Rect;
use mcp::{About, Cx, Fail, Json, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Wanted, go_on};
use crate::State;
use crate::error::Error;
use crate::host::{Glance, Host};
use crate::screenshot::Mode;
use crate::search::{LONGEST, Query};

pub(super) struct WaitFor;

/// The longest wait; most clients give up after a minute.
const LONGEST_WAIT: u32 = 120_000;

/// How long nothing is looked at between two looks.
const PAUSE: Duration = Duration::from_millis(300);

/// What to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Until {
    /// `text` can be read.
    TextAppears,
    /// `text` cannot be read any more.
    TextGone,
    /// Nothing changes for `stable_ms`.
    Stable,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What to wait for.
    until: Until,
    /// The words to wait for, in upper or lower case; not for `stable`.
    #[schemars(length(min = 1, max = 500))]
    text: Option<String>,
    /// How long nothing may change, in milliseconds; for `stable`.
    #[serde(default = "a_second")]
    #[schemars(range(min = 100, max = 60_000))]
    stable_ms: u32,
    /// What to look at: all monitors, one monitor, or one window.
    mode: Option<Mode>,
    /// Which monitor, counted from 0; only with mode `monitor`.
    monitor_index: Option<u32>,
    /// A part of the window's title; only with mode `window`.
    window_title: Option<String>,
    /// The part to look at, in pixels from the upper left corner of the screen, monitor or window.
    region: Option<Rect>,
    /// How long to wait at most, in milliseconds.
    #[serde(default = "half_a_minute")]
    #[schemars(range(min = 1, max = 120_000))]
    timeout_ms: u32,
}

fn a_second() -> u32 {
    1_000
}

fn half_a_minute() -> u32 {
    30_000
}

/// How it ended.
#[derive(Serialize, JsonSchema)]
#[allow(clippy::struct_field_names, reason = "the names are those of the answer")]
pub(super) struct Waited {
    /// Whether it happened in time.
    happened: bool,
    /// How long it took, in milliseconds.
    waited_ms: u64,
    /// How often the screen was looked at.
    looks: u32,
    /// The screenshot of the last look.
    screenshot_id: String,
}

impl Tool<State> for WaitFor {
    type In = Input;
    type Out = Json<Waited>;
    const ABOUT: About = About::new(
        "wait_for",
        "Wait for the screen",
        "Waits until a text appears on the screen, until it is gone, or until nothing changes any more, and answers with the \
         screenshot_id of the last look. Use it after an action that takes time, instead of many screenshots. It ends by itself \
         after timeout_ms and says whether it happened.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Async;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<Json<Waited>, Stop> {
        let target = Wanted {
            mode: input.mode,
            monitor_index: input.monitor_index,
            window_title: input.window_title.as_deref(),
        }
        .target()?;
        let query = query(&input)?;
        if !(1..=LONGEST_WAIT).contains(&input.timeout_ms) {
            let message =
                format!("`timeout_ms` is out of range: {}; from 1 to {LONGEST_WAIT}", input.timeout_ms);
            return Err(Fail::arguments(message).into());
        }
        let (started, longest) = (Instant::now(), Duration::from_millis(input.timeout_ms.into()));
        let stable = Duration::from_millis(input.stable_ms.clamp(100, 60_000).into());
        let (mut looks, mut last): (u32, Option<(u64, Instant)>) = (0, None);
        loop {
            let glance = state.host.glance(target.clone(), input.region).await?;
            looks = looks.saturating_add(1);
            let now = Instant::now();
            let (glance, happened) = if let Some(query) = &query {
                let (glance, found) = is_there(state, cx, glance, query.clone()).await?;
                (glance, found == (input.until == Until::TextAppears))
            } else {
                let (glance, seen) = sum(state, glance).await?;
                let since = last.filter(|(before, _)| *before == seen).map_or(now, |(_, since)| since);
                last = Some((seen, since));
                (glance, now.duration_since(since) >= stable)
            };
            let waited = started.elapsed();
            if happened || waited >= longest {
                let screenshot = state.host.keep_glance(Mode::of(&target), glance).await?;
                return Ok(Json(Waited {
                    happened,
                    waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                    looks,
                    screenshot_id: screenshot.id().to_string(),
                }));
            }
            // Nothing is kept from one look to the next but a number.
            drop(glance);
            cx.progress(waited.as_secs_f64(), Some(longest.as_secs_f64()), Some("waiting"));
            tokio::time::sleep(PAUSE.min(longest.saturating_sub(waited))).await;
        }
    }
}

/// What to look for; nothing where only changes count.
fn query(input: &Input) -> Result<Option<Query>, Fail> {
    match (input.until, input.text.as_deref().map(str::trim).filter(|text| !text.is_empty())) {
        (Until::Stable, None) => Ok(None),
        (Until::Stable, Some(_)) => Err(Fail::arguments(
            "`text` is not for `stable`: leave it out, or wait for `text_appears` or `text_gone`",
        )),
        (Until::TextAppears | Until::TextGone, None) => Err(Fail::arguments(
            "`text` is missing: `text_appears` and `text_gone` need the words to wait for",
        )),
        (_, Some(text)) if text.chars().count() > LONGEST => {
            Err(Fail::arguments(format!("`text` is too long: at most {LONGEST} characters")))
        }
        (_, Some(text)) => Ok(Some(Query::phrase(text, 0))),
    }
}

/// Whether a text can be read. Lines that did not change since the last look are not read again.
async fn is_there(state: &State, cx: &Cx, glance: Glance, query: Query) -> Result<(Glance, bool), Error> {
    let cx = cx.clone();
    state
        .host
        .work(move |host| {
            let page = host.read_pixels(&glance.shot.pixels, "eng", &mut |_| go_on(&cx))?;
            Ok((glance, !query.search(&page).is_empty()))
        })
        .await
}

/// A number that is another one when any pixel is.
async fn sum(state: &State, glance: Glance) -> Result<(Glance, u64), Error> {
    let work = move |_: &Host| {
        let mut hasher = DefaultHasher::new();
        let pixels = &glance.shot.pixels;
        (pixels.width(), pixels.height(), pixels.bytes()).hash(&mut hasher);
        Ok((glance, hasher.finish()))
    };
    state.host.work(work).await
}
