//! A screenshot: where it comes from, when, its picture, and what is drawn on it.

mod image;
mod left;
mod lineage;
mod readings;
mod record;
mod view;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use calendar::Utc;
use geometry::Rect;
use ocr::Page;
use picture::Pixels;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::capture::{Shot, Target};
use crate::document::Document;
use crate::error::Error;
use crate::store::Spilled;

pub(crate) use image::Image;
pub use left::Left;
use lineage::Lineage;
pub use record::Record;

/// Who did something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// An agent, through MCP.
    #[default]
    Agent,
    /// The person, in the application.
    Person,
}

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// A file or the clipboard.
    Opened,
}

/// A screenshot with its document.
#[derive(Debug)]
pub struct Screenshot {
    id: Uuid,
    taken: SystemTime,
    mode: Mode,
    subject: Option<String>,
    hidden: usize,
    warning: Option<String>,
    origin: Origin,
    lineage: Lineage,
    /// Where it is on the screen.
    place: Rect,
    /// The windows that are seen in it, the uppermost first, in its own pixels.
    windows: Vec<Rect>,
    by: By,
    /// Whether the person lets agents see it.
    shared: AtomicBool,
    image: Mutex<Image>,
    /// What was read, by language, the latest last.
    readings: Mutex<Vec<(String, Arc<Page>)>>,
    document: Mutex<Document>,
    /// How it looked at this revision of its document.
    view: Mutex<Option<(u64, Arc<Screenshot>)>>,
    /// A small picture of it at this revision, and its longest edge.
    thumbnail: Mutex<Option<(u64, u32, Bytes)>>,
    left: Mutex<Vec<Left>>,
    generation: AtomicU64,
    /// What was read in it in an earlier run, if it is from one.
    earlier: Option<Earlier>,
}

