//! The desktop of Windows.

use bytes::Bytes;
use picture::{Effort, Layout, Picture, Pixels};
use rfd::{MessageDialog, MessageLevel};
use tauri::AppHandle;

use crate::clipboard::ClipboardError;

/// There always is one; what cannot be made there is an error of the window.
pub(crate) fn has_display() -> bool {
    true
}

/// Says why there is no window. A program with windows has no terminal to say it in.
pub(crate) fn tell(message: &str) {
    MessageDialog::new().set_level(MessageLevel::Error).set_title("Fotos").set_description(message).show();
}

/// The picture that is in the clipboard, as a PNG file. The clipboard is the system's: what is read has gone through it.
pub(crate) fn read_clipboard(_: &AppHandle) -> Result<Option<Bytes>, ClipboardError> {
    let image = match arboard::Clipboard::new()?.get_image() {
        Ok(image) => image,
        Err(arboard::Error::ContentNotAvailable) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let (Ok(width), Ok(height)) = (u32::try_from(image.width), u32::try_from(image.height)) else {
        return Ok(None);
    };
    let Ok(picture) = Picture::new(Layout::Rgba, width, height, image.bytes.into_owned()) else {
        return Ok(None);
    };
    let png = Pixels::from(picture).png(Effort::Fast).map_err(|_| ClipboardError::Different)?;
    Ok(Some(png.into()))
}

/// Any program may have keys that work from anywhere.
pub(crate) fn has_global_shortcuts() -> bool {
    true
}

/// The taskbar has one.
pub(crate) fn has_tray() -> bool {
    true
}

/// Nothing is needed for it.
pub(crate) fn can_show_tray() -> bool {
    true
}

/// Waits until a console ends us.
pub(crate) async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
