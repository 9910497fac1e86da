//! What the pages want of the desktop: clipboard, files, pins, and the window out of the way.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use fotos::pages::{Abilities, Desktop, DesktopError};
use picture::Pixels;
use tauri::{AppHandle, Manager as _};
use tauri_plugin_dialog::DialogExt as _;

use crate::clipboard::Clipboard;
use crate::{overlay, pins, quitting, sys, windows};

/// How long the desktop has to paint what was below our window. No event tells when it is done.
const REPAINT: Duration = Duration::from_millis(150);

/// The desktop.
pub(crate) struct Desk {
    app: AppHandle,
    clipboard: Clipboard,
    /// The keys that choose a region from anywhere.
    shortcut: Option<String>,
    /// Whether the window was seen before it went out of the way.
    was_seen: AtomicBool,
    /// Whether what was dragged last was let go of in our own window.
    was_dropped_here: AtomicBool,
}

fn failed(error: impl std::fmt::Display) -> DesktopError {
    DesktopError::Failed(error.to_string())
}

impl Desk {
    pub(crate) fn new(app: AppHandle, shortcut: Option<String>) -> Desk {
        let (was_seen, was_dropped_here) = (AtomicBool::new(false), AtomicBool::new(false));
        Desk { app, clipboard: Clipboard::default(), shortcut, was_seen, was_dropped_here }
    }

    /// Something of our own was let go of in our own window.
    pub(crate) fn note_drop(&self) {
        self.was_dropped_here.store(true, Ordering::SeqCst);
    }
}

impl Desktop for Desk {
    fn abilities(&self) -> Abilities {
        Abilities {
            copy: true,
            paste: true,
            save: true,
            pin: true,
            drag: true,
            overlay: true,
            connect: deskmate().is_some(),
            quit: true,
            shortcut: self.shortcut.clone(),
        }
    }

    fn copy(&self, picture: &Pixels) -> Result<(), DesktopError> {
        self.clipboard.write(&self.app, picture).map_err(failed)
    }

    fn paste(&self) -> Result<Option<Bytes>, DesktopError> {
        sys::read_clipboard(&self.app).map_err(failed)
    }

    fn ask_where(&self, suggested: &Path) -> Result<Option<PathBuf>, DesktopError> {
        let mut dialog = self.app.dialog().file().set_title("Save as");
        if let Some(window) = self.app.get_webview_window(windows::MAIN) {
            dialog = dialog.set_parent(&window);
        }
        if let Some(folder) = suggested.parent().filter(|folder| folder.is_dir()) {
            dialog = dialog.set_directory(folder);
        }
        if let Some(name) = suggested.file_name() {
            dialog = dialog.set_file_name(name.to_string_lossy());
        }
        dialog.blocking_save_file().map(|path| path.into_path().map_err(failed)).transpose()
    }

    fn pin(&self, id: &str) -> Result<(), DesktopError> {
        pins::pin(&self.app, id).map_err(failed)
    }

    fn was_dropped_here(&self) -> bool {
        self.was_dropped_here.swap(false, Ordering::SeqCst)
    }

    fn step_aside(&self) {
        let Some(window) = self.app.get_webview_window(windows::MAIN) else { return };
        let is_seen = window.is_visible().unwrap_or(false) && !window.is_minimized().unwrap_or(false);
        if !is_seen {
            // It may be away already, and is to come back all the same.
            return;
        }
        self.was_seen.store(true, Ordering::SeqCst);
        if window.hide().is_ok() {
            std::thread::sleep(REPAINT);
        }
    }

    fn come_back(&self) {
        if self.was_seen.swap(false, Ordering::SeqCst) {
            windows::show(&self.app);
        }
    }

    fn show_frozen(&self) -> Result<(), DesktopError> {
        overlay::show(&self.app).map_err(failed)
    }

    fn hide_frozen(&self) {
        overlay::hide(&self.app);
    }

    fn connect(&self) -> Result<String, DesktopError> {
        let program = deskmate().ok_or_else(|| failed("`deskmate` is not installed"))?;
        let connect = Command::new(program)
            .args(["connect", "--server", fotos::NAME, "--name", fotos::NAME, "--yes"])
            .stdin(Stdio::null())
            .output()
            .map_err(failed)?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if connect.status.success() { Ok(said(&connect.stdout)) } else { Err(failed(said(&connect.stderr))) }
    }

    fn quit(&self) -> Result<(), DesktopError> {
        quitting::quit(&self.app);
        Ok(())
    }
}

/// The command `deskmate`: beside this program, or on the `PATH`.
fn deskmate() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("deskmate{}", std::env::consts::EXE_SUFFIX);
    beside
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}
