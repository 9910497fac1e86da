//! Pictures from a Wayland desktop, through its portal. No program sees the screen there by itself: it asks the desktop,
//! which may ask the person, and gets a file.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::Duration;

use ashpd::desktop::ResponseError;
use ashpd::desktop::screenshot::Screenshot;
use files::Roots;

use super::{Capturing, Error, MOST_PIXELS, Screen, Shot, Target, Wish, part_of};
use crate::pixels::Pixels;

/// How long the desktop may take without asking anybody.
const QUIET: Duration = Duration::from_secs(20);

/// How long the person may take to answer its dialog.
const ASKING: Duration = Duration::from_secs(120);

/// More than a picture of all screens takes.
const MOST_BYTES: u64 = 512 << 20;

/// The desktop portal of this session.
pub(super) struct Portal;

/// Whether the desktop shows its dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialog {
    Avoided,
    Shown,
}

impl Screen for Portal {
    fn capture<'a>(&'a mut self, wish: &'a Wish<'a>) -> Capturing<'a> {
        Box::pin(async move {
            match wish.target {
                Target::Fullscreen => {}
                Target::Monitor(_) => {
                    let reason = "the desktop portal gives one picture of all of them".to_owned();
                    return Err(Error::NoGeometry { reason });
                }
                Target::Window(_) => return Err(Error::NoWindowsOnWayland),
            }
            let path = match ask(Dialog::Avoided).await {
                // Some desktops refuse whoever they do not know yet, and let the person decide in their dialog.
                Err(Refusal::Other) => ask(Dialog::Shown).await?,
                done => done?,
            };
            let whole = read(path).await?;
            let part = part_of(whole.frame(), wish.region)?;
            let pixels = if part == whole.frame() { Some(whole) } else { whole.part(part) };
            let pixels = pixels.ok_or(Error::EmptyRegion { width: part.width, height: part.height })?;
            Ok(Shot { pixels, subject: None, hidden: 0 })
        })
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

/// Asks for a picture, and returns where it is.
async fn ask(dialog: Dialog) -> Result<PathBuf, Refusal> {
    let patience = if dialog == Dialog::Shown { ASKING } else { QUIET };
    let asking = async {
        let request = Screenshot::request().interactive(dialog == Dialog::Shown).modal(false);
        request.send().await?.response()
    };
    let answer = tokio::time::timeout(patience, asking)
        .await
        .map_err(|_| Refusal::Known(Error::NoAnswer { seconds: patience.as_secs() }))?;
    match answer {
        Ok(screenshot) => path_of(screenshot.uri().as_str()),
        Err(ashpd::Error::Response(ResponseError::Cancelled)) => Err(Refusal::Cancelled),
        Err(ashpd::Error::Response(ResponseError::Other)) => Err(Refusal::Other),
        Err(other) => Err(Refusal::Known(Error::NoPortal { reason: other.to_string() })),
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

/// Reads the picture and removes the file, which would be a copy of the screen that nobody looks after.
async fn read(path: PathBuf) -> Result<Pixels, Error> {
    let reading = tokio::task::spawn_blocking(move || {
        let roots = Roots::new(path.parent().map(PathBuf::from));
        let place = roots.resolve(&path).map_err(|error| error.to_string())?;
        let file = place.read(MOST_BYTES).map_err(|error| error.to_string());
        let _ = std::fs::remove_file(&path);
        Pixels::from_png(file?.bytes(), MOST_PIXELS).map_err(|error| error.to_string())
    });
    let pixels = reading.await.unwrap_or_else(|_| Err("reading it broke down".to_owned()));
    pixels.map_err(|reason| Error::PortalPicture { reason })
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
