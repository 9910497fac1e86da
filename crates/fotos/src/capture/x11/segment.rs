//! Memory shared with the X server: it writes a picture there, and we read it without a copy through a socket.

use std::fs::File;
use std::os::fd::OwnedFd;

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::shm::{self, ConnectionExt, Seg};
use x11rb::protocol::xproto::{Drawable, ImageFormat};
use x11rb::rust_connection::RustConnection;

use super::Area;
use super::fault::Fault;

/// Kept from picture to picture: most of the time of a fresh one goes into its pages.
pub(super) struct Segment {
    id: Seg,
    memory: MmapRaw,
}

impl Segment {
    /// Shares `length` bytes, or not: a server on another machine has no part in our memory.
    pub(super) fn new(connection: &RustConnection, length: usize) -> Option<Segment> {
        connection.extension_information(shm::X11_EXTENSION_NAME).ok()??;
        let version = connection.shm_query_version().ok()?.reply().ok()?;
        if (version.major_version, version.minor_version) < (1, 2) {
            return None;
        }
        let file: OwnedFd = memfd_create("fotos", MemfdFlags::CLOEXEC).ok()?;
        ftruncate(&file, u64::try_from(length).ok()?).ok()?;
        let file = File::from(file);
        let memory = MmapOptions::new().len(length).map_raw(&file).ok()?;
        let id = connection.generate_id().ok()?;
        connection.shm_attach_fd(id, OwnedFd::from(file), false).ok()?.check().ok()?;
        Some(Segment { id, memory })
    }

    pub(super) fn length(&self) -> usize {
        self.memory.len()
    }

    /// Has the server write a picture, and returns its depth.
    pub(super) fn fill(
        &self,
        connection: &RustConnection,
        drawable: Drawable,
        area: Area,
    ) -> Result<u8, Fault> {
        let Area { x, y, width, height } = area;
        let format = ImageFormat::Z_PIXMAP.into();
        let reply =
            connection.shm_get_image(drawable, x, y, width, height, u32::MAX, format, self.id, 0)?.reply()?;
        Ok(reply.depth)
    }

    /// What the server wrote last.
    #[allow(unsafe_code, reason = "memory that another process writes has no safe view")]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is `len` bytes long and lives as long as `self`. The server writes to it only while it
        // answers `fill`, which returns after its answer; `Segment` is used by one owner, so no `fill` is under way.
        // Its length is fixed before it is shared, and the server has no use for making it shorter.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.memory.len()) }
    }

    pub(super) fn detach(self, connection: &RustConnection) {
        // Where that fails, the server forgets it with the connection.
        let _ = connection.shm_detach(self.id);
    }
}
