//! Monitors, in the order `xrandr --listmonitors` has them.

use geometry::Rect;
use x11rb::connection::RequestConnection;
use x11rb::protocol::randr::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt, Window};
use x11rb::rust_connection::RustConnection;

use super::fault::Fault;
use crate::capture::monitor::{Monitor, choose};

/// The monitor of this number, or which ones there are.
pub(super) fn monitor(connection: &RustConnection, root: Window, index: usize) -> Result<Monitor, Fault> {
    Ok(choose(monitors(connection, root)?, index)?)
}

/// All of them.
pub(super) fn monitors(connection: &RustConnection, root: Window) -> Result<Vec<Monitor>, Fault> {
    let whole = connection.get_geometry(root)?.reply()?;
    let whole = Rect::of_size(whole.width.into(), whole.height.into());
    let alone = || vec![Monitor { name: "screen".to_owned(), place: whole }];
    if connection.extension_information(randr::X11_EXTENSION_NAME)?.is_none() {
        return Ok(alone());
    }
    let version = connection.randr_query_version(1, 5)?.reply()?;
    if (version.major_version, version.minor_version) < (1, 5) {
        return Ok(alone());
    }
    let mut found = Vec::new();
    for monitor in connection.randr_get_monitors(root, true)?.reply()?.monitors {
        let name = connection.get_atom_name(monitor.name)?.reply()?.name;
        let place = Rect {
            x: monitor.x.into(),
            y: monitor.y.into(),
            width: monitor.width.into(),
            height: monitor.height.into(),
        };
        // A monitor that hangs over the edge of the root has no pixels there.
        let Some(place) = place.common(whole) else { continue };
        found.push(Monitor { name: String::from_utf8_lossy(&name).into_owned(), place });
    }
    Ok(if found.is_empty() { alone() } else { found })
}
