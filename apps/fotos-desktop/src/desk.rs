//! What the pages want of the desktop: clipboard, files, pins, and the window out of the way.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fotos::pages::{Abilities, Desktop, DesktopError, PATH};
use picture::Pixels;
use tauri::image::Image;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder};
use tauri_plugin_clipboard_manager::ClipboardExt;
use tauri_plugin_dialog::DialogExt;

use crate::serving::Serving;
use crate::{MAIN, overlay};

/// How long the desktop has to paint what was below our window. No event tells when it is done.
const REPAINT: Duration = Duration::from_millis(150);

/// The largest edge a pin begins with, in units of the desktop.
const LARGEST_PIN: f64 = 600.0;

/// The desktop.
pub(crate) struct Desk {
    app: AppHandle,
    shortcut: Option<String>,
    address: OnceLock<SocketAddr>,
    /// Whether the window was seen before it went out of the way.
    was_seen: AtomicBool,
}

fn failed(error: impl std::fmt::Display) -> DesktopError {
    DesktopError::Failed(error.to_string())
}

impl Desk {
    pub(crate) fn new(app: AppHandle, shortcut: Option<String>) -> Desk {
        Desk { app, shortcut, address: OnceLock::new(), was_seen: AtomicBool::new(false) }
    }

    /// Takes note of where the pages are.
    pub(crate) fn reach(&self, address: SocketAddr) {
        // It is told once.
        let _ = self.address.set(address);
    }

    fn url(&self, path: &str) -> Result<(SocketAddr, tauri::Url), DesktopError> {
        let address = *self.address.get().ok_or_else(|| failed("the pages are not there yet"))?;
        Ok((address, format!("http://{address}{PATH}{path}").parse().map_err(failed)?))
    }

    fn pin_label(id: &str) -> String {
        format!("pin-{id}")
    }

    /// Shows a pinned picture as it is now.
    pub(crate) fn renew_pin(&self, id: &str) {
        if let (Some(window), Ok((_, url))) =
            (self.app.get_webview_window(&Desk::pin_label(id)), self.url(&format!("/pin/{id}")))
        {
            let _ = window.navigate(url);
        }
    }

    /// Takes a pinned picture away.
    pub(crate) fn close_pin(&self, id: &str) {
        if let Some(window) = self.app.get_webview_window(&Desk::pin_label(id)) {
            let _ = window.close();
        }
    }
}

impl Desktop for Desk {
    fn abilities(&self) -> Abilities {
        Abilities {
            copy: true,
            save: true,
            pin: true,
            overlay: true,
            connect: deskmate().is_some(),
            shortcut: self.shortcut.clone(),
        }
    }

    fn copy(&self, picture: &Pixels) -> Result<(), DesktopError> {
        let rgba: Vec<u8> = picture
            .bytes()
            .chunks_exact(3)
            .flat_map(|pixel| [pixel[0], pixel[1], pixel[2], u8::MAX])
            .collect();
        let clipboard = self.app.clipboard();
        clipboard.write_image(&Image::new(&rgba, picture.width(), picture.height())).map_err(failed)?;
        let there = clipboard.read_image().map_err(failed)?;
        if there.rgba() == rgba {
            return Ok(());
        }
        Err(failed(
            "the clipboard does not hold the picture; a clipboard manager may have changed it: try again",
        ))
    }

    fn ask_where(&self, suggested: &Path) -> Result<Option<PathBuf>, DesktopError> {
        let mut dialog = self.app.dialog().file().set_title("Save as");
        if let Some(folder) = suggested.parent() {
            dialog = dialog.set_directory(folder);
        }
        if let Some(name) = suggested.file_name() {
            dialog = dialog.set_file_name(name.to_string_lossy());
        }
        dialog.blocking_save_file().map(|path| path.into_path().map_err(failed)).transpose()
    }

    fn pin(&self, id: &str) -> Result<(), DesktopError> {
        let (address, url) = self.url(&format!("/pin/{id}"))?;
        let label = Desk::pin_label(id);
        if let Some(window) = self.app.get_webview_window(&label) {
            return window.set_focus().map_err(failed);
        }
        WebviewWindowBuilder::new(&self.app, label, WebviewUrl::External(url))
            .title("Pinned · Fotos")
            .always_on_top(true)
            .skip_taskbar(true)
            .inner_size(LARGEST_PIN, LARGEST_PIN * 0.625)
            .on_navigation(Serving::is_ours(address))
            .build()
            .map(drop)
            .map_err(failed)
    }

    fn step_aside(&self) {
        let Some(window) = self.app.get_webview_window(MAIN) else { return };
        let is_seen = window.is_visible().unwrap_or(false);
        self.was_seen.store(is_seen, Ordering::SeqCst);
        if is_seen && window.hide().is_ok() {
            std::thread::sleep(REPAINT);
        }
    }

    fn come_back(&self) {
        if self.was_seen.swap(false, Ordering::SeqCst) {
            crate::show(&self.app);
        }
    }

    fn show_frozen(&self) -> Result<(), DesktopError> {
        let (address, _) = self.url("")?;
        overlay::show(&self.app, address).map_err(failed)
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
