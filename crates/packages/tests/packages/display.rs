//! An X server of a test's own, with something on it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, Rectangle};
use x11rb::rust_connection::RustConnection;

pub(crate) struct Display {
    pub(crate) name: String,
    server: Child,
    /// What is on the screen goes with it.
    _connection: RustConnection,
}

impl Display {
    pub(crate) fn new() -> Display {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb");
        let mut line = String::new();
        let stdout = server.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("Xvfb says its number");
        let name = format!(":{}", line.trim());
        let (connection, screen) = RustConnection::connect(Some(&name)).expect("the display answers");
        let root = connection.setup().roots[screen].root;
        // Not two alike: a picture of the wrong part would be seen.
        for (at, colour) in (0_i16..).zip([0x20_60a0_u32, 0xa0_4020, 0x30_9030, 0xf0_c010]) {
            let gc = connection.generate_id().expect("an id");
            connection.create_gc(gc, root, &CreateGCAux::new().foreground(colour)).expect("sent");
            let bar = Rectangle { x: at * 160, y: at * 60, width: 130, height: 200 };
            connection.poly_fill_rectangle(root, gc, &[bar]).expect("sent").check().expect("painted");
        }
        Display { name, server, _connection: connection }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