/// What is left of an earlier run.
#[derive(Debug)]
struct Earlier {
    text: Mutex<Option<String>>,
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
            mode,
            subject,
            hidden,
            warning,
            place,
            windows,
            ..Screenshot::empty(Image::Pixels(Arc::new(pixels)))
        }
    }

    /// A new one of which nothing is known but its picture.
    fn empty(image: Image) -> Screenshot {
        Screenshot {
            id: Uuid::new_v4(),
            taken: SystemTime::now(),
            mode: Mode::default(),
            subject: None,
            hidden: 0,
            warning: None,
            origin: Origin::Captured,
            lineage: Lineage::default(),
            place: Rect::of_size(0, 0),
            windows: Vec::new(),
            by: By::Agent,
            shared: AtomicBool::new(false),
            image: Mutex::new(image),
            readings: Mutex::default(),
            document: Mutex::default(),
            view: Mutex::default(),
            thumbnail: Mutex::default(),
            left: Mutex::default(),
            generation: AtomicU64::new(0),
            earlier: None,
        }
    }

    /// One the person opened or pasted.
    pub(crate) fn opened(name: Option<String>, pixels: Pixels) -> Screenshot {
        let shot = Shot { subject: name, ..Shot::of(pixels) };
        Screenshot { origin: Origin::Opened, by: By::Person, ..Screenshot::captured(Mode::Fullscreen, shot) }
    }

    /// The same, as the person's own.
    pub(crate) fn by_person(self) -> Screenshot {
        Screenshot { by: By::Person, ..self }
    }

    /// The same, with something drawn on it already.
    pub(crate) fn with_document(self, document: Document) -> Screenshot {
        Screenshot { document: Mutex::new(document), ..self }
    }

    /// What is drawn on it.
    pub(crate) fn document(&self) -> MutexGuard<'_, Document> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who took it.
    pub fn by(&self) -> By {
        self.by
    }

    /// When it was taken.
    pub fn taken(&self) -> SystemTime {
        self.taken
    }

    /// Whether it is from an earlier run.
    pub fn is_earlier(&self) -> bool {
        self.earlier.is_some()
    }

    /// The same, as one of an earlier run, in which this was read.
    pub(crate) fn marked_earlier(self, text: Option<String>) -> Screenshot {
        Screenshot { earlier: Some(Earlier { text: Mutex::new(text) }), ..self }
    }

    /// The same, as if it had been taken by itself.
    pub(crate) fn without_parent(self) -> Screenshot {
        Screenshot { lineage: Lineage::default(), origin: Origin::Captured, ..self }
    }

    /// The monitor's name, the window's title or the file's name, as it is.
    pub fn title(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// Keeps its picture in a file from now on, which has the bytes of `png`; unless it was rewritten meanwhile.
    pub(crate) fn spill(&self, png: &Bytes, file: Spilled) {
        let mut image = self.image.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(&*image, Image::Png(now) if now.as_ptr() == png.as_ptr()) {
            *image = Image::Spilled(Arc::new(file));
        }
    }

    /// Whether its picture is in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.image().memory() > 0
    }

    /// How large its file in the spill folder is.
    pub(crate) fn on_disk(&self) -> u64 {
        match self.image() {
            Image::Spilled(file) => file.length(),
            Image::Pixels(_) | Image::Png(_) | Image::Drawn(_) | Image::Gone => 0,
        }
    }

    /// One made of another, as large as that; `generation` is that of the other when its pixels were read, asked before.
    pub fn derived(from: &Screenshot, generation: u64, origin: Origin, pixels: Pixels) -> Screenshot {
        let shot = Shot {
            pixels,
            origin: (from.place.x, from.place.y),
            subject: from.subject.clone(),
            hidden: from.hidden,
            windows: from.windows.clone(),
            warning: from.warning.clone(),
        };
        Screenshot {
            origin,
            lineage: from.lineage.followed_by(from.id, generation),
            ..Screenshot::captured(from.mode, shot)
        }
    }

    /// A part of another; nothing where that has none.
    pub fn cropped(from: &Screenshot, region: Rect) -> Result<Screenshot, Error> {
        let frame = Rect::of_size(from.place.width, from.place.height);
        let none = Error::EmptyRegion { width: frame.width, height: frame.height };
        let Some(region) = frame.common(region) else { return Err(none) };
        let generation = from.generation();
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
            lineage: from.lineage.followed_by(from.id, generation),
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
            derived_from: self.parent().map(|parent| parent.to_string()),
            hidden_windows: self.hidden,
            warning: self.warning.clone(),
        }
    }

    /// Its pixels.
    pub fn pixels(&self) -> Result<Arc<Pixels>, Error> {
        self.image().pixels()
    }

    /// The whole picture as a PNG file, which is kept instead of the pixels from now on.
    pub fn png(&self) -> Result<Bytes, Error> {
        let pixels = match self.image() {
            Image::Png(bytes) => return Ok(bytes),
            Image::Spilled(file) => return Ok(file.read()?),
            Image::Gone => return Err(Error::Deleted),
            Image::Pixels(pixels) => pixels,
            drawn @ Image::Drawn(_) => drawn.pixels()?,
        };
        let bytes = Bytes::from(pixels.png(picture::Effort::Fast)?);
        let mut image = self.image.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have been rewritten meanwhile: then this picture must not come back.
        let is_same = match &*image {
            Image::Pixels(now) => Arc::ptr_eq(now, &pixels),
            Image::Drawn(_) => true,
            Image::Png(_) | Image::Spilled(_) | Image::Gone => false,
        };
        if is_same {
            *image = Image::Png(bytes.clone());
        }
        Ok(bytes)
    }

    /// Whether its PNG file is at hand.
    pub fn has_png(&self) -> bool {
        matches!(self.image(), Image::Png(_) | Image::Spilled(_))
    }

    /// How much memory it takes, what was read and drawn included.
    pub fn memory(&self) -> usize {
        let readings: usize = {
            let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
            readings.iter().map(|(_, page)| page.memory()).sum()
        };
        let view = self.view.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let thumbnail = self
            .thumbnail
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(|(_, _, png)| png.len());
        self.image().memory()
            + readings
            + self.document().memory()
            + view.map_or(0, |(_, view)| view.memory())
            + thumbnail.unwrap_or(0)
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
        let summary = Screenshot::derived(&screenshot, 0, Origin::Redacted, pixels).summary();
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
        screenshot.keep_reading("eng", Arc::default(), 0);
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
