//! A screenshot: where it comes from, when, and its pixels.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use calendar::Utc;
use ocr::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::capture::{MOST_PIXELS, Shot};
use crate::error::Error;
use crate::pixels::Pixels;

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
}

/// A screenshot, in memory alone.
#[derive(Debug)]
pub struct Screenshot {
    id: Uuid,
    taken: SystemTime,
    mode: Mode,
    subject: Option<String>,
    hidden: usize,
    origin: Origin,
    parent: Option<Uuid>,
    width: u32,
    height: u32,
    kept: Mutex<Kept>,
    /// What was read, by language, the latest last.
    readings: Mutex<Vec<(String, Arc<Page>)>>,
}

/// In how many languages a screenshot is read, at most.
const MOST_READINGS: usize = 8;

/// The pixels, or the PNG file made of them, which takes a tenth of the memory.
#[derive(Debug, Clone)]
enum Kept {
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
    /// The monitor's name or the window's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// How it came about.
    pub origin: Origin,
    /// The screenshot it was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<String>,
    /// How many windows the person excluded are blacked out in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden_windows: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Screenshot {
    /// One that was just taken.
    pub fn captured(mode: Mode, shot: Shot) -> Screenshot {
        let Shot { pixels, subject, hidden } = shot;
        Screenshot {
            id: Uuid::new_v4(),
            taken: SystemTime::now(),
            mode,
            subject,
            hidden,
            origin: Origin::Captured,
            parent: None,
            width: pixels.width(),
            height: pixels.height(),
            kept: Mutex::new(Kept::Pixels(Arc::new(pixels))),
            readings: Mutex::default(),
        }
    }

    /// One made of another.
    pub fn derived(from: &Screenshot, origin: Origin, pixels: Pixels) -> Screenshot {
        let shot = Shot { pixels, subject: from.subject.clone(), hidden: from.hidden };
        Screenshot { origin, parent: Some(from.id), ..Screenshot::captured(from.mode, shot) }
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
        (self.width, self.height)
    }

    /// What is said about it.
    pub fn summary(&self) -> Summary {
        Summary {
            screenshot_id: self.id.to_string(),
            timestamp: Utc::from(self.taken).to_string(),
            width: self.width,
            height: self.height,
            mode: self.mode,
            subject: self.subject.clone(),
            origin: self.origin,
            derived_from: self.parent.map(|parent| parent.to_string()),
            hidden_windows: self.hidden,
        }
    }

    /// Its pixels.
    pub fn pixels(&self) -> Result<Arc<Pixels>, Error> {
        match self.kept() {
            Kept::Pixels(pixels) => Ok(pixels),
            Kept::Png(bytes) => Ok(Arc::new(Pixels::from_png(&bytes, MOST_PIXELS)?)),
        }
    }

    /// The whole picture as a PNG file, which is kept instead of the pixels from now on.
    pub fn png(&self) -> Result<Bytes, Error> {
        match self.kept() {
            Kept::Png(bytes) => Ok(bytes),
            Kept::Pixels(pixels) => {
                let bytes = Bytes::from(pixels.png(picture::Effort::Fast)?);
                *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::Png(bytes.clone());
                Ok(bytes)
            }
        }
    }

    /// Whether its PNG file is at hand.
    pub fn has_png(&self) -> bool {
        matches!(self.kept(), Kept::Png(_))
    }

    /// How much memory it takes.
    pub fn memory(&self) -> usize {
        match self.kept() {
            Kept::Pixels(pixels) => pixels.bytes().len(),
            Kept::Png(bytes) => bytes.len(),
        }
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

    fn kept(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, Origin, Screenshot};
    use crate::capture::Shot;
    use crate::pixels::Pixels;

    #[test]
    fn pixels_outlive_their_change_into_a_file() {
        let pixels = Pixels::plain(30, 20, [1, 2, 3]);
        let shot = Shot { pixels: pixels.clone(), subject: Some("Notes".to_owned()), hidden: 1 };
        let screenshot = Screenshot::captured(Mode::Window, shot);
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
}
