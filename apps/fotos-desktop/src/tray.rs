//! The icon in the tray, where the application rests.

use tauri::menu::{CheckMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager as _, Wry};

use crate::serving::Serving;
use crate::{doing, quitting, sys, windows};

/// The entry that pauses agents, kept to show whether they are.
struct Pause(CheckMenuItem<Wry>);

/// Puts the icon there.
pub(crate) fn show(app: &AppHandle) -> tauri::Result<()> {
    if !sys::can_show_tray() {
        return Ok(());
    }
    let item = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let line = || PredefinedMenuItem::separator(app);
    let is_paused = app.state::<Serving>().host().activity.is_paused();
    let pause = CheckMenuItem::with_id(app, "pause", "Pause agents", true, is_paused, None::<&str>)?;
    let menu = Menu::with_items(
        app,
        &[
            &item("region", "Capture a region")?,
            &item("full", "Capture all screens")?,
            &line()?,
            &item("show", "Open Fotos")?,
            &pause,
            &line()?,
            &item("quit", "Quit")?,
        ],
    )?;
    app.manage(Pause(pause));
    let mut tray = TrayIconBuilder::with_id("fotos").menu(&menu).tooltip("Fotos").on_menu_event(
        |app, event| match event.id().as_ref() {
            "region" => doing::choose_region(app),
            "full" => doing::capture_all(app),
            "show" => windows::show(app),
            "pause" => {
                let host = app.state::<Serving>().host();
                if let Err(error) = host.pause_agents(!host.activity.is_paused()) {
                    doing::complain(
                        app,
                        format!("the next start does not know whether agents are paused: {error}"),
                    );
                }
            }
            "quit" => quitting::quit(app),
            _ => {}
        },
    );
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    tray.build(app).map(drop)
}

/// Shows whether agents are paused.
pub(crate) fn show_paused(app: &AppHandle, is_paused: bool) {
    if let Some(pause) = app.try_state::<Pause>() {
        let _ = pause.0.set_checked(is_paused);
    }
}
