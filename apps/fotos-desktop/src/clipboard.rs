//! Pictures in the clipboard. What is put there is read back by another way: only then it is there for others.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use arboard::ImageData;
use picture::Pixels;
use tauri::AppHandle;

use crate::sys;

/// Why a picture is not in the clipboard.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClipboardError {
    #[error("the clipboard cannot be used: {0}")]
    Unusable(#[from] arboard::Error),
    #[error("the clipboard does not answer; a clipboard manager may be in the way: try again")]
    Silent,
    #[error("the clipboard does not hold the picture; a clipboard manager may have changed it: try again")]
    Different,
}

/// The clipboard. What was copied is served to others as long as this is there.
#[derive(Default)]
pub(crate) struct Clipboard(Mutex<Option<arboard::Clipboard>>);

impl Clipboard {
    /// Puts a picture there, and makes sure that it is there.
    pub(crate) fn write(&self, app: &AppHandle, picture: &Pixels) -> Result<(), ClipboardError> {
        let opaque = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2], u8::MAX];
        let rgba: Vec<u8> = picture.bytes().chunks_exact(3).flat_map(opaque).collect();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        {
            let mut clipboard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let clipboard = match clipboard.as_mut() {
                Some(clipboard) => clipboard,
                None => clipboard.insert(arboard::Clipboard::new()?),
            };
            clipboard.set_image(ImageData { bytes: Cow::Owned(rgba), width, height })?;
        }
        let there = sys::read_clipboard(app)?.ok_or(ClipboardError::Different)?;
        let pixels = u64::from(picture.width()) * u64::from(picture.height());
        let there = Pixels::from_png(&there, pixels).map_err(|_| ClipboardError::Different)?;
        let is_same = (there.width(), there.height()) == (picture.width(), picture.height())
            && there.bytes() == picture.bytes();
        if is_same { Ok(()) } else { Err(ClipboardError::Different) }
    }
}
