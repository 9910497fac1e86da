//! Which kind of screen this session has, and the one that was opened last.

use std::ffi::OsString;

use super::{Error, Screen, Shot, Wish};

/// What the environment says about the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The Wayland display, if there is one: `WAYLAND_DISPLAY`, or a session that calls itself `wayland`.
    pub wayland: Option<String>,
    /// The X11 display, `DISPLAY`.
    pub x11: Option<String>,
}

impl Session {
    /// From the variables of the environment.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Session {
        let set = |name: &str| {
            variable(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
        };
        let is_wayland = set("XDG_SESSION_TYPE").is_some_and(|kind| kind == "wayland");
        Session {
            wayland: set("WAYLAND_DISPLAY").or_else(|| is_wayland.then(|| "wayland-0".to_owned())),
            x11: set("DISPLAY"),
        }
    }

    /// Opens the screen. On Wayland it is always the portal: X11 would not see the windows of other programs there.
    fn open(&self) -> Result<Box<dyn Screen>, Error> {
        #[cfg(target_os = "linux")]
        {
            if self.wayland.is_some() {
                return Ok(Box::new(super::portal::Portal));
            }
            if let Some(display) = &self.x11 {
                return Ok(Box::new(super::x11::X11::connect(display)?));
            }
        }
        Err(Error::NoDisplay)
    }
}

/// The screen of a session, opened at the first picture and kept for the next one.
#[derive(Default)]
pub struct Eye {
    session: Session,
    open: tokio::sync::Mutex<Option<Box<dyn Screen>>>,
}

impl std::fmt::Debug for Eye {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Eye").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Eye {
    /// For a session. Nothing is opened yet.
    pub fn new(session: Session) -> Eye {
        Eye { session, open: tokio::sync::Mutex::default() }
    }

    /// Takes a picture; one at a time. A screen that was lost since the last one is opened again.
    pub async fn capture(&self, wish: &Wish<'_>) -> Result<Shot, Error> {
        let mut open = self.open.lock().await;
        if let Some(screen) = open.as_mut() {
            match screen.capture(wish).await {
                Err(Error::Lost { .. }) => *open = None,
                done => return done,
            }
        }
        let screen = open.insert(self.session.open()?);
        let done = screen.capture(wish).await;
        if matches!(done, Err(Error::Lost { .. })) {
            *open = None;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::Session;

    fn session(variables: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let session = Session::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        (session.wayland, session.x11)
    }

    #[test]
    fn the_environment_names_the_display() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(session(&[("DISPLAY", ":1")]), (None, text(":1")));
        assert_eq!(
            session(&[("DISPLAY", ":1"), ("WAYLAND_DISPLAY", "wayland-1")]),
            (text("wayland-1"), text(":1"))
        );
        assert_eq!(session(&[("XDG_SESSION_TYPE", "wayland")]), (text("wayland-0"), None));
        assert_eq!(session(&[("DISPLAY", ""), ("XDG_SESSION_TYPE", "tty")]), (None, None));
    }
}
