//! The frozen screen on every monitor: one window on each, since one above all of them is cut or moved by window managers.

use std::net::SocketAddr;

use fotos::pages::PATH;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder};

use crate::serving::Serving;

const LABEL: &str = "overlay-";

/// Shows it.
pub(crate) fn show(app: &AppHandle, address: SocketAddr) -> Result<(), Box<dyn std::error::Error>> {
    hide(app);
    for (number, monitor) in app.available_monitors()?.iter().enumerate() {
        let (place, size, scale) = (monitor.position(), monitor.size(), monitor.scale_factor());
        let url = format!(
            "http://{address}{PATH}/overlay?x={}&y={}&width={}&height={}",
            place.x, place.y, size.width, size.height
        );
        let (at, extent) = (place.to_logical::<f64>(scale), size.to_logical::<f64>(scale));
        WebviewWindowBuilder::new(app, format!("{LABEL}{number}"), WebviewUrl::External(url.parse()?))
            .title("Choose a region · Fotos")
            .position(at.x, at.y)
            .inner_size(extent.width, extent.height)
            .decorations(false)
            .fullscreen(true)
            .always_on_top(true)
            .skip_taskbar(true)
            .on_navigation(Serving::is_ours(address))
            .build()?;
    }
    Ok(())
}

/// Takes it away, on all monitors.
pub(crate) fn hide(app: &AppHandle) {
    for (label, window) in app.webview_windows() {
        if label.starts_with(LABEL) {
            let _ = window.destroy();
        }
    }
}
