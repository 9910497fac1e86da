//! A screenshot: where it comes from, when, and its pixels.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use calendar::Utc;
use geometry::Rect;
use ocr::Page;
use picture::Pixels;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::capture::{MOST_PIXELS, Shot, Target};
use crate::error::Error;

/// What was captured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// All monitors as one picture.
    #[default]
    Fullscreen,
    /// One monitor.
    Monitor,
    /// One window.
    Window,
}

impl Mode {
    /// How such a target is captured.
    pub fn of(target: &Target) -> Mode {
        match target {
            Target::Fullscreen => Mode::Fullscreen,
            Target::Monitor(_) => Mode::Monitor,
            Target::Window(_) => Mode::Window,
        }
    }
}

/// How a picture came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Taken from the screen.
    Captured,
    /// Another one, drawn on.
    Annotated,
    /// Another one, without what is private.
    Redacted,
    /// A part of another one.
    Cropped,
    /// Another one, with what changed since an earlier one marked.
    Compared,
}

/// A screenshot, in memory alone.
#[derive(Debug)]
pub struct Screenshot {
    id: Uuid,
    taken: SystemTime,
    mode: Mode,
    subject: Option<String>,
    hidden: usize,
    warning: Option<String>,
    origin: Origin,
    parent: Option<Uuid>,
    /// Where it is on the screen.
    place: Rect,
    /// The windows that are seen in it, the uppermost first, in its own pixels.
    windows: Vec<Rect>,
    image: Mutex<Image>,
    /// What was read, by language, the latest last.
    readings: Mutex<Vec<(String, Arc<Page>)>>,
}

/// In how many languages a screenshot is read, at most.
const MOST_READINGS: usize = 8;

/// The pixels, or the PNG file made of them, which takes a tenth of the memory.
#[derive(Debug, Clone)]
enum Image {
    Pixels(Arc<Pixels>),
    Png(Bytes),
}

