//! Why there is no picture.

use picture::SizeError;
// Titles are repeated without what is private in them.
use redaction::mask;

/// Why there is no picture, and what would help.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no screen at all.
    #[error(
        "no display server is available for screenshot capture: neither `WAYLAND_DISPLAY` nor `DISPLAY` is set; start \
         this program inside a graphical session, or set `DISPLAY` to that of one"
    )]
    NoDisplay,
    /// There should be a screen, and it does not answer.
    #[error(
        "cannot connect to the display server at `{display}`: {reason}; check `DISPLAY`, and whether this user may connect (`xhost`, `XAUTHORITY`)"
    )]
    Unreachable {
        /// Which one.
        display: String,
        /// Why not.
        reason: String,
    },
    /// It went away.
    #[error("the connection to the display server was lost: {reason}; try again")]
    Lost {
        /// How.
        reason: String,
    },
    /// It does not do what we need.
    #[error("the display server refused: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
    /// It shows pixels in a way we do not know.
    #[error(
        "the display server shows pixels of {depth} bits in {bits} bits, which this program cannot read; set the screen to 24 bits of colour"
    )]
    Format {
        /// How many bits of colour.
        depth: u8,
        /// How many bits in memory.
        bits: u8,
    },
    /// The person said no, or the desktop did.
    #[error(
        "the desktop did not permit a screenshot: {reason}; permit screenshots for this program in the desktop's privacy settings, or confirm its dialog"
    )]
    Denied {
        /// What it said.
        reason: String,
    },
    /// There is no portal to ask.
    #[error(
        "this Wayland session has no desktop portal that takes screenshots: {reason}; install `xdg-desktop-portal` and the backend of your desktop"
    )]
    NoPortal {
        /// What was found instead.
        reason: String,
    },
    /// The portal's picture cannot be used.
    #[error("the desktop portal's screenshot cannot be used: {reason}; try again")]
    PortalPicture {
        /// Why not.
        reason: String,
    },
    /// Nobody answered in time.
    #[error(
        "the desktop portal did not answer within {seconds} s; look for its dialog, and try again, or give it longer with `FOTOS_PORTAL_SECONDS`"
    )]
    NoAnswer {
        /// How long we waited.
        seconds: u64,
    },
    /// A mode that this kind of session has not.
    #[error(
        "Wayland does not let a program see or choose windows; take a `fullscreen` or `monitor` screenshot, and cut it with `region`"
    )]
    NoWindowsOnWayland,
    /// Nobody tells where the monitors are.
    #[error(
        "monitors cannot be told apart here: {reason}; take a `fullscreen` screenshot, and cut it with `region`"
    )]
    NoGeometry {
        /// Why not.
        reason: String,
    },
    /// No such monitor.
    #[error("there is no monitor {index}; {}", counted(monitors))]
    NoMonitor {
        /// What was asked for.
        index: usize,
        /// Those there are.
        monitors: Vec<String>,
    },
    /// No such window.
    #[error("no matching window was found: no title contains `{wanted}`; {}", listed(titles))]
    NoWindow {
        /// What was asked for.
        wanted: String,
        /// Those there are.
        titles: Vec<String>,
    },
    /// The window that was chosen is not there any more.
    #[error("the window is gone; choose another one")]
    WindowGone,
    /// It is there, and has no pixels.
    #[error("the window `{}` is minimised and has no picture; restore it and try again", mask(title))]
    Minimised {
        /// Its title.
        title: String,
    },
    /// It is there, and has no pixels.
    #[error(
        "the window `{}` is on another workspace and has no picture; go there and try again",
        mask(title)
    )]
    Elsewhere {
        /// Its title.
        title: String,
    },
    /// It is there, and nobody is to see it.
    #[error(
        "the only window that matches is one the person excluded from screenshots; the setting is `FOTOS_EXCLUDE`"
    )]
    Excluded,
    /// Other windows are in front of it.
    #[error(
        "the window `{}` is covered by others, and this display server cannot show covered windows; bring it to the front and try again",
        mask(title)
    )]
    Covered {
        /// Its title.
        title: String,
    },
    /// It is not where it was a moment ago.
    #[error("the window `{}` moved while its picture was taken; try again", mask(title))]
    Moved {
        /// Its title.
        title: String,
    },
    /// A part that is not there.
    #[error("`region` lies outside of the picture, which is {width}x{height} pixels large")]
    EmptyRegion {
        /// The picture's width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// More than we are ready to hold.
    #[error(
        "the picture would be {width}x{height} pixels large, which is more than this program holds; take one `monitor`, or a `region`"
    )]
    TooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// A name that stands for nobody.
    #[error(
        "`FOTOS_CAPTURE` is `{name}`, which is no way to take pictures; unset it, or set it to `auto` or `xcap`"
    )]
    UnknownBackend {
        /// What was set.
        name: String,
    },
    /// The library is not in this program.
    #[error(
        "`FOTOS_CAPTURE` asks for `xcap`, which this program was built without; build it with `--features xcap`, or unset the variable"
    )]
    NotBuilt,
    /// The library is not for this session.
    #[error(
        "`FOTOS_CAPTURE` asks for `xcap`, which takes pictures on X11, and this is a Wayland session; unset the variable"
    )]
    XcapOnWayland,
    /// Whoever takes the picture does not show the pointer.
    #[error("the mouse pointer cannot be shown in pictures taken through {by}; leave `include_cursor` out")]
    NoCursor {
        /// Who takes the picture.
        by: &'static str,
    },
    /// The person named windows that cannot be found here.
    #[error(
        "`FOTOS_EXCLUDE` names windows that nobody is to see, and a Wayland desktop does not tell where windows are, so no picture \
         is taken; unset it to capture everything, or close those windows and set it to an empty text"
    )]
    CannotExclude,
    /// It is not known what has to be hidden.
    #[error(
        "the windows that nobody is to see cannot be found here: {reason}; try again, or set `FOTOS_EXCLUDE` to `none` to show all windows"
    )]
    Unlisted {
        /// Why not.
        reason: String,
    },
    /// Their pixels do not fit together.
    #[error(
        "the monitors have different scales and cannot be put together in one picture; take one `monitor`"
    )]
    MixedScales,
    /// The thread that took it is gone.
    #[error("taking the picture broke off; try again")]
    Interrupted,
    /// Fewer pixels came than were promised.
    #[error(transparent)]
    TooSmall(#[from] SizeError),
}

