//! The frozen screen on every monitor: one window on each, since window managers cut or move one that is above all of them.

use fotos::pages::PATH;
use tauri::{AppHandle, Manager as _};

use crate::windows;

const LABEL: &str = "overlay-";

/// Whether this is one of its windows.
pub(crate) fn is_one(label: &str) -> bool {
    label.starts_with(LABEL)
}

/// Shows it.
pub(crate) fn show(app: &AppHandle) -> tauri::Result<()> {
    hide(app);
    let pointer = app.cursor_position().unwrap_or_default();
    for (number, monitor) in app.available_monitors()?.iter().enumerate() {
        let (place, size, scale) = (monitor.position(), monitor.size(), monitor.scale_factor());
        let page =
            format!("{PATH}/overlay?x={}&y={}&width={}&height={}", place.x, place.y, size.width, size.height);
        let (at, extent) = (place.to_logical::<f64>(scale), size.to_logical::<f64>(scale));
        let window = windows::builder(app, &format!("{LABEL}{number}"), &page)?
            .title("Choose a region · Fotos")
            .position(at.x, at.y)
            .inner_size(extent.width, extent.height)
            .decorations(false)
            .fullscreen(true)
            .always_on_top(true)
            .skip_taskbar(true)
            .build()?;
        let (x, y) = (pointer.x - f64::from(place.x), pointer.y - f64::from(place.y));
        // Keys go to the monitor the person looks at.
        if x >= 0.0 && y >= 0.0 && x < f64::from(size.width) && y < f64::from(size.height) {
            window.set_focus()?;
        }
    }
    Ok(())
}

/// Takes it away, on all monitors.
pub(crate) fn hide(app: &AppHandle) {
    for (label, window) in app.webview_windows() {
        if is_one(&label) {
            let _ = window.destroy();
        }
    }
}
