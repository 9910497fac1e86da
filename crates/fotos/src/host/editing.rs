//! Documents: editing, undo and redo, and the pictures made of them.

use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use geometry::Rect;
use picture::{Effort, Layout, Picture, Pixels, encode_jpeg, encode_png, encode_webp};
use serde::{Deserialize, Serialize};

use super::Host;
use crate::document::{Edit, EditError, State};
use crate::error::Error;
use crate::events::Event;
use crate::screenshot::{By, Left, Screenshot};
use crate::webp;

/// The quality of WebP files that are exact.
const WITHOUT_LOSS: u8 = 100;

/// What kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "format")]
pub enum Format {
    /// Without loss.
    Png,
    /// Smaller, with loss.
    Jpeg {
        /// From 1 to 100.
        quality: u8,
    },
    /// The smallest.
    Webp {
        /// From 1 to 100; 100 is without loss.
        quality: u8,
    },
}

/// Some annotations alone, on nothing.
#[derive(Debug, Clone)]
pub struct LayerPicture {
    /// A PNG file with opacity.
    pub png: Bytes,
    /// Where it lies, in pixels of the base.
    pub place: Rect,
}

impl Host {
    /// What is drawn on a screenshot.
    pub fn document(&self, id: &str) -> Result<State, Error> {
        Ok(self.store.get(id)?.document().state())
    }

    /// Changes what is drawn. With `expected`, only if the document is at that revision.
    pub fn edit(&self, id: &str, edit: Edit, expected: Option<u64>) -> Result<State, Error> {
        self.change(id, expected, |document, frame| document.apply(edit, frame, By::Person))
    }

    /// Takes the last step back.
    pub fn undo(&self, id: &str, by: By) -> Result<State, Error> {
        self.change(id, None, |document, _| match (by, document.last_by()) {
            (By::Agent, Some(By::Person)) => Err(EditError::NotYours),
            _ => document.undo(),
        })
    }

    /// Takes the last undone step again.
    pub fn redo(&self, id: &str, by: By) -> Result<State, Error> {
        self.change(id, None, |document, _| match (by, document.next_by()) {
            (By::Agent, Some(By::Person)) => Err(EditError::NotYours),
            _ => document.redo(),
        })
    }

    fn change(
        &self,
        id: &str,
        expected: Option<u64>,
        change: impl FnOnce(&mut crate::document::Document, Rect) -> Result<(), EditError>,
    ) -> Result<State, Error> {
        let screenshot = self.store.get(id)?;
        let (width, height) = screenshot.size();
        let state = {
            let mut document = screenshot.document();
            let before = document.revision();
            if expected.is_some_and(|expected| expected != before) {
                return Err(EditError::Stale { now: before }.into());
            }
            change(&mut document, Rect::of_size(width, height))?;
            if document.revision() == before {
                return Ok(document.state());
            }
            document.state()
        };
        self.events.tell(&Event::Changed(screenshot.id()));
        self.remember(&screenshot);
        Ok(state)
    }

    /// A screenshot as it looks with its document.
    pub fn view(&self, id: &str) -> Result<Arc<Screenshot>, Error> {
        Ok(self.store.get(id)?.view(&self.renderer))
    }

    /// The picture as it looks, without the annotations of these ids: what a page shows below something that is being moved.
    pub fn flattened(&self, id: &str, hidden: &[String]) -> Result<Arc<Pixels>, Error> {
        if hidden.is_empty() {
            return self.view(id)?.pixels();
        }
        let screenshot = self.store.get(id)?;
        let content = screenshot.document().content().clone();
        let mut pixels = (*screenshot.pixels()?).clone();
        let shown = content.annotations().filter(|annotation| !hidden.contains(&annotation.id));
        self.renderer.lock().unwrap_or_else(PoisonError::into_inner).draw(shown, &mut pixels);
        let part = content.crop.and_then(|crop| pixels.part(crop));
        Ok(Arc::new(part.unwrap_or(pixels)))
    }

    /// The picture as it looks, as a file. `Screenshot::png` of the view keeps its file; this does not.
    pub fn export(&self, id: &str, format: Format) -> Result<Bytes, Error> {
        let view = self.view(id)?;
        Ok(match format {
            Format::Png => view.png()?,
            Format::Jpeg { quality } => encode_jpeg(view.pixels()?.picture(), quality)?.bytes.into(),
            Format::Webp { quality: WITHOUT_LOSS.. } => encode_webp(view.pixels()?.picture())?.bytes.into(),
            Format::Webp { quality } => webp::encode(&*view.pixels()?, quality)?.into(),
        })
    }

    /// Takes note that a picture was copied or saved as it looks now.
    pub fn exported(self: &Arc<Self>, id: &str, to: Left) -> Result<(), Error> {
        let screenshot = self.store.get(id)?;
        screenshot.document().mark_saved();
        self.note_left(screenshot.id(), to);
        self.events.tell(&Event::Changed(screenshot.id()));
        Ok(())
    }

    /// Takes note that text of a picture was copied.
    pub fn text_copied(self: &Arc<Self>, id: &str) -> Result<(), Error> {
        let screenshot = self.store.get(id)?;
        self.note_left(screenshot.id(), Left::Clipboard);
        Ok(())
    }

