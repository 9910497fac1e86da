//! Where the monitors of a Wayland desktop are. It tells everybody, without asking the person: this is all we ask it.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use geometry::Rect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use wayland_client::backend::WaylandError;
use wayland_client::protocol::wl_callback::{self, WlCallback};
use wayland_client::protocol::wl_output::WlOutput;
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::{
    ConnectError, Connection, Dispatch, DispatchError, EventQueue, QueueHandle, delegate_noop,
};
use wayland_protocols::xdg::xdg_output::zv1::client::zxdg_output_manager_v1::ZxdgOutputManagerV1;
use wayland_protocols::xdg::xdg_output::zv1::client::zxdg_output_v1::{self, ZxdgOutputV1};

use super::monitor::Monitor;

/// It answers within a frame; one that takes this long has stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// More monitors than any desk has.
const MOST_OUTPUTS: usize = 64;

/// Why a desktop does not say where its monitors are.
#[derive(Debug, thiserror::Error)]
pub(super) enum OutputsError {
    #[error("cannot connect to the Wayland display: {0}")]
    Connect(#[source] std::io::Error),
    #[error("cannot speak to the Wayland display: {0}")]
    Setup(#[from] ConnectError),
    #[error("the Wayland display broke off: {0}")]
    Wire(#[from] WaylandError),
    #[error("the Wayland display broke off: {0}")]
    Dispatch(#[from] DispatchError),
    #[error("the Wayland display cannot be waited for: {0}")]
    Poll(#[from] Errno),
    #[error("the Wayland display did not answer within {} s", PATIENCE.as_secs())]
    Silent,
    #[error("this desktop has no `xdg-output`, which says where monitors are")]
    NotTold,
}

/// The monitors, in the order the desktop names them.
pub(super) fn monitors(socket: &Path) -> Result<Vec<Monitor>, OutputsError> {
    let socket = UnixStream::connect(socket).map_err(OutputsError::Connect)?;
    let connection = Connection::from_socket(socket)?;
    let mut events = connection.new_event_queue();
    let (handle, deadline) = (events.handle(), Instant::now() + PATIENCE);
    let mut desk = Desk::default();
    connection.display().get_registry(&handle, ());
    desk.settle(&connection, &mut events, deadline)?;
    let manager = desk.manager.take().ok_or(OutputsError::NotTold)?;
    for index in 0..desk.outputs.len() {
        let (output, _) = &desk.outputs[index];
        manager.get_xdg_output(output, &handle, index);
    }
    desk.settle(&connection, &mut events, deadline)?;
    Ok(desk.outputs.into_iter().enumerate().filter_map(|(index, (_, told))| told.monitor(index)).collect())
}

/// What the desktop told so far.
#[derive(Default)]
struct Desk {
    outputs: Vec<(WlOutput, Told)>,
    manager: Option<ZxdgOutputManagerV1>,
    /// Whether it said everything it had to say to the last question.
    settled: bool,
}

/// What it told of one monitor.
#[derive(Default)]
struct Told {
    name: Option<String>,
    place: (i32, i32),
    size: (i32, i32),
}

impl Told {
    /// Nothing, where the monitor is off.
    fn monitor(self, index: usize) -> Option<Monitor> {
        let (width, height) = (u32::try_from(self.size.0).ok()?, u32::try_from(self.size.1).ok()?);
        let place = Rect { x: self.place.0, y: self.place.1, width, height };
        let name = self.name.unwrap_or_else(|| format!("monitor {index}"));
        (width > 0 && height > 0).then_some(Monitor { name, place })
    }
}

impl Desk {
    /// Waits until everything asked so far is answered.
    fn settle(
        &mut self,
        connection: &Connection,
        events: &mut EventQueue<Desk>,
        deadline: Instant,
    ) -> Result<(), OutputsError> {
        self.settled = false;
        connection.display().sync(&events.handle(), ());
        loop {
            events.dispatch_pending(self)?;
            if self.settled {
                return Ok(());
            }
            events.flush()?;
            let Some(reading) = events.prepare_read() else { continue };
            let left = deadline.checked_duration_since(Instant::now()).ok_or(OutputsError::Silent)?;
            let left = Timespec::try_from(left).map_err(|_| OutputsError::Silent)?;
            let mut waiting = [PollFd::from_borrowed_fd(reading.connection_fd(), PollFlags::IN)];
            match poll(&mut waiting, Some(&left)) {
                Ok(0) => return Err(OutputsError::Silent),
                Ok(_) => drop(reading.read()?),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Dispatch<WlRegistry, ()> for Desk {
    fn event(
        desk: &mut Desk,
        registry: &WlRegistry,
        event: wl_registry::Event,
        (): &(),
        _: &Connection,
        handle: &QueueHandle<Desk>,
    ) {
        let wl_registry::Event::Global { name, interface, version } = event else { return };
        match interface.as_str() {
            "wl_output" if desk.outputs.len() < MOST_OUTPUTS => {
                desk.outputs.push((registry.bind(name, version.min(2), handle, ()), Told::default()));
            }
            "zxdg_output_manager_v1" => desk.manager = Some(registry.bind(name, version.min(3), handle, ())),
            _ => {}
        }
    }
}

impl Dispatch<ZxdgOutputV1, usize> for Desk {
    fn event(
        desk: &mut Desk,
        _: &ZxdgOutputV1,
        event: zxdg_output_v1::Event,
        index: &usize,
        _: &Connection,
        _: &QueueHandle<Desk>,
    ) {
        let Some((_, told)) = desk.outputs.get_mut(*index) else { return };
        match event {
            zxdg_output_v1::Event::LogicalPosition { x, y } => told.place = (x, y),
            zxdg_output_v1::Event::LogicalSize { width, height } => told.size = (width, height),
            zxdg_output_v1::Event::Name { name } => told.name = Some(name),
            // What else there may be, we do not need.
            _ => {}
        }
    }
}

impl Dispatch<WlCallback, ()> for Desk {
    fn event(
        desk: &mut Desk,
        _: &WlCallback,
        _: wl_callback::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Desk>,
    ) {
        desk.settled = true;
    }
}

// Its place is told in pixels of the monitor; that among the others is told by `xdg-output`.
delegate_noop!(Desk: ignore WlOutput);
delegate_noop!(Desk: ZxdgOutputManagerV1);
