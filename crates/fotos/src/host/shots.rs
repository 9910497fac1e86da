//! Screenshots as the person has them.

use std::sync::Arc;

use bytes::Bytes;
use geometry::Rect;
use picture::{Limits, Pixels, decode};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use uuid::Uuid;

use super::Host;
use crate::capture::{Cursor, MOST_PIXELS, MonitorInfo, Target, Which, Window, Wish};
use crate::error::Error;
use crate::events::Event;
use crate::screenshot::{By, Left, Screenshot, Summary};
use crate::settings::Keep;

/// What is said about a screenshot to the person.
#[derive(Debug, Clone, Serialize)]
pub struct ShotInfo {
    /// What everybody is told.
    #[serde(flatten)]
    pub summary: Summary,
    /// The monitor's name, the window's title or the file's name, as it is.
    pub title: Option<String>,
    /// Who took it.
    pub by: By,
    /// Whether the person lets agents see it.
    pub shared: bool,
    /// Grows with every change: part of the address of its pictures, which are never kept longer.
    pub revision: u64,
    /// How many annotations there are.
    pub annotations: usize,
    /// Whether it changed since it was saved or copied.
    pub unsaved: bool,
    /// Where copies of it went.
    pub left: Vec<Left>,
    /// Whether it is from an earlier run.
    pub earlier: bool,
    /// Where its file is while it is dragged out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag: Option<String>,
}

/// What the person wants captured.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", tag = "mode", deny_unknown_fields)]
pub enum Picked {
    /// All monitors.
    Fullscreen {
        /// A part of it: a region on a frozen shot is [`Host::cut`] instead.
        region: Option<Rect>,
    },
    /// One monitor.
    Monitor {
        /// Its number.
        index: usize,
    },
    /// One window.
    Window {
        /// Its number, among the windows there are.
        number: u32,
    },
}

impl Host {
    /// All screenshots of this run and, where it is kept, those of earlier ones; the newest first.
    pub fn shots(&self) -> Vec<ShotInfo> {
        self.store.all().iter().map(|screenshot| self.info(screenshot)).collect()
    }

    /// One screenshot.
    pub fn shot(&self, id: &str) -> Result<ShotInfo, Error> {
        Ok(self.info(&*self.store.get(id)?))
    }

    /// How many screenshots the person drew on would be lost at the end: neither saved nor copied, nor kept for the next run.
    pub fn unsaved(&self) -> usize {
        if self.settings().history.keep != Keep::Off && self.history_trouble().is_none() {
            return 0;
        }
        let is_lost = |screenshot: &&Arc<Screenshot>| {
            let document = screenshot.document();
            document.is_unsaved() && document.is_touched()
        };
        self.store.all().iter().filter(is_lost).count()
    }

    /// The windows there are, the uppermost first, without those nobody is to see.
    pub async fn windows(&self) -> Result<Vec<Window>, Error> {
        self.windows_without(self.excluded(&[])).await
    }

    /// The monitors there are.
    pub async fn monitors(&self) -> Result<Vec<MonitorInfo>, Error> {
        Ok(self.eye.monitors().await?)
    }

    /// Takes a picture for the person. Delays and countdowns are the caller's.
    pub async fn snap(self: &Arc<Self>, picked: Picked, cursor: Cursor) -> Result<Arc<Screenshot>, Error> {
        let (target, region) = match picked {
            Picked::Fullscreen { region } => (Target::Fullscreen, region),
            Picked::Monitor { index } => (Target::Monitor(index), None),
            Picked::Window { number } => (Target::Window(Which::Numbered(number)), None),
        };
        let wish = Wish { target, region, cursor, excluded: self.excluded(&[]) };
        let screenshot = self.capture(wish, By::Person).await?;
        self.share_if_new(&screenshot);
        Ok(screenshot)
    }

    /// Keeps a part of a frozen shot as a screenshot of the person's own, and forgets the frozen one.
    pub async fn cut(self: &Arc<Self>, frozen: &str, region: Rect) -> Result<Arc<Screenshot>, Error> {
        let source = self.store.get(frozen)?;
        let part = self
            .work(move |host| {
                let part = Screenshot::cropped(&source, region)?.by_person().without_parent();
                Ok(host.keep(part))
            })
            .await?;
        self.delete(frozen)?;
        self.share_if_new(&part);
        Ok(part)
    }