/// As many as somebody reads.
const MOST_TITLES: usize = 30;

fn listed(titles: &[String]) -> String {
    if titles.is_empty() {
        return "there is no window with a title".to_owned();
    }
    let mut text: Vec<String> =
        titles.iter().take(MOST_TITLES).map(|title| format!("`{}`", mask(title))).collect();
    if titles.len() > MOST_TITLES {
        text.push(format!("and {} more", titles.len() - MOST_TITLES));
    }
    format!("the titles there are: {}", text.join(", "))
}

fn counted(monitors: &[String]) -> String {
    let all: Vec<String> =
        monitors.iter().enumerate().map(|(index, name)| format!("{index} (`{name}`)")).collect();
    format!("the monitors there are: {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn a_refusal_names_what_there_is() {
        let titles = vec!["Inbox".to_owned(), "Notes".to_owned()];
        let error = Error::NoWindow { wanted: "fox".to_owned(), titles };
        assert_eq!(
            error.to_string(),
            "no matching window was found: no title contains `fox`; the titles there are: `Inbox`, `Notes`"
        );
        let error = Error::NoMonitor { index: 2, monitors: vec!["left".to_owned(), "right".to_owned()] };
        assert_eq!(
            error.to_string(),
            "there is no monitor 2; the monitors there are: 0 (`left`), 1 (`right`)"
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let titles = (0..40).map(|number| number.to_string()).collect();
        let error = Error::NoWindow { wanted: "fox".to_owned(), titles };
        assert!(error.to_string().ends_with("`29`, and 10 more"));
    }
}
