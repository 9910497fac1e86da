//! The icon in the tray, where the application rests.

use gtk::gio;
use gtk::glib::prelude::ToVariant as _;
use tauri::menu::{CheckMenuItem, Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager as _, Wry};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::serving::Serving;
use crate::{doing, quitting, windows};

/// How long the bus has, in milliseconds.
const PATIENCE: i32 = 500;

/// The entry that pauses agents, kept to show whether they are.
struct Pause(CheckMenuItem<Wry>);

/// Puts the icon there.
pub(crate) fn show(app: &AppHandle) -> tauri::Result<()> {
    if !can_be_shown() {
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

/// Whether there is a tray on this desktop: otherwise a window that hides could not be found again.
pub(crate) fn is_seen() -> bool {
    can_be_shown() && (is_on_bus().unwrap_or(false) || is_on_x11().unwrap_or(false))
}

/// The library that shows it is opened when it is needed, and its absence would end us.
fn can_be_shown() -> bool {
    ["libayatana-appindicator3.so.1", "libappindicator3.so.1"].iter().any(|name| can_be_opened(name))
}

#[allow(unsafe_code, reason = "a library runs code when it is opened")]
fn can_be_opened(library: &str) -> bool {
    // SAFETY: these two only register types when they are opened, which the tray is about to do in any case. It stays open.
    unsafe { libloading::Library::new(library) }.map(std::mem::forget).is_ok()
}

/// The usual kind of tray.
fn is_on_bus() -> Option<bool> {
    let bus = gio::bus_get_sync(gio::BusType::Session, gio::Cancellable::NONE).ok()?;
    let name = ("org.kde.StatusNotifierWatcher",).to_variant();
    let (bus_name, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
    let flags = gio::DBusCallFlags::NO_AUTO_START;
    let reply = bus.call_sync(
        Some(bus_name),
        path,
        bus_name,
        "NameHasOwner",
        Some(&name),
        None,
        flags,
        PATIENCE,
        gio::Cancellable::NONE,
    );
    reply.ok()?.get::<(bool,)>().map(|(is_there,)| is_there)
}

/// The old kind.
fn is_on_x11() -> Option<bool> {
    let (x11, screen) = x11rb::connect(None).ok()?;
    let name = format!("_NET_SYSTEM_TRAY_S{screen}");
    let atom = x11.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom;
    let owner = x11.get_selection_owner(atom).ok()?.reply().ok()?.owner;
    Some(owner != x11rb::NONE)
}