/// What is said about a screenshot.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Summary {
    /// Its name: give it to other tools, or read `screenshots://` followed by it.
    pub screenshot_id: String,
    /// When it was made, in UTC.
    pub timestamp: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// What was captured.
    pub mode: Mode,
    /// The monitor's name or the window's title, without what is private in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Where its left edge is on the screen.
    pub screen_x: i32,
    /// Where its upper edge is on the screen.
    pub screen_y: i32,
    /// How it came about.
    pub origin: Origin,
    /// The screenshot it was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<String>,
    /// How many windows the person excluded are blacked out in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden_windows: usize,
    /// What could not be made sure of when it was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Screenshot {
    /// One that was just taken.
    pub fn captured(mode: Mode, shot: Shot) -> Screenshot {
        let Shot { pixels, origin, subject, hidden, windows, warning } = shot;
        let place = Rect { x: origin.0, y: origin.1, ..pixels.frame() };
        Screenshot {
            id: Uuid::new_v4(),
            taken: SystemTime::now(),
            mode,
            subject,
            hidden,
            warning,
            origin: Origin::Captured,
            parent: None,
            place,
            windows,
            image: Mutex::new(Image::Pixels(Arc::new(pixels))),
            readings: Mutex::default(),
        }
    }

    /// One made of another, as large as that.
    pub fn derived(from: &Screenshot, origin: Origin, pixels: Pixels) -> Screenshot {
        let shot = Shot {
            pixels,
            origin: (from.place.x, from.place.y),
            subject: from.subject.clone(),
            hidden: from.hidden,
            windows: from.windows.clone(),
            warning: from.warning.clone(),
        };
        Screenshot { origin, parent: Some(from.id), ..Screenshot::captured(from.mode, shot) }
    }

    /// A part of another; nothing where that has none.
    pub fn cropped(from: &Screenshot, region: Rect) -> Result<Screenshot, Error> {
        let frame = Rect::of_size(from.place.width, from.place.height);
        let none = Error::EmptyRegion { width: frame.width, height: frame.height };
        let Some(region) = frame.common(region) else { return Err(none) };
        let pixels = from.pixels()?.part(region).ok_or(none)?;
        let windows = from.windows.iter().filter_map(|window| window.common(region));
        let shot = Shot {
            pixels,
            origin: (from.place.x.saturating_add(region.x), from.place.y.saturating_add(region.y)),
            subject: from.subject.clone(),
            hidden: from.hidden,
            windows: windows.map(|window| window.seen_from(region.x, region.y)).collect(),
            warning: from.warning.clone(),
        };
        Ok(Screenshot {
            origin: Origin::Cropped,
            parent: Some(from.id),
            ..Screenshot::captured(from.mode, shot)
        })
    }

    /// Its name.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Where its picture can be read.
    pub fn uri(&self) -> String {
        format!("screenshots://{}", self.id)
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.place.width, self.place.height)
    }

    /// Where it is on the screen.
    pub fn place(&self) -> Rect {
        self.place
    }

    /// The windows that are seen in it, as far as they are known.
    pub fn windows(&self) -> &[Rect] {
        &self.windows
    }

    /// What is said about it.
    pub fn summary(&self) -> Summary {
        Summary {
            screenshot_id: self.id.to_string(),
            timestamp: Utc::from(self.taken).to_string(),
            width: self.place.width,
            height: self.place.height,
            mode: self.mode,
            subject: self.subject.as_deref().map(redaction::mask),
            screen_x: self.place.x,
            screen_y: self.place.y,
            origin: self.origin,
            derived_from: self.parent.map(|parent| parent.to_string()),
            hidden_windows: self.hidden,
            warning: self.warning.clone(),
        }
    }

    /// Its pixels.
    pub fn pixels(&self) -> Result<Arc<Pixels>, Error> {
        match self.image() {
            Image::Pixels(pixels) => Ok(pixels),
            Image::Png(bytes) => Ok(Arc::new(Pixels::from_png(&bytes, MOST_PIXELS)?)),
        }
    }

    /// The whole picture as a PNG file, which is kept instead of the pixels from now on.
    pub fn png(&self) -> Result<Bytes, Error> {
        match self.image() {
            Image::Png(bytes) => Ok(bytes),
            Image::Pixels(pixels) => {
                let bytes = Bytes::from(pixels.png(picture::Effort::Fast)?);
                *self.image.lock().unwrap_or_else(PoisonError::into_inner) = Image::Png(bytes.clone());
                Ok(bytes)
            }
        }
    }

    /// Whether its PNG file is at hand.
    pub fn has_png(&self) -> bool {
        matches!(self.image(), Image::Png(_))
    }

    /// How much memory it takes, what was read included.
    pub fn memory(&self) -> usize {
        let image = match self.image() {
            Image::Pixels(pixels) => pixels.bytes().len(),
            Image::Png(bytes) => bytes.len(),
        };
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        image + readings.iter().map(|(_, page)| page.memory()).sum::<usize>()
    }

    /// What was read in it in this language, which counts as the latest from now on.
    pub fn reading(&self, language: &str) -> Option<Arc<Page>> {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let at = readings.iter().position(|(known, _)| known == language)?;
        let found = readings.remove(at);
        let page = Arc::clone(&found.1);
        readings.push(found);
        Some(page)
    }

    /// What was read in it last, and in which language.
    pub fn last_reading(&self) -> Option<(String, Arc<Page>)> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Keeps what was read in it.
    pub fn keep_reading(&self, language: &str, page: Arc<Page>) {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.retain(|(known, _)| known != language);
        if readings.len() >= MOST_READINGS {
            readings.remove(0);
        }
        readings.push((language.to_owned(), page));
    }

    fn image(&self) -> Image {
        self.image.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use geometry::Rect;
    use picture::Pixels;

    use super::{Mode, Origin, Screenshot};
    use crate::capture::Shot;

    fn taken(pixels: Pixels) -> Screenshot {
        let shot =
            Shot { subject: Some("Notes".to_owned()), hidden: 1, origin: (100, 50), ..Shot::of(pixels) };
        Screenshot::captured(Mode::Window, shot)
    }

    #[test]
    fn pixels_outlive_their_change_into_a_file() {
        let pixels = Pixels::plain(30, 20, [1, 2, 3]);
        let screenshot = taken(pixels.clone());
        assert_eq!(screenshot.memory(), 1_800);
        screenshot.png().expect("a file");
        assert!(screenshot.has_png() && screenshot.memory() < 1_800);
        assert_eq!(*screenshot.pixels().expect("pixels"), pixels);
        let summary = Screenshot::derived(&screenshot, Origin::Redacted, pixels).summary();
        assert_eq!(summary.derived_from, Some(screenshot.id().to_string()));
        assert_eq!(
            (summary.mode, summary.hidden_windows, summary.subject.as_deref()),
            (Mode::Window, 1, Some("Notes"))
        );
    }

    #[test]
    fn a_part_knows_where_it_is_on_the_screen() {
        let part = Screenshot::cropped(
            &taken(Pixels::plain(30, 20, [1, 2, 3])),
            Rect { x: 10, y: 5, width: 90, height: 5 },
        );
        let part = part.expect("a part").place();
        assert_eq!(part, Rect { x: 110, y: 55, width: 20, height: 5 });
    }

    #[test]
    fn what_was_read_counts_as_memory() {
        let screenshot = taken(Pixels::plain(10, 10, [0; 3]));
        let before = screenshot.memory();
        screenshot.keep_reading("eng", Arc::default());
        assert!(screenshot.memory() > before);
    }

    #[test]
    fn what_is_private_in_a_title_is_not_told() {
        let shot = Shot {
            subject: Some("anna@example.com - Mail".to_owned()),
            ..Shot::of(Pixels::plain(1, 1, [0; 3]))
        };
        let told = Screenshot::captured(Mode::Window, shot).summary().subject;
        assert_eq!(told.as_deref(), Some("[email] - Mail"));
    }
}
