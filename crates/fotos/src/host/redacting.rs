//! The person's redaction: it rewrites the base, cannot be taken back, and leaves no copy within reach.

use std::collections::HashSet;
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
        let mut redacted = self.redacted.lock().unwrap_or_else(PoisonError::into_inner);
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
        self.forget_files(screenshot.id());
        screenshot.rewrite(pixels);
        // Somebody may have written it again until it was rewritten.
        self.forget_files(screenshot.id());
        redacted.insert(screenshot.id(), screenshot.generation());
        // Lines it read are remembered by what they look like, and the last picture is in memory shared with the display.
        self.reader.forget();
        self.eye.close_if_idle();
        let mut left = screenshot.left();
        // What nobody can remove is told like what went elsewhere.
        left.extend(self.copies_in_files(screenshot.id()));
        let mut removed = Vec::new();
        for copy in
            self.store.all().into_iter().filter(|one| one.is_outdated(|id| redacted.get(&id).copied()))
        {
            left.extend(copy.left());
            if self.forget(&copy) {
                left.extend(self.copies_in_files(copy.id()));
                removed.push(copy.id());
                copy.wipe();
            }
        }
        // Whoever keeps a copy from now on learns of this.
        drop(redacted);
        self.forget_copies_in_history(screenshot.id());
        left.extend(self.sources(&screenshot));
        let mut told = HashSet::new();
        left.retain(|place| told.insert(place.clone()));
        self.raw_again(&screenshot);
        self.remember(&screenshot);
        self.events.tell(&Event::Changed(screenshot.id()));
        Ok(Purged { covered: inside.len(), removed, left })
    }

    /// Those it was made of, which still show everything.
    fn sources(&self, screenshot: &Screenshot) -> Vec<Left> {
        let source = |id: Uuid| match self.store.get(&id.to_string()) {
            Ok(_) => vec![Left::Screenshot { id }],
            // There was no room for it, or it is too old to be brought back.
            Err(_) => self.copies_in_files(id),
        };
        screenshot.made_of().flat_map(source).collect()
    }

    /// The files of a screenshot that are there.
    fn copies_in_files(&self, id: Uuid) -> Vec<Left> {
        let files = self.files_of(id).into_iter();
        files.map(|path| Left::File { path: path.display().to_string() }).collect()
    }

    /// Forgets one, with everything there is of it.
    pub(super) fn forget(&self, screenshot: &Arc<Screenshot>) -> bool {
        let is_gone = self.store.delete(&screenshot.id().to_string()).is_ok();
        if is_gone {
            self.forget_files(screenshot.id());
            self.events.tell(&Event::Removed(screenshot.id()));
        }
        is_gone
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use geometry::Rect;
    use mcp_testkit::Folder;
    use picture::Pixels;

    use crate::annotation::{Annotation, Colour, Extent, Font, Point, Shape};
    use crate::capture::Shot;
    use crate::document::Edit;
    use crate::error::Error;
    use crate::screenshot::{Left, Mode, Screenshot};
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
    fn text_that_is_being_read_while_it_is_covered_is_not_told() {
        let folder = Folder::new();
        let host = Host::open(Config::default(), &folder.path("fotos")).expect("a host");
        let mut pixels = Pixels::plain(400, 60, [255; 3]);
        let (at, font) = (Point { x: 20.0, y: 20.0 }, Font::SansSerif);
        let shape = Shape::Text { at, text: "the secret word".to_owned(), size: 18.0, width: None, font };
        host.draw(&[Annotation::new(shape, Colour { rgb: [0; 3], opacity: u8::MAX }, 1.0)], &mut pixels);
        let screenshot = host.keep(Screenshot::captured(Mode::Fullscreen, Shot::of(pixels)));
        let id = screenshot.id().to_string();
        let mut is_covered = false;
        let told = host.read(&screenshot, "eng", &mut |_| {
            if !std::mem::replace(&mut is_covered, true) {
                host.commit_redaction(&id, &[Rect::of_size(400, 60)]).expect("covered");
            }
            ControlFlow::Continue(())
        });
        assert!(is_covered && matches!(told, Err(Error::Deleted)), "{told:?}");
        assert_eq!(screenshot.text(), None);
    }

    #[test]
    fn a_copy_of_a_copy_goes_even_where_the_one_between_was_deleted() {
        let folder = Folder::new();
        let host = Host::open(Config::default(), &folder.path("fotos")).expect("a host");
        let shot = Shot::of(Pixels::plain(50, 40, SECRET));
        let screenshot = host.keep(Screenshot::captured(Mode::Fullscreen, shot));
        let part = host.crop(&screenshot, PART).expect("a part");
        let of_part = host.crop(&part, Rect::of_size(20, 15)).expect("a part of it");
        let under_way = Screenshot::cropped(&part, Rect::of_size(10, 10)).expect("another");
        host.delete(&part.id().to_string()).expect("deleted");
        let id = screenshot.id().to_string();
        let purged = host.commit_redaction(&id, &[Rect::of_size(50, 40)]).expect("covered");
        assert_eq!(purged.removed, [of_part.id()]);
        let late = host.keep(under_way).id().to_string();
        assert!(host.store.get(&late).is_err(), "it would show what was covered");
        // What is made of it from now on shows nothing, and stays.
        let fresh = host.crop(&screenshot, PART).expect("a part");
        assert!(!shows_secret(&fresh.pixels().expect("pixels")));
        let again = host.crop(&fresh, Rect::of_size(9, 9)).expect("a part of it");
        assert!(host.store.get(&again.id().to_string()).is_ok());
    }

    #[test]
    fn what_stands_in_the_history_alone_goes_too() {
        let folder = Folder::new();
        let host = Host::open(Config::default(), &folder.path("fotos")).expect("a host");
        host.patch_settings(r#"{"history":{"keep":"forever"}}"#).expect("set");
        let shot = Shot::of(Pixels::plain(50, 40, SECRET));
        let first = host.keep(Screenshot::captured(Mode::Fullscreen, shot));
        let part = host.crop(&first, PART).expect("a part");
        host.settle();
        let kept = folder.path("fotos/history").join(format!("{}.png", part.id()));
        assert!(kept.exists());
        // Out of the store, and not out of the history: there was no room, or it is too old to be brought back.
        host.store.delete(&part.id().to_string()).expect("it was there");
        host.commit_redaction(&first.id().to_string(), &[PART]).expect("covered");
        assert!(!kept.exists() && !kept.with_extension("json").exists());
        // Where the copy is redacted, what it was made of is named.
        let part = host.crop(&first, PART).expect("a part");
        host.store.delete(&first.id().to_string()).expect("it was there");
        let purged = host.commit_redaction(&part.id().to_string(), &[PART]).expect("covered");
        let source = folder.path("fotos/history").join(format!("{}.png", first.id()));
        assert!(purged.left.contains(&Left::File { path: source.display().to_string() }), "{purged:?}");
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
