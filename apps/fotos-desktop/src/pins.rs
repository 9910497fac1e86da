//! Pictures that stay on top of everything.

use fotos::pages::PATH;
use tauri::{AppHandle, Manager as _};

use crate::serving::Serving;
use crate::windows;

/// The largest edge a pin begins with, in units of the desktop.
const LARGEST: f64 = 640.0;

fn label(id: &str) -> String {
    format!("pin-{id}")
}

/// Pins a picture, or brings its pin up.
pub(crate) fn pin(app: &AppHandle, id: &str) -> tauri::Result<()> {
    let label = label(id);
    if let Some(window) = app.get_webview_window(&label) {
        return window.set_focus();
    }
    let view = app.state::<Serving>().host().view(id).map_err(|error| tauri::Error::Anyhow(error.into()))?;
    let (width, height) = view.size();
    let by = (LARGEST / f64::from(width.max(height).max(1))).min(1.0);
    windows::builder(app, &label, &format!("{PATH}/pin/{id}"))?
        .title("Pinned · Fotos")
        .always_on_top(true)
        .skip_taskbar(true)
        .inner_size(f64::from(width) * by, f64::from(height) * by)
        .build()
        .map(drop)
}

/// Shows a pinned picture as it is now: what was redacted must not stay there.
pub(crate) fn renew(app: &AppHandle, id: &str) {
    if let Some(window) = app.get_webview_window(&label(id)) {
        let _ = window.reload();
    }
}

/// Takes a pinned picture away.
pub(crate) fn close(app: &AppHandle, id: &str) {
    if let Some(window) = app.get_webview_window(&label(id)) {
        let _ = window.destroy();
    }
}