    /// Some annotations alone: what a page moves with the pointer.
    pub fn layer(&self, id: &str, ids: &[String]) -> Result<LayerPicture, Error> {
        let screenshot = self.store.get(id)?;
        let content = screenshot.document().content().clone();
        let (width, height) = screenshot.size();
        // On black and on white: where both are the same, nothing shines through.
        let drawn = |colour: u8| {
            let mut pixels = Pixels::plain(width, height, [colour; 3]);
            let wanted = content.annotations().filter(|annotation| ids.contains(&annotation.id));
            self.renderer.lock().unwrap_or_else(PoisonError::into_inner).draw(wanted, &mut pixels);
            pixels
        };
        let (black, white) = (drawn(0), drawn(u8::MAX));
        let place = inked(&black, &white).unwrap_or(Rect::of_size(1, 1));
        let mut bytes = Vec::with_capacity(place.width as usize * place.height as usize * 4);
        for (dark, light) in black.rows(place).zip(white.rows(place)) {
            for (dark, light) in dark.chunks_exact(3).zip(light.chunks_exact(3)) {
                bytes.extend(see_through(dark, light));
            }
        }
        let none = || Error::EmptyRegion { width, height };
        let picture = Picture::new(Layout::Rgba, place.width, place.height, bytes).map_err(|_| none())?;
        Ok(LayerPicture { png: encode_png(&picture, Effort::Fast)?.bytes.into(), place })
    }
}

/// The colour and opacity of what looks like this on black and on white.
fn see_through(dark: &[u8], light: &[u8]) -> [u8; 4] {
    let through = light.iter().zip(dark).map(|(light, dark)| light.saturating_sub(*dark)).min().unwrap_or(0);
    let opacity = u8::MAX - through;
    let colour = |dark: u8| {
        if opacity == 0 {
            return 0;
        }
        u8::try_from((u32::from(dark) * 255 + u32::from(opacity) / 2) / u32::from(opacity)).unwrap_or(u8::MAX)
    };
    match dark {
        [red, green, blue] => [colour(*red), colour(*green), colour(*blue), opacity],
        _ => [0; 4],
    }
}

/// The part in which anything is drawn.
fn inked(black: &Pixels, white: &Pixels) -> Option<Rect> {
    let frame = black.frame();
    let (mut left, mut top, mut right, mut bottom) = (i64::MAX, i64::MAX, 0, 0);
    for (y, (dark, light)) in (0_i64..).zip(black.rows(frame).zip(white.rows(frame))) {
        let is_drawn = |(dark, light): (&[u8], &[u8])| dark != [0; 3] || light != [u8::MAX; 3];
        let mut columns = (0_i64..).zip(dark.chunks_exact(3).zip(light.chunks_exact(3)));
        let Some((first, _)) = columns.find(|(_, pair)| is_drawn(*pair)) else { continue };
        let last = columns.filter(|(_, pair)| is_drawn(*pair)).last().map_or(first, |(x, _)| x);
        (left, right) = (left.min(first), right.max(last + 1));
        (top, bottom) = (top.min(y), y + 1);
    }
    Rect::from_edges(left, top, right, bottom)
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use mcp_testkit::Folder;
    use picture::{Limits, Pixels, decode};

    use super::Format;
    use crate::annotation::{Annotation, Colour, Extent, Shape};
    use crate::capture::Shot;
    use crate::document::{Edit, EditError};
    use crate::error::Error;
    use crate::screenshot::{By, Mode, Screenshot};
    use crate::{Config, Host};

    fn shapes() -> Vec<Annotation> {
        let frame = |x: f32| Extent { x, y: 10.0, width: 20.0, height: 15.0 };
        let named = |id: &str, shape| Annotation {
            id: id.to_owned(),
            ..Annotation::new(shape, Colour { rgb: [200, 40, 90], opacity: 180 }, 3.0)
        };
        vec![named("box", Shape::Rect(frame(5.0))), named("mark", Shape::Highlight(frame(40.0)))]
    }

    #[test]
    fn layers_on_the_rest_look_like_the_whole() {
        let folder = Folder::new();
        let host = Host::open(Config::default(), &folder.path("fotos")).expect("a host");
        let shot = Shot::of(Pixels::plain(80, 40, [10, 220, 130]));
        let id = host.keep(Screenshot::captured(Mode::Fullscreen, shot)).id().to_string();
        host.edit(&id, Edit::Add { annotations: shapes() }, Some(0)).expect("drawn");
        let stale = host.edit(&id, Edit::Remove { ids: vec!["box".into()] }, Some(0)).expect_err("stale");
        assert!(matches!(stale, Error::Edit(EditError::Stale { now: 1 })));
        let whole = host.flattened(&id, &[]).expect("a picture");
        let without = host.flattened(&id, &["mark".to_owned()]).expect("a picture");
        assert_ne!(whole, without);
        let layer = host.layer(&id, &["mark".to_owned()]).expect("a layer");
        assert_eq!(layer.place, Rect { x: 40, y: 10, width: 20, height: 15 });
        let (_, over) = decode(&layer.png, &Limits::default()).expect("a PNG");
        let drawn = over.bytes()[..4].to_vec();
        for (channel, below) in without.at(50, 20).iter().enumerate() {
            let opacity = f32::from(drawn[3]) / 255.0;
            let mixed = f32::from(drawn[channel]) * opacity + f32::from(*below) * (1.0 - opacity);
            let shown = f32::from(whole.at(50, 20)[channel]);
            assert!((mixed - shown).abs() <= 1.5, "{mixed} {shown}");
        }
        let file = host.export(&id, Format::Png).expect("a file");
        assert_eq!(Pixels::from_png(&file, 10_000).expect("a PNG"), *whole);
        host.edit(&id, Edit::Crop { region: Some(Rect { x: 4, y: 5, width: 30, height: 20 }) }, None)
            .expect("cut");
        assert_eq!(host.view(&id).expect("a view").size(), (30, 20));
        assert_eq!(host.flattened(&id, &[]).expect("a picture").at(1, 5), whole.at(5, 10));
        // An agent takes back what agents did, and nothing else.
        assert!(matches!(host.undo(&id, By::Agent), Err(Error::Edit(EditError::NotYours))));
    }
}
