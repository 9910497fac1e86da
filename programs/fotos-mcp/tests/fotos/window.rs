//! A window with four corners of known colours, painted whenever the display asks for it.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, CreateGCAux, CreateWindowAux,
    EventMask, ExposeEvent, Gcontext, PropMode, Rectangle, StackMode, Window as Id, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::display::pixel;

/// Upper left, upper right, lower left, lower right.
pub(crate) const CORNERS: [[u8; 3]; 4] =
    [[0xd0, 0x10, 0x10], [0x10, 0xc0, 0x10], [0x10, 0x10, 0xe0], [0xe0, 0xe0, 0x10]];

/// How a window looks and who it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) x: i16,
    pub(crate) y: i16,
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) corners: [[u8; 3]; 4],
    pub(crate) class: &'static str,
    pub(crate) named: Named,
}

/// Which property has the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// `_NET_WM_NAME`, as programs of today do.
    Today,
    /// `WM_NAME` alone, as old ones do.
    LongAgo,
}

impl Look {
    pub(crate) fn at(x: i16, y: i16) -> Look {
        Look { x, y, width: 160, height: 120, corners: CORNERS, class: "painter", named: Named::Today }
    }

    pub(crate) fn size(self, width: u16, height: u16) -> Look {
        Look { width, height, ..self }
    }

    pub(crate) fn plain(self, colour: [u8; 3]) -> Look {
        Look { corners: [colour; 4], ..self }
    }
}

/// `IconicState` of the window managers' conventions.
const ICONIC: u32 = 3;

pub(crate) struct Window {
    /// For what the test does; the painter has a connection of its own.
    connection: RustConnection,
    pub(crate) id: Id,
    /// A word whenever the painter has painted, was unmapped, or saw its state change.
    news: Receiver<News>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    Painted,
    Hidden,
}

impl Window {
    pub(crate) fn open(display: &str, title: &str, look: Look) -> Window {
        let (painter, screen) = RustConnection::connect(Some(display)).expect("the display answers");
        let screen = painter.setup().roots[screen].clone();
        let id = painter.generate_id().expect("an id");
        let aux = CreateWindowAux::new()
            .event_mask(EventMask::EXPOSURE | EventMask::STRUCTURE_NOTIFY)
            .background_pixel(0);
        let depth = x11rb::COPY_DEPTH_FROM_PARENT;
        let Look { x, y, width, height, .. } = look;
        painter
            .create_window(depth, id, screen.root, x, y, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &aux)
            .expect("sent")
            .check()
            .expect("a window");
        rename(&painter, id, title, look.named);
        let class = format!("{}\0{}\0", look.class, look.class);
        painter
            .change_property8(PropMode::REPLACE, id, AtomEnum::WM_CLASS, AtomEnum::STRING, class.as_bytes())
            .expect("sent");
        // The place was chosen by the person: the window manager keeps it.
        let mut hints = [0_u32; 18];
        hints[0] = 1;
        let kind = AtomEnum::WM_SIZE_HINTS;
        painter
            .change_property32(PropMode::REPLACE, id, AtomEnum::WM_NORMAL_HINTS, kind, &hints)
            .expect("sent");
        painter.map_window(id).expect("sent").check().expect("mapped");
        let contexts = look.corners.map(|colour| {
            let gc = painter.generate_id().expect("an id");
            let aux = CreateGCAux::new().foreground(pixel(colour));
            painter.create_gc(gc, id, &aux).expect("sent");
            gc
        });
        let (tell, news) = channel();
        std::thread::spawn(move || {
            while let Ok(event) = painter.wait_for_event() {
                let told = match event {
                    Event::Expose(expose) => {
                        paint(&painter, &expose, &look, &contexts);
                        // Others see what was painted once the server has answered this.
                        painter.sync().expect("the display answers");
                        if expose.count > 0 {
                            continue;
                        }
                        News::Painted
                    }
                    Event::UnmapNotify(_) => News::Hidden,
                    Event::DestroyNotify(_) => return,
                    _ => continue,
                };
                if tell.send(told).is_err() {
                    return;
                }
            }
        });
        let (connection, _) = RustConnection::connect(Some(display)).expect("the display answers");
        let window = Window { connection, id, news };
        window.appear();
        window
    }

