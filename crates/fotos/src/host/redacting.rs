//! The person's redaction: it rewrites the base, cannot be taken back, and leaves no copy within reach.

use std::sync::{Arc, PoisonError};

use geometry::Rect;
use ocr::Watch;
use redaction::{Detection, blur};
use serde::Serialize;
use uuid::Uuid;

use super::Host;
use crate::error::Error;
use crate::events::Event;
use crate::screenshot::{Left, Screenshot};

/// What a redaction did.
#[derive(Debug, Clone, Serialize)]
pub struct Purged {
    /// How many boxes were covered.
    pub covered: usize,
    /// Screenshots that were made of it and are gone.
    pub removed: Vec<Uuid>,
    /// Where copies went that nobody can take back.
    pub left: Vec<Left>,
}

impl Host {
    /// What is private in a screenshot, for the person to look through. Boxes are in pixels of the base.
    pub fn review(&self, id: &str, watch: &mut Watch<'_>) -> Result<Vec<Detection>, Error> {
        self.find_private(&*self.store.get(id)?, watch)
    }

    /// Covers these boxes for good. Steps back, pictures made of it, its thumbnail, its text and its files go.
    pub fn commit_redaction(&self, id: &str, boxes: &[Rect]) -> Result<Purged, Error> {
        let _alone = self.redacting.lock().unwrap_or_else(PoisonError::into_inner);
        let screenshot = self.store.get(id)?;
        let (width, height) = screenshot.size();
        let frame = Rect::of_size(width, height);
        let inside: Vec<Rect> = boxes.iter().filter_map(|place| frame.common(*place)).collect();
        if inside.is_empty() {
            return Err(Error::EmptyRegion { width, height });
        }
        let mut pixels = (*screenshot.pixels()?).clone();
        for place in &inside {
            blur(&mut pixels, *place);
        }
        // What is on the disk goes first: a crash in between loses a copy and reveals nothing.
        self.forget_in_history(screenshot.id());
        screenshot.rewrite(pixels);
        // Lines it read are remembered by what they look like.
        self.reader.forget();
        let mut left = screenshot.left();
        let mut removed = Vec::new();
        for copy in self.store.made_of(screenshot.id()) {
            left.extend(copy.left());
            if self.forget(&copy) {
                removed.push(copy.id());
            }
        }
        left.extend(self.sources(&screenshot));
        left.dedup();
        self.raw_again(&screenshot);
        self.remember(&screenshot);
        self.events.tell(&Event::Changed(screenshot.id()));
        Ok(Purged { covered: inside.len(), removed, left })
    }

    /// Those it was made of, which still show everything.
    fn sources(&self, screenshot: &Screenshot) -> Vec<Left> {
        let mut found = Vec::new();
        let mut next = screenshot.parent();
        while let Some(parent) = next.and_then(|id| self.store.get(&id.to_string()).ok()) {
            found.push(Left::Screenshot { id: parent.id() });
            next = parent.parent().filter(|_| found.len() < 100);
        }
        found
    }

    /// Forgets one, with everything there is of it.
    pub(super) fn forget(&self, screenshot: &Arc<Screenshot>) -> bool {
        let is_gone = self.store.delete(&screenshot.id().to_string()).is_ok();
        if is_gone {
            self.forget_in_history(screenshot.id());
            self.events.tell(&Event::Removed(screenshot.id()));
        }
        is_gone
    }
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use mcp_testkit::Folder;
    use picture::Pixels;

    use crate::annotation::{Annotation, Colour, Extent, Shape};
    use crate::capture::Shot;
    use crate::document::Edit;
    use crate::screenshot::{Mode, Screenshot};
    use crate::{Config, Host};

    const SECRET: [u8; 3] = [9, 200, 30];
    const PART: Rect = Rect { x: 10, y: 10, width: 30, height: 20 };

    fn rect() -> Edit {
        let frame = Extent { x: 1.0, y: 1.0, width: 5.0, height: 5.0 };
        Edit::Add { annotations: vec![Annotation::new(Shape::Rect(frame), Colour::RED, 1.0)] }
    }

    fn shows_secret(pixels: &Pixels) -> bool {
        pixels.bytes().chunks_exact(3).any(|pixel| pixel == SECRET)
    }

    #[test]
    fn what_was_under_way_does_not_bring_back_what_was_covered() {
        let folder = Folder::new();
        let host = Host::open(Config::default(), &folder.path("fotos")).expect("a host");
        let shot = Shot::of(Pixels::plain(50, 40, SECRET));
        let screenshot = host.keep(Screenshot::captured(Mode::Fullscreen, shot));
        let id = screenshot.id().to_string();
        host.edit(&id, rect(), None).expect("drawn");
        // Somebody has the view and its file, and somebody else cuts a part out of the picture.
        let view = host.view(&id).expect("a view");
        view.png().expect("a file");
        let part = Screenshot::cropped(&screenshot, PART).expect("a part");
        assert!(shows_secret(&part.pixels().expect("pixels")));
        let all = Rect::of_size(50, 40);
        let purged = host.commit_redaction(&id, &[all]).expect("covered");
        assert_eq!((purged.covered, purged.removed.len()), (1, 0));
        assert!(view.pixels().is_err() && view.png().is_err());
        let late = host.keep(part).id().to_string();
        assert!(host.store.get(&late).is_err(), "it would show what was covered");
        assert!(!shows_secret(&host.flattened(&id, &[]).expect("a picture")));
        assert!(host.undo(&id, crate::screenshot::By::Person).is_err());
    }

    #[test]
    fn boxes_outside_cover_nothing_and_say_so() {
        let folder = Folder::new();
        let host = Host::open(Config::default(), &folder.path("fotos")).expect("a host");
        let shot = Shot::of(Pixels::plain(50, 40, SECRET));
        let id = host.keep(Screenshot::captured(Mode::Fullscreen, shot)).id().to_string();
        let outside = Rect { x: 60, y: 0, width: 5, height: 5 };
        assert!(host.commit_redaction(&id, &[outside]).is_err() && host.commit_redaction(&id, &[]).is_err());
        assert!(Host::open(Config::default(), &folder.path("fotos")).is_err(), "one process at a time");
    }
}
