//! A screenshot as it looks with its document, and what becomes of that when its base is rewritten.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use geometry::Rect;
use picture::Pixels;

use super::Screenshot;
use super::image::{Drawing, Image};
use crate::annotation::Renderer;
use crate::error::Error;

impl Screenshot {
    /// As it looks with its document: the same name, drawn when its picture is needed.
    pub(crate) fn view(self: &Arc<Self>, renderer: &Arc<Mutex<Renderer>>) -> Arc<Screenshot> {
        let (content, revision) = {
            let document = self.document();
            if document.content().is_plain() {
                return Arc::clone(self);
            }
            (document.content().clone(), document.revision())
        };
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = &*view
            && *of == revision
        {
            return Arc::clone(known);
        }
        let crop = content.crop.unwrap_or(Rect::of_size(self.place.width, self.place.height));
        let windows = self.windows.iter().filter_map(|window| window.common(crop));
        let drawing = Drawing { base: Arc::downgrade(self), content, renderer: Arc::clone(renderer) };
        let drawn = Screenshot {
            id: self.id,
            taken: self.taken,
            mode: self.mode,
            subject: self.subject.clone(),
            hidden: self.hidden,
            warning: self.warning.clone(),
            origin: self.origin,
            lineage: self.lineage.clone(),
            place: Rect {
                x: self.place.x.saturating_add(crop.x),
                y: self.place.y.saturating_add(crop.y),
                ..crop
            },
            windows: windows.map(|window| window.seen_from(crop.x, crop.y)).collect(),
            by: self.by,
            generation: AtomicU64::new(self.generation()),
            ..Screenshot::empty(Image::Drawn(Arc::new(drawing)))
        };
        let drawn = Arc::new(drawn);
        *view = Some((revision, Arc::clone(&drawn)));
        drawn
    }

    /// Gives it another base, and forgets everything that was made of the old one.
    pub(crate) fn rewrite(&self, pixels: Pixels) {
        let old = std::mem::replace(
            &mut *self.image.lock().unwrap_or_else(PoisonError::into_inner),
            Image::Pixels(Arc::new(pixels)),
        );
        let mut old = old;
        old.wipe();
        // Before the readings go: one that is under way is not kept.
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).clear();
        if let Some(earlier) = &self.earlier {
            *earlier.text.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        if let Some((_, view)) = self.view.lock().unwrap_or_else(PoisonError::into_inner).take() {
            view.retire();
        }
        // Before the thumbnail goes: one that is being made is of an old revision, and is not kept.
        self.document().forget_steps();
        *self.thumbnail.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Forgets a view whose base was rewritten: whoever has it still must not see what it showed.
    fn retire(&self) {
        let mut old =
            std::mem::replace(&mut *self.image.lock().unwrap_or_else(PoisonError::into_inner), Image::Gone);
        old.wipe();
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Forgets its picture and everything that was made of it; whoever has it still sees it no more.
    pub(crate) fn wipe(&self) {
        self.retire();
        *self.thumbnail.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some((_, view)) = self.view.lock().unwrap_or_else(PoisonError::into_inner).take() {
            view.retire();
        }
    }

    /// A small picture of it, made once for each revision.
    pub(crate) fn thumbnail(&self, edge: u32, view: &Screenshot) -> Result<Bytes, Error> {
        let revision = self.document().revision();
        if let Some((of, long, png)) = &*self.thumbnail.lock().unwrap_or_else(PoisonError::into_inner)
            && (*of, *long) == (revision, edge)
        {
            return Ok(png.clone());
        }
        let pixels = view.pixels()?;
        let small = pixels.smaller(edge);
        let png = Bytes::from(small.as_ref().unwrap_or(&pixels).png(picture::Effort::Fast)?);
        let mut thumbnail = self.thumbnail.lock().unwrap_or_else(PoisonError::into_inner);
        // What was rewritten meanwhile must not come back.
        if self.document().revision() == revision {
            *thumbnail = Some((revision, edge, png.clone()));
        }
        Ok(png)
    }
}
