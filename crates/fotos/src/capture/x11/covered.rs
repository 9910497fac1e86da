//! Windows that others cover: the Composite extension keeps all of their pixels.
//!
//! Where a compositing window manager runs, every window has its pixels already. Elsewhere the window is given a place
//! of its own for a moment, and its program paints there what was covered.

use std::time::{Duration, Instant};

use geometry::{Rect, without};
use picture::Pixels;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::composite::{self, ConnectionExt as _, Redirect};
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use super::X11;
use super::fault::Fault;
use crate::capture::Error;

/// A window that is covered.
pub(super) struct Window<'a> {
    /// The frame around it, which lies on the root.
    pub(super) top: u32,
    pub(super) title: &'a str,
    /// What is wanted of it, on the root.
    pub(super) part: Rect,
    /// What of that others cover.
    pub(super) covered: Vec<Rect>,
}

/// How long a program may take to paint what was covered.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long nothing is painted before we believe that all is.
const QUIET: Duration = Duration::from_millis(50);

/// Takes a picture of the window as if nothing covered it, and says which parts of it, on the root, may still show what covers
/// it: the server hands over what was on the screen, and not every program paints again.
pub(super) fn picture(x11: &mut X11, window: &Window<'_>) -> Result<(Pixels, Vec<Rect>), Fault> {
    if !is_possible(&x11.connection)? {
        return Err(Error::Covered { title: window.title.to_owned() }.into());
    }
    match kept(x11, window) {
        Err(Fault::Refused(_)) => {}
        done => return Ok((done?, Vec::new())),
    }
    let redirected = Redirected::new(x11, window.top)?;
    let done = redirected.wait(x11, window).and_then(|missing| Ok((kept(x11, window)?, missing)));
    redirected.end(x11)?;
    done
}

fn is_possible(connection: &RustConnection) -> Result<bool, Fault> {
    for name in [composite::X11_EXTENSION_NAME, damage::X11_EXTENSION_NAME] {
        if connection.extension_information(name)?.is_none() {
            return Ok(false);
        }
    }
    connection.damage_query_version(1, 1)?.reply()?;
    let version = connection.composite_query_version(0, 4)?.reply()?;
    Ok((version.major_version, version.minor_version) >= (0, 2))
}

/// The window's own pixels; the server refuses where it has none.
fn kept(x11: &mut X11, window: &Window<'_>) -> Result<Pixels, Fault> {
    let pixmap = x11.connection.generate_id()?;
    x11.connection.composite_name_window_pixmap(window.top, pixmap)?.check()?;
    let done = read(x11, window, pixmap);
    x11.connection.free_pixmap(pixmap)?;
    done
}

fn read(x11: &mut X11, window: &Window<'_>, pixmap: u32) -> Result<Pixels, Fault> {
    // A pixmap begins at the outer edge of the frame's border.
    let frame = x11.connection.get_geometry(window.top)?.reply()?;
    let visual = x11.visual_of(window.top)?;
    let part = window.part.seen_from(frame.x.into(), frame.y.into());
    x11.picture(pixmap, visual, part)
}

/// A window with a place of its own, and news about what is painted there.
struct Redirected {
    top: u32,
    damage: u32,
}

impl Redirected {
    fn new(x11: &X11, top: u32) -> Result<Redirected, Fault> {
        let damage = x11.connection.generate_id()?;
        x11.connection.damage_create(damage, top, ReportLevel::RAW_RECTANGLES)?.check()?;
        x11.connection.composite_redirect_window(top, Redirect::AUTOMATIC)?.check()?;
        Ok(Redirected { top, damage })
    }

    /// Waits until what was covered is painted and nothing more comes, or for as long as we are ready to. Returns what was not
    /// painted.
    fn wait(&self, x11: &X11, window: &Window<'_>) -> Result<Vec<Rect>, Fault> {
        let connection = &x11.connection;
        let frame = connection.get_geometry(self.top)?.reply()?;
        let (border, until) = (i32::from(frame.border_width), Instant::now() + PATIENCE);
        let (left, top) = (i32::from(frame.x) + border, i32::from(frame.y) + border);
        let mut missing = window.covered.clone();
        loop {
            while let Some(event) = connection.poll_for_event()? {
                let Event::DamageNotify(news) = event else { continue };
                if news.damage == self.damage {
                    let painted = Rect {
                        x: left + i32::from(news.area.x),
                        y: top + i32::from(news.area.y),
                        width: news.area.width.into(),
                        height: news.area.height.into(),
                    };
                    missing = without(&missing, painted);
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            let pause = if missing.is_empty() { left.min(QUIET) } else { left };
            if pause.is_zero() || !is_news_within(connection, pause)? {
                return Ok(missing);
            }
        }
    }

    fn end(self, x11: &X11) -> Result<(), Fault> {
        x11.connection.composite_unredirect_window(self.top, Redirect::AUTOMATIC)?.ignore_error();
        x11.connection.damage_destroy(self.damage)?.ignore_error();
        x11.connection.flush()?;
        while x11.connection.poll_for_event()?.is_some() {}
        Ok(())
    }
}

fn is_news_within(connection: &RustConnection, pause: Duration) -> Result<bool, Fault> {
    let stream = connection.stream().as_fd();
    let pause = Timespec::try_from(pause).map_err(|_| Fault::Lost("no such time".to_owned()))?;
    let ready = poll(&mut [PollFd::new(&stream, PollFlags::IN)], Some(&pause));
    match ready {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(Fault::Lost(error.to_string())),
    }
}
