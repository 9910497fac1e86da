//! The picture of a screenshot: in memory, in a file, or still to be drawn.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use picture::Pixels;

use super::Screenshot;
use crate::annotation::Renderer;
use crate::capture::MOST_PIXELS;
use crate::document::Content;
use crate::error::Error;
use crate::store::Spilled;

/// The pixels, or what they can be made of. A PNG file takes a tenth of their memory.
#[derive(Debug, Clone)]
pub(crate) enum Image {
    Pixels(Arc<Pixels>),
    Png(Bytes),
    Spilled(Arc<Spilled>),
    Drawn(Arc<Drawing>),
    /// Of a view that must not be seen any more.
    Gone,
}

/// A base with a document on it.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// Weak, since the base keeps its view; a base that is gone cannot be drawn on.
    pub(crate) base: Weak<Screenshot>,
    pub(crate) content: Content,
    pub(crate) renderer: Arc<Mutex<Renderer>>,
}

impl Drawing {
    fn pixels(&self) -> Result<Pixels, Error> {
        let base = self.base.upgrade().ok_or(Error::Deleted)?;
        let mut pixels = (*base.pixels()?).clone();
        {
            let mut renderer = self.renderer.lock().unwrap_or_else(PoisonError::into_inner);
            renderer.draw(self.content.annotations(), &mut pixels);
        }
        match self.content.crop {
            None => Ok(pixels),
            Some(crop) => pixels.part(crop).ok_or(Error::Deleted),
        }
    }
}

impl Image {
    pub(crate) fn pixels(&self) -> Result<Arc<Pixels>, Error> {
        match self {
            Image::Pixels(pixels) => Ok(Arc::clone(pixels)),
            Image::Png(bytes) => Ok(Arc::new(Pixels::from_png(bytes, MOST_PIXELS)?)),
            Image::Spilled(file) => Ok(Arc::new(Pixels::from_png(&file.read()?, MOST_PIXELS)?)),
            Image::Drawn(drawing) => drawing.pixels().map(Arc::new),
            Image::Gone => Err(Error::Deleted),
        }
    }

    /// How much memory it takes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Image::Pixels(pixels) => pixels.bytes().len(),
            Image::Png(bytes) => bytes.len(),
            Image::Spilled(_) | Image::Drawn(_) | Image::Gone => 0,
        }
    }

    /// Overwrites what is in memory, as far as nobody else has it.
    pub(crate) fn wipe(&mut self) {
        match self {
            Image::Pixels(pixels) => {
                if let Some(pixels) = Arc::get_mut(pixels) {
                    pixels.bytes_mut().fill(0);
                    std::hint::black_box(pixels.bytes());
                }
            }
            Image::Png(bytes) => {
                if let Ok(mut bytes) = std::mem::take(bytes).try_into_mut() {
                    bytes.fill(0);
                    std::hint::black_box(&bytes[..]);
                }
            }
            Image::Spilled(_) | Image::Drawn(_) | Image::Gone => {}
        }
    }
}
