//! Windows that are asked to paint. What a program did not paint itself may be what was on the screen before, also where its window
//! is the uppermost one: many programs have the server fill nothing, and one that hangs paints nothing.

use std::time::{Duration, Instant};

use geometry::{Rect, without};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::protocol::xproto::{
    ConnectionExt as _, EXPOSE_EVENT, EventMask, ExposeEvent, MapState, Rectangle, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use super::fault::Fault;
use super::{Area, X11};

/// How long a program may take to paint.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long nothing is painted before we believe that all is.
const QUIET: Duration = Duration::from_millis(50);

/// The same where something is painted and something is not: programs paint all they are going to paint at once.
const SETTLED: Duration = Duration::from_millis(150);

/// How many windows inside one are asked. What lies in others is not painted.
const MOST_ASKED: usize = 256;

/// Whether the server tells what is painted.
pub(super) fn is_possible(connection: &RustConnection) -> Result<bool, Fault> {
    if connection.extension_information(damage::X11_EXTENSION_NAME)?.is_none() {
        return Ok(false);
    }
    connection.damage_query_version(1, 1)?.reply()?;
    Ok(true)
}

/// A window on the root, and news about what is painted in it.
pub(super) struct Watched {
    pub(super) top: Window,
    damage: u32,
    /// Where it is, with its border.
    pub(super) frame: Rect,
    /// Where its content begins.
    inside: (i32, i32),
    wanted: Vec<Rect>,
    missing: Vec<Rect>,
    /// Whether anything was painted yet.
    heard: bool,
}

impl Watched {
    /// Watches what is painted of some rectangles on the root.
    pub(super) fn new(x11: &X11, top: Window, wanted: Vec<Rect>) -> Result<Watched, Fault> {
        let geometry = x11.connection.get_geometry(top)?.reply()?;
        let border = u32::from(geometry.border_width);
        let (x, y) = (i32::from(geometry.x), i32::from(geometry.y));
        let (width, height) =
            (u32::from(geometry.width) + 2 * border, u32::from(geometry.height) + 2 * border);
        let frame = Rect { x, y, width, height };
        let damage = x11.connection.generate_id()?;
        x11.connection.damage_create(damage, top, ReportLevel::RAW_RECTANGLES)?.check()?;
        // At first the server tells all there is to be seen as if it were painted now. Where somebody else keeps the window's pixels,
        // that is all of it.
        while x11.connection.poll_for_event()?.is_some() {}
        let border = i32::from(geometry.border_width);
        let inside = (x + border, y + border);
        Ok(Watched { top, damage, frame, inside, missing: wanted.clone(), wanted, heard: false })
    }

    /// Has everybody with a window in this one paint what is wanted. Nothing flickers: what is there stays until then.
    pub(super) fn ask(&self, x11: &X11) -> Result<(), Fault> {
        let (left, top) = self.inside;
        let mut found = vec![Placed { window: self.top, left, top }];
        let mut at = 0;
        while let Some(placed) = found.get(at).copied() {
            at += 1;
            let asked = ask(x11, placed, &self.wanted).map(Some).or_else(Fault::or_gone)?;
            let room = MOST_ASKED.saturating_sub(found.len());
            found.extend(asked.into_iter().flatten().take(room));
        }
        x11.connection.flush()?;
        Ok(())
    }

    /// What of the wanted rectangles was not painted.
    pub(super) fn missing(&self) -> &[Rect] {
        &self.missing
    }

    /// What of them was.
    pub(super) fn painted(&self) -> Vec<Rect> {
        self.missing.iter().fold(self.wanted.clone(), |painted, missing| without(&painted, *missing))
    }

    pub(super) fn end(&self, x11: &X11) -> Result<(), Fault> {
        x11.connection.damage_destroy(self.damage)?.ignore_error();
        x11.connection.flush()?;
        while x11.connection.poll_for_event()?.is_some() {}
        Ok(())
    }

    fn note(&mut self, area: Rectangle) {
        let painted = Rect {
            x: self.inside.0 + i32::from(area.x),
            y: self.inside.1 + i32::from(area.y),
            width: area.width.into(),
            height: area.height.into(),
        };
        self.missing = without(&self.missing, painted);
        self.heard = true;
    }
}

/// A window, and where its content begins on the root.
#[derive(Debug, Clone, Copy)]
struct Placed {
    window: Window,
    left: i32,
    top: i32,
}

/// Has one window painted. Returns those in it.
fn ask(x11: &X11, placed: Placed, wanted: &[Rect]) -> Result<Vec<Placed>, Fault> {
    let Placed { window, left, top } = placed;
    let connection = &x11.connection;
    let attributes = connection.get_window_attributes(window)?;
    let (geometry, tree) = (connection.get_geometry(window)?, connection.query_tree(window)?);
    let (attributes, geometry) = (attributes.reply()?, geometry.reply()?);
    if attributes.map_state != MapState::VIEWABLE || attributes.class != WindowClass::INPUT_OUTPUT {
        return Ok(Vec::new());
    }
    let place = Rect { x: left, y: top, width: geometry.width.into(), height: geometry.height.into() };
    for part in wanted.iter().filter_map(|wanted| wanted.common(place)) {
        let Area { x, y, width, height } = Area::new(part.seen_from(left, top))?;
        if attributes.all_event_masks.contains(EventMask::EXPOSURE) {
            let event = ExposeEvent {
                response_type: EXPOSE_EVENT,
                sequence: 0,
                window,
                x: x.unsigned_abs(),
                y: y.unsigned_abs(),
                width,
                height,
                count: 0,
            };
            connection.send_event(false, window, EventMask::EXPOSURE, event)?.ignore_error();
        } else {
            // Nobody paints it but the server, if it has a background.
            connection.clear_area(false, window, x, y, width, height)?.ignore_error();
        }
    }
    let mut inside = Vec::new();
    for child in tree.reply()?.children.into_iter().take(MOST_ASKED) {
        let geometry = connection.get_geometry(child)?.reply();
        let Some(child_place) = geometry.map(Some).map_err(Fault::from).or_else(Fault::or_gone)? else {
            continue;
        };
        let border = i32::from(child_place.border_width);
        let (x, y) = (i32::from(child_place.x), i32::from(child_place.y));
        inside.push(Placed { window: child, left: left + x + border, top: top + y + border });
    }
    Ok(inside)
}

/// Waits until everything that is wanted is painted and nothing more comes, or for as long as we are ready to.
pub(super) fn wait(x11: &X11, watched: &mut [Watched]) -> Result<(), Fault> {
    let connection = &x11.connection;
    let until = Instant::now() + PATIENCE;
    loop {
        while let Some(event) = connection.poll_for_event()? {
            let Event::DamageNotify(news) = event else { continue };
            for one in watched.iter_mut().filter(|one| one.damage == news.damage) {
                one.note(news.area);
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        let pause = if watched.iter().all(|one| one.missing.is_empty()) {
            left.min(QUIET)
        } else if watched.iter().all(|one| one.heard) {
            left.min(SETTLED)
        } else {
            left
        };
        if pause.is_zero() || !is_news_within(connection, pause)? {
            return Ok(());
        }
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
