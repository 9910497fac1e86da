//! Who takes the pictures of a session.

use super::{Error, Screen, Session};

/// Who takes the pictures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Backend {
    /// What is best for the session: our own code on X11, the portal on Wayland, the library `xcap` elsewhere.
    #[default]
    Usual,
    /// The library `xcap`, also on X11.
    Xcap,
    /// Somebody we do not know; told when a picture is wanted.
    Unknown(String),
}

impl Backend {
    /// From the value of `FOTOS_CAPTURE`.
    pub(super) fn from_name(name: Option<&str>) -> Backend {
        match name.map(str::trim) {
            None | Some("" | "auto") => Backend::Usual,
            Some("xcap") => Backend::Xcap,
            Some(other) => Backend::Unknown(other.to_owned()),
        }
    }

    pub(super) fn open(&self, session: &Session) -> Result<Box<dyn Screen>, Error> {
        match self {
            Backend::Usual => usual(session),
            Backend::Xcap => xcap(session),
            Backend::Unknown(name) => Err(Error::UnknownBackend { name: name.clone() }),
        }
    }
}

/// On Wayland it is never this one but the portal: X11 would not see the windows of other programs there.
#[cfg(target_os = "linux")]
fn usual(session: &Session) -> Result<Box<dyn Screen>, Error> {
    let display = session.x11.as_ref().ok_or(Error::NoDisplay)?;
    Ok(Box::new(super::x11::X11::connect(display)?))
}

#[cfg(any(windows, target_os = "macos"))]
fn usual(session: &Session) -> Result<Box<dyn Screen>, Error> {
    xcap(session)
}

#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
fn usual(_: &Session) -> Result<Box<dyn Screen>, Error> {
    Err(Error::NoDisplay)
}

#[cfg(any(windows, target_os = "macos"))]
#[allow(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
fn xcap(_: &Session) -> Result<Box<dyn Screen>, Error> {
    Ok(Box::new(super::xcap::Xcap::default()))
}

/// The library has ways of its own on Wayland, which know less than our portal; they are not used.
#[cfg(all(target_os = "linux", feature = "xcap"))]
fn xcap(session: &Session) -> Result<Box<dyn Screen>, Error> {
    if session.wayland.is_some() {
        return Err(Error::XcapOnWayland);
    }
    let display = session.x11.clone().ok_or(Error::NoDisplay)?;
    Ok(Box::new(super::xcap::Xcap::on(display)))
}

#[cfg(not(any(all(target_os = "linux", feature = "xcap"), windows, target_os = "macos")))]
fn xcap(_: &Session) -> Result<Box<dyn Screen>, Error> {
    Err(Error::NotBuilt)
}

#[cfg(test)]
mod tests {
    use super::Backend;
    use crate::capture::{Error, Session};

    #[test]
    fn a_name_chooses_the_backend() {
        for usual in [None, Some(""), Some("auto")] {
            assert_eq!(Backend::from_name(usual), Backend::Usual);
        }
        assert_eq!(Backend::from_name(Some(" xcap ")), Backend::Xcap);
        let unknown = Backend::from_name(Some("scrot"));
        let refused = unknown.open(&Session::default()).err();
        assert!(matches!(refused, Some(Error::UnknownBackend { name }) if name == "scrot"));
    }
}
