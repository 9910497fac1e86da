//! An X server of a test's own: Xvfb with a window manager and two monitors, each of one colour.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use fotos::annotation::{Annotation, Colour, Font, Point, Renderer, Shape};
use picture::Pixels;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, EventMask, ImageFormat, Rectangle,
    Screen,
};
use x11rb::rust_connection::RustConnection;

use crate::window::{Look, Window};

pub(crate) const WIDTH: u16 = 800;
pub(crate) const HEIGHT: u16 = 600;

/// The colours of the two monitors.
pub(crate) const LEFT: [u8; 3] = [0x20, 0x60, 0xa0];
pub(crate) const RIGHT: [u8; 3] = [0xa0, 0x40, 0x20];

/// How much of a picture goes into one request, which has a largest size.
const ROWS: u16 = 50;

pub(crate) struct Display {
    pub(crate) name: String,
    processes: Vec<Child>,
    /// Its monitors and colours are this connection's.
    connection: RustConnection,
}

/// A process that must be there; the packages it comes with are in `dev`.
pub(crate) fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap_or_else(|error| {
        panic!("cannot start {command:?}: {error}; `./dev test packages` installs what is needed")
    })
}

impl Display {
    /// One with a window manager.
    pub(crate) fn new() -> Display {
        Display::bare().managed()
    }

    /// One with a window manager, and a single monitor in both colours.
    #[cfg(feature = "xcap")]
    pub(crate) fn with_one_monitor() -> Display {
        Display::empty().managed()
    }

    fn managed(mut self) -> Display {
        let manager = start(
            Command::new("openbox")
                .args(["--sm-disable", "--config-file", "/etc/xdg/openbox/rc.xml"])
                .env("DISPLAY", &self.name)
                .env_remove("WAYLAND_DISPLAY")
                .env_remove("DBUS_SESSION_BUS_ADDRESS")
                .stdout(Stdio::null()),
        );
        self.processes.push(manager);
        self.wait_for_the_manager();
        self.paint_the_root();
        self
    }

    /// One where windows lie directly on the root.
    pub(crate) fn bare() -> Display {
        let display = Display::empty();
        display.set_monitors();
        display.paint_the_root();
        display
    }

    /// One of another size, with one monitor and nothing on it.
    pub(crate) fn sized(width: u16, height: u16) -> Display {
        Display::of_size(width, height)
    }

    /// One as it starts, with the one monitor it has by itself.
    fn empty() -> Display {
        Display::of_size(WIDTH, HEIGHT)
    }

    fn of_size(width: u16, height: u16) -> Display {
        let screen = format!("{width}x{height}x24");
        let mut server = start(
            Command::new("Xvfb")
                .args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp", "-noreset"])
                .stdout(Stdio::piped()),
        );
        let mut line = String::new();
        let stdout = server.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("Xvfb says its number");
        let name = format!(":{}", line.trim());
        let (connection, _) = RustConnection::connect(Some(&name)).expect("the display answers");
        Display { name, processes: vec![server], connection }
    }

    fn screen(&self) -> &Screen {
        &self.connection.setup().roots[0]
    }

    /// Two monitors beside each other.
    fn set_monitors(&self) {
        let root = self.screen().root;
        self.connection.randr_query_version(1, 5).expect("sent").reply().expect("RandR 1.5");
        let resources =
            self.connection.randr_get_screen_resources(root).expect("sent").reply().expect("outputs");
        for (name, x, outputs) in [("left", 0, resources.outputs), ("right", WIDTH / 2, Vec::new())] {
            let atom =
                self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom");
            let monitor = MonitorInfo {
                name: atom.atom,
                primary: x == 0,
                automatic: false,
                x: i16::try_from(x).expect("small"),
                y: 0,
                width: WIDTH / 2,
                height: HEIGHT,
                width_in_millimeters: 200,
                height_in_millimeters: 300,
                outputs,
            };
            self.connection.randr_set_monitor(root, monitor).expect("sent").check().expect("a monitor");
        }
    }

