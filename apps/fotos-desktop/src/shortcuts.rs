//! Keys that work from anywhere, where the desktop lets a program have them.

use tauri::AppHandle;
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};

use crate::{doing, sys};

const REGION: &str = "ctrl+shift+KeyS";
const ALL: &str = "ctrl+shift+KeyA";

/// Asks for the keys. Returns what the one for a region is called, if we have it.
pub(crate) fn register(app: &AppHandle) -> Option<String> {
    if !sys::has_global_shortcuts() {
        return None;
    }
    let on = |keys: &'static str, work: fn(&AppHandle)| {
        app.global_shortcut().on_shortcut(keys, move |app, _, event| {
            if event.state() == ShortcutState::Pressed {
                work(app);
            }
        })
    };
    // Somebody else may have it.
    let _ = on(ALL, doing::capture_all);
    on(REGION, doing::choose_region).ok().map(|()| "Ctrl+Shift+S".to_owned())
}
