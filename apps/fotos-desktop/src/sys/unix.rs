//! The desktops of Linux: GTK, X11 and the message bus.

use std::io::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use bytes::Bytes;
use gtk::gdk::prelude::DisplayExtManual as _;
use gtk::glib::prelude::ToVariant as _;
use gtk::{gdk, gio};
use tauri::AppHandle;
use tokio::signal::unix::{SignalKind, signal};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::clipboard::ClipboardError;

/// How long the clipboard has to answer: its owner may be a program that hangs.
const PATIENCE: Duration = Duration::from_secs(5);

const PNG: &str = "image/png";

/// How long the bus has, in milliseconds.
const BUS_PATIENCE: i32 = 500;

/// Whether there is a display for windows. Tauri would panic without one.
pub(crate) fn has_display() -> bool {
    gtk::init().is_ok()
}

/// Says why there is no window.
pub(crate) fn tell(message: &str) {
    // Nobody may read it.
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

/// The picture that is in the clipboard, as a PNG file. GTK asks whoever owns the clipboard, as any other program does.
pub(crate) fn read_clipboard(app: &AppHandle) -> Result<Option<Bytes>, ClipboardError> {
    let (told, heard) = mpsc::channel();
    let ask = move || {
        let clipboard = gtk::Clipboard::get(&gdk::SELECTION_CLIPBOARD);
        clipboard.request_contents(&gdk::Atom::intern(PNG), move |clipboard, contents| {
            let png = contents.data();
            if png.is_empty() {
                // Another kind of picture; GTK knows some.
                clipboard.request_image(move |_, image| {
                    let png = image.and_then(|image| image.save_to_bufferv("png", &[]).ok());
                    let _ = told.send(png.map(Bytes::from));
                });
            } else {
                // Nobody may wait for it any more.
                let _ = told.send(Some(Bytes::from(png)));
            }
        });
    };
    app.run_on_main_thread(ask).map_err(|_| ClipboardError::Silent)?;
    match heard.recv_timeout(PATIENCE) {
        Ok(png) => Ok(png),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(ClipboardError::Silent),
    }
}

/// Whether a program may have keys that work from anywhere. Wayland has no such keys: what is grabbed through `XWayland` is heard
/// only while a window of X11 has the keyboard.
pub(crate) fn has_global_shortcuts() -> bool {
    gdk::Display::default().is_some_and(|display| display.backend().is_x11())
}

/// Whether there is a tray on this desktop: otherwise a window that hides could not be found again.
pub(crate) fn has_tray() -> bool {
    can_show_tray() && (is_on_bus().unwrap_or(false) || is_on_x11().unwrap_or(false))
}

/// The library that shows it is opened when it is needed, and its absence would end us.
pub(crate) fn can_show_tray() -> bool {
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
        BUS_PATIENCE,
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

/// Waits until the system or a terminal ends us.
pub(crate) async fn asked_to_end() -> std::io::Result<()> {
    let (mut terminated, mut interrupted) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminated.recv() => {}
        _ = interrupted.recv() => {}
    }
    Ok(())
}