    /// Keeps a picture from a file or the clipboard: PNG, JPEG, WebP, GIF, BMP or TIFF.
    pub async fn add_picture(
        self: &Arc<Self>,
        name: Option<String>,
        bytes: Bytes,
    ) -> Result<Arc<Screenshot>, Error> {
        self.store.check_room()?;
        self.work(move |host| {
            let limits = Limits { pixels: MOST_PIXELS, ..Limits::default() };
            let (_, picture) = decode(&bytes, &limits)?;
            Ok(host.keep(Screenshot::opened(name, Pixels::from(picture))))
        })
        .await
    }

    fn share_if_new(&self, screenshot: &Screenshot) {
        if self.settings().agents.share_new {
            screenshot.share(true);
            self.events.tell(&Event::Changed(screenshot.id()));
        }
    }

    /// Lets agents see a screenshot of the person's, or not any more.
    pub fn share(&self, id: &str, shared: bool) -> Result<(), Error> {
        let screenshot = self.store.get(id)?;
        screenshot.share(shared);
        self.events.tell(&Event::Changed(screenshot.id()));
        Ok(())
    }

    /// Takes note that a copy of a screenshot went somewhere, also for later runs.
    pub(crate) fn note_left(self: &Arc<Self>, id: Uuid, to: Left) {
        let Ok(screenshot) = self.store.get(&id.to_string()) else { return };
        if !screenshot.note_left(to) {
            return;
        }
        let host = Arc::clone(self);
        let remember = move || host.remember(&screenshot);
        // A disk may be slow, and an agent waits for its answer.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remember)),
            Err(_) => remember(),
        }
    }

    /// A small picture of a screenshot as it looks, no longer than `edge`.
    pub fn thumbnail(&self, id: &str, edge: u32) -> Result<Bytes, Error> {
        let screenshot = self.store.get(id)?;
        screenshot.thumbnail(edge.clamp(16, 1_024), &screenshot.view(&self.renderer))
    }

    /// Screenshots whose text or title contains this, in upper or lower case; the newest first. Only what was read before is
    /// looked through.
    pub fn search(&self, text: &str) -> Vec<ShotInfo> {
        let wanted = text.trim().to_lowercase();
        let is_found = |screenshot: &Arc<Screenshot>| {
            let title = screenshot.title().is_some_and(|title| title.to_lowercase().contains(&wanted));
            title || screenshot.text().is_some_and(|text| text.to_lowercase().contains(&wanted))
        };
        let all = self.store.all();
        all.iter().filter(|one| is_found(one)).map(|one| self.info(one)).collect()
    }

    fn info(&self, screenshot: &Screenshot) -> ShotInfo {
        let (revision, annotations, unsaved) = {
            let document = screenshot.document();
            (document.revision(), document.content().annotations().count(), document.is_unsaved())
        };
        ShotInfo {
            summary: screenshot.summary(),
            title: screenshot.title().map(str::to_owned),
            by: screenshot.by(),
            shared: screenshot.is_shared(),
            revision,
            annotations,
            unsaved,
            left: screenshot.left(),
            earlier: screenshot.is_earlier(),
            // What is no text cannot be told to a page.
            drag: self.drag_path(screenshot).and_then(|path| path.to_str().map(str::to_owned)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcp_testkit::Folder;
    use picture::Pixels;

    use crate::annotation::{Annotation, Colour, Extent, Shape};
    use crate::capture::Shot;
    use crate::document::Edit;
    use crate::screenshot::{Left, Mode, Screenshot};
    use crate::{Config, Host};

    #[test]
    fn what_the_person_drew_is_unsaved_whoever_took_the_picture() {
        let folder = Folder::new();
        let host = Arc::new(Host::open(Config::default(), &folder.path("fotos")).expect("a host"));
        let shot = || Screenshot::captured(Mode::Fullscreen, Shot::of(Pixels::plain(50, 40, [7; 3])));
        let mark = || {
            let frame = Extent { x: 1.0, y: 1.0, width: 9.0, height: 9.0 };
            Annotation::new(Shape::Rect(frame), Colour::RED, 2.0)
        };
        let (agents, own) = (host.keep(shot()), host.keep(shot().by_person()));
        host.annotate(&agents, &[mark()]).expect("drawn by an agent");
        assert_eq!(host.unsaved(), 0, "nothing of the person's is in danger");
        for screenshot in [&agents, &own] {
            let edit = Edit::Add { annotations: vec![mark()] };
            host.edit(&screenshot.id().to_string(), edit, None).expect("drawn");
        }
        assert_eq!(host.unsaved(), 2);
        host.exported(&own.id().to_string(), Left::Clipboard).expect("copied");
        assert_eq!(host.unsaved(), 1);
        host.patch_settings(r#"{"history":{"keep":"forever"}}"#).expect("set");
        assert_eq!(host.unsaved(), 0, "the next run has it");
    }
}
