//! The icon in the tray, where the application rests.

use tauri::AppHandle;
use tauri::menu::{Menu, MenuItem};
use tauri::tray::TrayIconBuilder;

pub(crate) const ID: &str = "fotos";

/// Puts the icon there.
pub(crate) fn show(app: &AppHandle) -> tauri::Result<()> {
    let item = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let (region, window, end) =
        (item("region", "Capture a region")?, item("show", "Open Fotos")?, item("quit", "Quit")?);
    let menu = Menu::with_items(app, &[&region, &window, &end])?;
    let mut tray = TrayIconBuilder::with_id(ID).menu(&menu).tooltip("Fotos").on_menu_event(|app, event| {
        match event.id().as_ref() {
            "region" => crate::choose_region(app),
            "show" => crate::show(app),
            "quit" => app.exit(0),
            _ => {}
        }
    });
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    tray.build(app).map(drop)
}