    /// Waits until it is painted. A window manager that is just starting overlooks who asks too early: so it is asked
    /// again.
    fn appear(&self) {
        while self.news.recv_timeout(Duration::from_millis(500)) != Ok(News::Painted) {
            self.connection.map_window(self.id).expect("sent").check().expect("mapped");
        }
    }

    fn wait_for(&self, wanted: News) {
        while self.news.recv().expect("the painter lives") != wanted {}
    }

    pub(crate) fn rename(&self, title: &str) {
        rename(&self.connection, self.id, title, Named::Today);
        self.connection.sync().expect("the display answers");
    }

    /// Where its content is on the root.
    pub(crate) fn place(&self) -> (u32, u32) {
        let root = self.connection.setup().roots[0].root;
        let place = self
            .connection
            .translate_coordinates(self.id, root, 0, 0)
            .expect("sent")
            .reply()
            .expect("a place");
        (u32::try_from(place.dst_x).expect("inside"), u32::try_from(place.dst_y).expect("inside"))
    }

    /// Asks the window manager to minimise it, and waits until it has.
    pub(crate) fn minimise(&self) {
        let change =
            self.connection.intern_atom(false, b"WM_CHANGE_STATE").expect("sent").reply().expect("an atom");
        let message = ClientMessageEvent::new(32, self.id, change.atom, [ICONIC, 0, 0, 0, 0]);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        let root = self.connection.setup().roots[0].root;
        self.connection.send_event(false, root, mask, message).expect("sent").check().expect("asked");
        self.wait_for(News::Hidden);
    }

    /// Puts it on top.
    pub(crate) fn raise(&self) {
        self.restack(StackMode::ABOVE);
    }

    /// Puts it below all others, and waits until the window manager has done so.
    pub(crate) fn lower(&self) {
        self.restack(StackMode::BELOW);
        let root = self.connection.setup().roots[0].root;
        let list = self.connection.intern_atom(false, b"_NET_CLIENT_LIST_STACKING");
        let list = list.expect("sent").reply().expect("an atom").atom;
        let lowest = || {
            let asked = self.connection.get_property(false, root, list, AtomEnum::WINDOW, 0, 1);
            asked.expect("sent").reply().expect("a list").value32().and_then(|mut list| list.next())
        };
        while lowest() != Some(self.id) {}
    }

    fn restack(&self, mode: StackMode) {
        let aux = ConfigureWindowAux::new().stack_mode(mode);
        self.connection.configure_window(self.id, &aux).expect("sent").check().expect("restacked");
        self.connection.sync().expect("the display answers");
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Ok(cookie) = self.connection.destroy_window(self.id) {
            cookie.ignore_error();
        }
        let _ = self.connection.sync();
    }
}

fn rename(connection: &RustConnection, id: Id, title: &str, named: Named) {
    let atom = |name: &str| {
        connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
    };
    let (name, kind) = match named {
        Named::Today => (atom("_NET_WM_NAME"), atom("UTF8_STRING")),
        Named::LongAgo => (AtomEnum::WM_NAME.into(), AtomEnum::STRING.into()),
    };
    connection.change_property8(PropMode::REPLACE, id, name, kind, title.as_bytes()).expect("sent");
}

/// Paints what is exposed, and nothing else.
fn paint(connection: &RustConnection, expose: &ExposeEvent, look: &Look, contexts: &[Gcontext; 4]) {
    let (half_width, half_height) = (look.width / 2, look.height / 2);
    for (corner, gc) in contexts.iter().enumerate() {
        let left = if corner % 2 == 0 { 0 } else { half_width };
        let top = if corner < 2 { 0 } else { half_height };
        let (from_x, from_y) = (left.max(expose.x), top.max(expose.y));
        let to_x = (left + half_width).min(expose.x + expose.width);
        let to_y = (top + half_height).min(expose.y + expose.height);
        if from_x < to_x && from_y < to_y {
            let [x, y] = [from_x, from_y].map(|place| i16::try_from(place).expect("small"));
            let part = Rectangle { x, y, width: to_x - from_x, height: to_y - from_y };
            connection.poly_fill_rectangle(expose.window, *gc, &[part]).expect("sent");
        }
    }
}
