//! Which kind of screen this session has, and the one that was opened last.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

#[cfg(target_os = "linux")]
use super::portal::Portal;
use super::{Backend, Error, Excluded, MonitorInfo, Screen, Shot, Window, Wish};

/// What the environment says about the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The Wayland display, if there is one: `WAYLAND_DISPLAY`, or a session that calls itself `wayland`.
    pub wayland: Option<Wayland>,
    /// The X11 display, `DISPLAY`.
    pub x11: Option<String>,
    /// Who takes the pictures, `FOTOS_CAPTURE`.
    pub backend: Backend,
}

/// A Wayland display, and how long its desktop may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wayland {
    /// Its socket.
    pub socket: PathBuf,
    /// How long the desktop portal may take to give a picture: the person may have to answer a dialog.
    pub patience: Duration,
}

/// Most clients give up after a minute, and then nobody hears the reason.
const PATIENCE: Duration = Duration::from_secs(50);

/// The longest that can be set.
const MOST_PATIENCE: u64 = 3_600;

impl Session {
    /// From the variables of the environment.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Session {
        let set = |name: &str| {
            variable(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
        };
        let is_wayland = set("XDG_SESSION_TYPE").is_some_and(|kind| kind == "wayland");
        let wayland =
            set("WAYLAND_DISPLAY").or_else(|| is_wayland.then(|| "wayland-0".to_owned())).map(|name| {
                // A name that is a path already replaces the folder.
                let socket = Path::new(&set("XDG_RUNTIME_DIR").unwrap_or_default()).join(name);
                let seconds = set("FOTOS_PORTAL_SECONDS").and_then(|text| text.trim().parse().ok());
                let patience = seconds
                    .map_or(PATIENCE, |seconds: u64| Duration::from_secs(seconds.clamp(1, MOST_PATIENCE)));
                Wayland { socket, patience }
            });
        let backend = Backend::from_name(set("FOTOS_CAPTURE").as_deref());
        Session { wayland, x11: set("DISPLAY"), backend }
    }
}

/// The screen of a session, opened at the first picture and kept for the next one.
#[derive(Default)]
pub struct Eye {
    session: Session,
    open: Arc<Mutex<Option<Box<dyn Screen>>>>,
    #[cfg(target_os = "linux")]
    portal: Mutex<()>,
}

impl std::fmt::Debug for Eye {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Eye").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Eye {
    /// For a session. Nothing is opened yet.
    pub fn new(session: Session) -> Eye {
        Eye { session, ..Eye::default() }
    }

    /// Takes a picture; one at a time. A desktop that asks the person first holds up no thread, and who gives up waiting takes
    /// its dialog along.
    pub async fn capture(&self, wish: Wish) -> Result<Shot, Error> {
        #[cfg(target_os = "linux")]
        if let Some(portal) = self.portal() {
            // A portal may write every picture to the same file.
            let _alone = self.portal.lock().await;
            return portal?.capture(&wish).await;
        }
        self.on_screen(move |screen| screen.capture(&wish)).await
    }

    /// The windows there are, the uppermost first, without those nobody is to see.
    pub async fn windows(&self, excluded: Arc<Excluded>) -> Result<Vec<Window>, Error> {
        #[cfg(target_os = "linux")]
        if self.portal().is_some() {
            return Err(Error::NoWindowsOnWayland);
        }
        self.on_screen(move |screen| screen.windows(&excluded)).await
    }

    /// The monitors there are.
    pub async fn monitors(&self) -> Result<Vec<MonitorInfo>, Error> {
        #[cfg(target_os = "linux")]
        if let Some(portal) = self.portal() {
            let portal = portal?;
            let asked = tokio::task::spawn_blocking(move || portal.told_monitors()).await;
            return asked.unwrap_or(Err(Error::Interrupted));
        }
        self.on_screen(|screen| screen.monitors()).await
    }

    /// Closes the screen until the next picture.
    pub async fn close(&self) {
        *self.open.lock().await = None;
    }

    /// The same, unless somebody takes a picture right now, which takes the place of the last one.
    pub fn close_if_idle(&self) {
        if let Ok(mut open) = self.open.try_lock() {
            *open = None;
        }
    }

    /// The portal, where this session has to ask it.
    #[cfg(target_os = "linux")]
    fn portal(&self) -> Option<Result<Portal, Error>> {
        let wayland = self.session.wayland.clone()?;
        match &self.session.backend {
            Backend::Usual => Some(Ok(Portal::new(wayland))),
            Backend::Xcap => Some(Err(Error::XcapOnWayland)),
            Backend::Unknown(name) => Some(Err(Error::UnknownBackend { name: name.clone() })),
        }
    }

    /// Does something with the screen, on a thread that may wait. A screen that was lost since the last time is opened again.
    async fn on_screen<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Screen) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (mut open, session) = (Arc::clone(&self.open).lock_owned().await, self.session.clone());
        let working = tokio::task::spawn_blocking(move || {
            if let Some(screen) = open.as_mut() {
                match work(screen.as_mut()) {
                    Err(Error::Lost { .. }) => *open = None,
                    done => return done,
                }
            }
            let screen = open.insert(session.backend.open(&session)?);
            let done = work(screen.as_mut());
            if matches!(done, Err(Error::Lost { .. })) {
                *open = None;
            }
            done
        });
        working.await.unwrap_or(Err(Error::Interrupted))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::Session;

    fn session(variables: &[(&str, &str)]) -> Session {
        Session::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    /// The names of both displays.
    fn check(variables: &[(&str, &str)], wayland: Option<&str>, x11: Option<&str>) {
        let session = session(variables);
        assert_eq!(session.wayland.as_ref().map(|wayland| wayland.socket.as_path()), wayland.map(Path::new));
        assert_eq!(session.x11.as_deref(), x11);
    }

    #[test]
    fn the_environment_names_the_display() {
        check(&[("DISPLAY", ":1")], None, Some(":1"));
        let both = [("DISPLAY", ":1"), ("WAYLAND_DISPLAY", "wayland-1"), ("XDG_RUNTIME_DIR", "/run/me")];
        check(&both, Some("/run/me/wayland-1"), Some(":1"));
        check(&[("WAYLAND_DISPLAY", "/tmp/w"), ("XDG_RUNTIME_DIR", "/run/me")], Some("/tmp/w"), None);
        check(&[("XDG_SESSION_TYPE", "wayland")], Some("wayland-0"), None);
        check(&[("DISPLAY", ""), ("XDG_SESSION_TYPE", "tty")], None, None);
    }

    #[test]
    fn patience_with_the_desktop_can_be_set() {
        let patience = |text: &str| {
            let session = session(&[("WAYLAND_DISPLAY", "w"), ("FOTOS_PORTAL_SECONDS", text)]);
            session.wayland.expect("Wayland").patience.as_secs()
        };
        let texts = ["7", "0", "99999", "soon", ""];
        assert_eq!(texts.map(patience), [7, 1, 3_600, 50, 50]);
    }
}
