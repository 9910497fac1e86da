//! The person's redaction: it rewrites the base, cannot be taken back, and leaves no copy within reach.

use std::sync::Arc;

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