    /// Waits until the window manager has said that it is there.
    fn wait_for_the_manager(&self) {
        let root = self.screen().root;
        let watch = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        self.connection.change_window_attributes(root, &watch).expect("sent").check().expect("watched");
        let named = |name: &str| {
            self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
        };
        let (check, list) = (named("_NET_SUPPORTING_WM_CHECK"), named("_NET_CLIENT_LIST_STACKING"));
        let is_set = |property: u32| {
            let reply = self.connection.get_property(false, root, property, AtomEnum::ANY, 0, 1);
            reply.expect("sent").reply().expect("an answer").type_ != 0
        };
        while !(is_set(check) && is_set(list)) {
            while !matches!(self.connection.wait_for_event().expect("an event"), Event::PropertyNotify(_)) {}
        }
        let ignore = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
        self.connection.change_window_attributes(root, &ignore).expect("sent").check().expect("ignored");
    }

    /// Gives each monitor its colour.
    fn paint_the_root(&self) {
        let root = self.screen().root;
        for (colour, x) in [(LEFT, 0), (RIGHT, WIDTH / 2)] {
            let gc = self.connection.generate_id().expect("an id");
            let aux = CreateGCAux::new().foreground(pixel(colour));
            self.connection.create_gc(gc, root, &aux).expect("sent").check().expect("a context");
            let x = i16::try_from(x).expect("small");
            let half = Rectangle { x, y: 0, width: WIDTH / 2, height: HEIGHT };
            self.connection.poly_fill_rectangle(root, gc, &[half]).expect("sent").check().expect("painted");
        }
    }

    /// Writes on the screen: black on white, a line each, from the upper left corner on.
    pub(crate) fn write(&self, lines: &[&str]) {
        let bytes = vec![u8::MAX; usize::from(WIDTH) * usize::from(HEIGHT) * 3];
        let mut page = Pixels::new(WIDTH.into(), HEIGHT.into(), bytes).expect("a page");
        let mut y = 10.0;
        let annotations: Vec<Annotation> = lines
            .iter()
            .map(|line| {
                y += 30.0;
                let at = Point { x: 20.0, y };
                let shape = Shape::Text {
                    at,
                    text: (*line).to_owned(),
                    size: 18.0,
                    width: None,
                    font: Font::SansSerif,
                };
                Annotation::new(shape, Colour { rgb: [0; 3], opacity: u8::MAX }, 1.0)
            })
            .collect();
        Renderer::default().draw(&annotations, &mut page);
        self.paint(&page);
    }

    /// Paints all of the screen.
    pub(crate) fn paint(&self, page: &Pixels) {
        let (root, depth) = (self.screen().root, self.screen().root_depth);
        let gc = self.connection.generate_id().expect("an id");
        self.connection.create_gc(gc, root, &CreateGCAux::new()).expect("sent");
        let pixels: Vec<u8> =
            page.bytes().chunks_exact(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0], 0]).collect();
        for (part, y) in
            pixels.chunks(usize::from(WIDTH) * 4 * usize::from(ROWS)).zip((0_i16..).step_by(ROWS.into()))
        {
            let format = ImageFormat::Z_PIXMAP;
            let image = self.connection.put_image(format, root, gc, WIDTH, ROWS, 0, y, 0, depth, part);
            image.expect("sent").check().expect("painted");
        }
    }

    /// Has the window manager do nothing any more.
    pub(crate) fn stop_the_manager(&self) {
        let pid = self.processes.last().expect("a window manager").id().to_string();
        assert!(Command::new("kill").args(["-STOP", &pid]).status().expect("kill").success());
    }

    /// A connection of its own to this display, for what a test does besides.
    pub(crate) fn connect(&self) -> (RustConnection, Screen) {
        let (connection, number) = RustConnection::connect(Some(&self.name)).expect("the display answers");
        let screen = connection.setup().roots[number].clone();
        (connection, screen)
    }

    /// Opens a window and waits until it is painted.
    pub(crate) fn window(&self, title: &str, look: Look) -> Window {
        Window::open(&self.name, title, look)
    }
}

/// A colour as a pixel of the display.
pub(crate) fn pixel([red, green, blue]: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}

impl Drop for Display {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
