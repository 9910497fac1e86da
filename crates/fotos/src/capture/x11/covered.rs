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

/// How long a program may take to paint what was covered.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long nothing is painted before we believe that all is.
const QUIET: Duration = Duration::from_millis(50);

/// Whether the server can keep the pixels of covered windows.
pub(super) fn is_possible(connection: &RustConnection) -> Result<bool, Fault> {
    for name in [composite::X11_EXTENSION_NAME, damage::X11_EXTENSION_NAME] {
        if connection.extension_information(name)?.is_none() {
            return Ok(false);
        }
    }
    connection.damage_query_version(1, 1)?.reply()?;
    let version = connection.composite_query_version(0, 4)?.reply()?;
    Ok((version.major_version, version.minor_version) >= (0, 2))
}

/// A part, given on the root, of the own pixels of a window on it; nothing where it is painted on the screen itself. They are its
/// own where a compositing manager runs. Otherwise somebody else asked for them, and they may be what was on the screen then.
pub(super) fn kept(x11: &mut X11, top: u32, part: Rect) -> Result<Option<Pixels>, Fault> {
    let pixmap = x11.connection.generate_id()?;
    let named = x11.connection.composite_name_window_pixmap(top, pixmap)?.check();
    match named.map_err(Fault::from) {
        Ok(()) => {}
        Err(Fault::Refused(_)) => return Ok(None),
        Err(fault) => return Err(fault),
    }
    let done = read(x11, top, part, pixmap);
    x11.connection.free_pixmap(pixmap)?;
    done.map(Some)
}

fn read(x11: &mut X11, top: u32, part: Rect, pixmap: u32) -> Result<Pixels, Fault> {
    // A pixmap begins at the outer edge of the frame's border.
    let frame = x11.connection.get_geometry(top)?.reply()?;
    let visual = x11.visual_of(top)?;
    x11.picture(pixmap, visual, part.seen_from(frame.x.into(), frame.y.into()))
}

/// A window with a place of its own, and news about what is painted there.
pub(super) struct Redirected {
    top: u32,
    damage: u32,
}

impl Redirected {
    /// Gives a window a place of its own. What was on the screen is there at first, whoever painted it.
    pub(super) fn new(x11: &X11, top: u32) -> Result<Redirected, Fault> {
        let damage = x11.connection.generate_id()?;
        x11.connection.damage_create(damage, top, ReportLevel::RAW_RECTANGLES)?.check()?;
        // At first the server tells all there is to be seen as if it were painted now. Where somebody else keeps the window's pixels,
        // that is all of it.
        while x11.connection.poll_for_event()?.is_some() {}
        x11.connection.composite_redirect_window(top, Redirect::AUTOMATIC)?.check()?;
        Ok(Redirected { top, damage })
    }

    /// Waits until what was covered is painted and nothing more comes, or for as long as we are ready to. Returns what was not
    /// painted.
    pub(super) fn wait(&self, x11: &X11, covered: &[Rect]) -> Result<Vec<Rect>, Fault> {
        let connection = &x11.connection;
        let frame = connection.get_geometry(self.top)?.reply()?;
        let (border, until) = (i32::from(frame.border_width), Instant::now() + PATIENCE);
        let (left, top) = (i32::from(frame.x) + border, i32::from(frame.y) + border);
        let mut missing = covered.to_vec();
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

    pub(super) fn end(self, x11: &X11) -> Result<(), Fault> {
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
