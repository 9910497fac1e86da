//! The screen: which kind of session this is, and whether it can be captured. Nothing is kept, and nobody is asked.

use std::path::Path;
use std::time::Duration;

use fotos::capture::{Error, Eye, Session};

use super::check::Check;

/// A display answers at once, or not at all.
const PATIENCE: Duration = Duration::from_secs(8);

const STOPS: &[&str] = &[fotos::NAME];

pub(super) fn look() -> Vec<Check> {
    let session = Session::from_environment(super::set);
    let kind = match (&session.wayland, &session.x11) {
        (Some(wayland), _) => format!("Wayland, `{}`", wayland.socket.display()),
        (None, Some(display)) => format!("X11, display `{display}`"),
        // Windows and macOS have one, and no name for it.
        (None, None) => "the desktop".to_owned(),
    };
    let on_wayland = session.wayland.is_some();
    let check = match monitors(session) {
        Ok(0) => Check::problem("screen", format!("{kind}: no monitor is on"), "switch a monitor on"),
        Ok(count) => {
            let monitors = format!("{count} monitor{}", if count == 1 { "" } else { "s" });
            if on_wayland && !has_bus() {
                let found =
                    format!("{kind}, {monitors}; but there is no D-Bus session, through which captures go");
                Check::problem(
                    "screen",
                    found,
                    "start the app inside the desktop session, not from `sudo` or `ssh`",
                )
            } else if on_wayland {
                Check::ok("screen", format!("{kind}, {monitors}; the desktop may ask you before a capture"))
            } else {
                Check::ok("screen", format!("{kind}, {monitors}"))
            }
        }
        Err(Some(Error::NoDisplay)) => Check::not_set_up(
            "screen",
            "there is no display in this session, so the screen cannot be captured",
            "start Deskmate inside a graphical session, or set `DISPLAY`",
        ),
        Err(Some(error)) => Check::problem_of("screen", &error.to_string(), "check the display"),
        Err(None) => {
            let found = format!("{kind}: no answer within {} seconds", PATIENCE.as_secs());
            Check::problem("screen", found, "check `DISPLAY` and `WAYLAND_DISPLAY`")
        }
    };
    vec![check.stops(STOPS)]
}

/// How many there are; no error means no answer.
fn monitors(session: Session) -> Result<usize, Option<Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|_| None)?;
    let asked = runtime.block_on(async {
        let eye = Eye::new(session);
        tokio::time::timeout(PATIENCE, eye.monitors()).await.map(|told| told.map(|monitors| monitors.len()))
    });
    // A display that never answers must not hold us up.
    runtime.shutdown_background();
    match asked {
        Ok(told) => told.map_err(Some),
        Err(_) => Err(None),
    }
}

fn has_bus() -> bool {
    super::set("DBUS_SESSION_BUS_ADDRESS").is_some()
        || super::set("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists())
}
