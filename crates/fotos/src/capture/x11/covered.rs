//! Windows that others cover: the Composite extension keeps all of their pixels.
//!
//! Where a compositing window manager runs, every window has its pixels already. Elsewhere the window is given a place
//! of its own for a moment, and its program paints there what was covered.

use geometry::Rect;
use picture::Pixels;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::composite::{self, ConnectionExt as _, Redirect};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use super::X11;
use super::fault::Fault;
use super::repaint::{self, Watched};

/// Whether the server can keep the pixels of covered windows.
pub(super) fn is_possible(connection: &RustConnection) -> Result<bool, Fault> {
    if connection.extension_information(composite::X11_EXTENSION_NAME)?.is_none()
        || !repaint::is_possible(connection)?
    {
        return Ok(false);
    }
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
    watched: Watched,
}

impl Redirected {
    /// Gives a window a place of its own, and has its program paint what is wanted of it. What was on the screen is there at first,
    /// whoever painted it.
    pub(super) fn new(x11: &X11, top: u32, wanted: Vec<Rect>) -> Result<Redirected, Fault> {
        let watched = Watched::new(x11, top, wanted)?;
        x11.connection.composite_redirect_window(top, Redirect::AUTOMATIC)?.check()?;
        let redirected = Redirected { watched };
        redirected.watched.ask(x11)?;
        Ok(redirected)
    }

    /// Waits until that is painted and nothing more comes, or for as long as we are ready to. Returns what was not painted.
    pub(super) fn wait(&mut self, x11: &X11) -> Result<Vec<Rect>, Fault> {
        repaint::wait(x11, std::slice::from_mut(&mut self.watched))?;
        Ok(self.watched.missing().to_vec())
    }

    pub(super) fn end(self, x11: &X11) -> Result<(), Fault> {
        x11.connection.composite_unredirect_window(self.watched.top, Redirect::AUTOMATIC)?.ignore_error();
        self.watched.end(x11)
    }
}
