//! Pictures from a Wayland desktop, through its portal. No program sees the screen there by itself: it asks the desktop,
//! which may ask the person, and gets a file.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ashpd::PortalError;
use ashpd::desktop::ResponseError;
use ashpd::desktop::screenshot::Screenshot;
use files::Roots;
use picture::Pixels;
use zbus::Connection;

use super::monitor::{Monitor, in_picture, told};
use super::{Cursor, Error, MOST_PIXELS, MonitorInfo, Shot, Target, Wayland, Wish, outputs, part_of};

/// More than a picture of all screens takes.
const MOST_BYTES: u64 = 512 << 20;

/// How far the clock of a file system may be behind ours.
const CLOCKS: Duration = Duration::from_secs(2);

/// The desktop portal of this session.
pub(super) struct Portal {
    wayland: Wayland,
}

/// Whether the desktop shows its dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialog {
    Avoided,
    Shown,
}

impl Portal {
    pub(super) fn new(wayland: Wayland) -> Portal {
        Portal { wayland }
    }

    /// Where the monitors are. Asked before the picture: what cannot be cut need not be taken.
    fn monitors(&self) -> Result<Vec<Monitor>, Error> {
        outputs::monitors(&self.wayland.socket)
            .map_err(|error| Error::NoGeometry { reason: error.to_string() })
    }

    /// A picture of everything, as the desktop gives it.
    async fn whole(&self) -> Result<Pixels, Error> {
        let patience = self.wayland.patience;
        let asked = SystemTime::now();
        let path = tokio::time::timeout(patience, ask_twice())
            .await
            .map_err(|_| Error::NoAnswer { seconds: patience.as_secs() })??;
        read(path, asked).await
    }
}

/// What an answer says where nobody tells which windows are seen.
const NOT_HIDDEN: &str =
    "This desktop does not tell where windows are: windows of password managers are not blacked out";

impl Portal {
    /// What others are told of the monitors.
    pub(super) fn told_monitors(&self) -> Result<Vec<MonitorInfo>, Error> {
        Ok(told(self.monitors()?, 1.0))
    }

    /// Takes a picture. Who the person excluded by name cannot be found here, so then none is taken.
    pub(super) async fn capture(&self, wish: &Wish) -> Result<Shot, Error> {
        if wish.excluded.is_chosen() {
            return Err(Error::CannotExclude);
        }
        if wish.cursor == Cursor::Shown {
            return Err(Error::NoCursor { by: "the desktop portal" });
        }
        let (whole, frame, subject) = match &wish.target {
            Target::Fullscreen => {
                let whole = self.whole().await?;
                let frame = whole.frame();
                (whole, frame, None)
            }
            Target::Monitor(index) => {
                let monitors = self.monitors()?;
                let whole = self.whole().await?;
                let monitor = in_picture(monitors, *index, (whole.width(), whole.height()))?;
                (whole, monitor.place, Some(monitor.name))
            }
            Target::Window(_) => return Err(Error::NoWindowsOnWayland),
        };
        let part = part_of(frame, wish.region)?;
        let pixels = if part == whole.frame() { Some(whole) } else { whole.part(part) };
        let pixels = pixels.ok_or(Error::EmptyRegion { width: part.width, height: part.height })?;
        let warning = (!wish.excluded.is_empty()).then(|| NOT_HIDDEN.to_owned());
        Ok(Shot { subject, origin: (part.x, part.y), warning, ..Shot::of(pixels) })
    }
}

/// Why the portal gave nothing.
enum Refusal {
    /// The person closed its dialog.
    Cancelled,
    /// It did not say why.
    Other,
    Known(Error),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        match refusal {
            Refusal::Cancelled => Error::Denied { reason: "its dialog was cancelled".to_owned() },
            Refusal::Other => Error::Denied { reason: "the portal refused without a reason".to_owned() },
            Refusal::Known(error) => error,
        }
    }
}

/// Asks for a picture without a dialog, and with one where that is refused: some desktops refuse whoever they do not know
/// yet, and let the person decide.
async fn ask_twice() -> Result<PathBuf, Error> {
    match ask(Dialog::Avoided).await {
        Err(Refusal::Other) => Ok(ask(Dialog::Shown).await?),
        done => Ok(done?),
    }
}

/// Asks for a picture, and returns where it is.
async fn ask(dialog: Dialog) -> Result<PathBuf, Refusal> {
    let asking = async {
        // A connection for this request alone: when nobody waits for the answer any more, it goes, and the desktop closes the
        // dialog of a program that went.
        let connection = Connection::session().await?;
        let request = Screenshot::request().interactive(dialog == Dialog::Shown).modal(false);
        request.connection(Some(connection)).send().await?.response()
    };
    asking.await.map_err(refusal).and_then(|screenshot| path_of(screenshot.uri().as_str()))
}

fn refusal(error: ashpd::Error) -> Refusal {
    use ashpd::Error as Portal;
    match error {
        Portal::Response(ResponseError::Cancelled) | Portal::Portal(PortalError::Cancelled(_)) => {
            Refusal::Cancelled
        }
        Portal::Response(ResponseError::Other) => Refusal::Other,
        Portal::Portal(PortalError::NotAllowed(reason)) => Refusal::Known(Error::Denied { reason }),
        Portal::Zbus(zbus::Error::Variant(_)) => {
            let reason = "the portal said that there is one, and not where".to_owned();
            Refusal::Known(Error::PortalPicture { reason })
        }
        other => Refusal::Known(Error::NoPortal { reason: other.to_string() }),
    }
}

/// The path in a `file:` address.
fn path_of(uri: &str) -> Result<PathBuf, Refusal> {
    let unusable = || {
        let reason = format!("its address is no file of this machine: `{uri}`");
        Refusal::Known(Error::PortalPicture { reason })
    };
    let path = uri.strip_prefix("file://").filter(|path| path.starts_with('/')).ok_or_else(unusable)?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let value = digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(value.ok_or_else(unusable)?);
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}

/// Reads the picture and removes the file, which would be a copy of the screen that nobody looks after. A file that was there
/// before we asked is not ours to use, nor to remove.
async fn read(path: PathBuf, asked: SystemTime) -> Result<Pixels, Error> {
    let reading = tokio::task::spawn_blocking(move || {
        let roots = Roots::new(path.parent().map(PathBuf::from));
        let place = roots.resolve(&path).map_err(|error| error.to_string())?;
        let file = place.read(MOST_BYTES).map_err(|error| error.to_string())?;
        if !is_new(place.path(), asked) {
            return Err(format!("`{}` is older than the request", path.display()));
        }
        let pixels = Pixels::from_png(file.bytes(), MOST_PIXELS).map_err(|error| error.to_string())?;
        let _ = std::fs::remove_file(place.path());
        Ok(pixels)
    });
    let pixels = reading.await.unwrap_or_else(|_| Err("reading it broke down".to_owned()));
    pixels.map_err(|reason| Error::PortalPicture { reason })
}

/// Whether a file was written since then, as far as clocks can tell.
fn is_new(path: &Path, since: SystemTime) -> bool {
    let written = std::fs::metadata(path).and_then(|data| data.modified());
    written.is_ok_and(|written| written + CLOCKS >= since)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Error, path_of};

    #[test]
    fn the_path_in_an_address() {
        let path = |uri| path_of(uri).map_err(Error::from);
        assert_eq!(path("file:///tmp/a%20b/%C3%BC.png").expect("a path"), Path::new("/tmp/a b/ü.png"));
        for wrong in
            ["http://example.org/a.png", "file://host/a.png", "file:///a%2", "file:///a%zz", "/a.png", ""]
        {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }
}
