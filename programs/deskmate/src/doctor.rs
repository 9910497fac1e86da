//! `deskmate doctor`: looks at everything that can be wrong on this machine, and changes nothing.
//!
//! Each area is a file that gives [`Check`]s. Areas run beside each other, and one that hangs, as a network folder may, costs a row
//! and not the report.

mod apps;
mod check;
mod cookbook;
mod disk;
mod folders;
mod http;
mod models;
mod reading;
mod report;
mod screen;
mod sockets;
mod state;
mod vault;
mod versions;
mod video;

use std::ffi::OsString;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

pub use check::{Check, Status};
pub use report::{Report, ServerReport};

use crate::servers::Entry;

/// How long the whole report may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a person can choose.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Where `deskmate serve` would listen.
    pub port: u16,
}

/// The port of `deskmate serve` unless it is told another.
pub const PORT: u16 = 8_642;

impl Default for Options {
    fn default() -> Options {
        Options { port: PORT }
    }
}

/// One area: what it is called in a row that says that it hangs, and who looks.
type Area = (&'static str, fn(Options) -> Vec<Check>);

/// In the order of the report.
const AREAS: &[Area] = &[
    ("version", |_| versions::look()),
    ("state folder", |_| state::look()),
    ("disk", |_| disk::look()),
    ("folders", |_| folders::look()),
    ("screen", |_| screen::look()),
    ("Fotos app", |_| sockets::look()),
    ("OCR", |_| reading::look()),
    ("videos", |_| video::look()),
    ("model keys", |_| models::look()),
    ("vault", |_| vault::look()),
    ("cookbook", |_| cookbook::look()),
    ("HTTP", |options| http::look(options.port)),
    ("apps", |_| apps::look()),
];

/// Looks at everything.
pub fn examine(options: Options, servers: &[Entry]) -> Report {
    let started = Instant::now();
    let looking: Vec<_> = AREAS.iter().map(|area| (area.0, start(*area, options))).collect();
    let mut checks = Vec::new();
    for (name, answer) in looking {
        let left = PATIENCE.saturating_sub(started.elapsed());
        checks.extend(answer.recv_timeout(left).unwrap_or_else(|_| {
            let found = format!("no answer within {} seconds", PATIENCE.as_secs());
            vec![Check::problem(name, found, "run `deskmate doctor` again; if it stays, report it")]
        }));
    }
    Report::new(servers, checks)
}

/// On a thread of its own, which nobody waits for longer than [`PATIENCE`]: some areas need a runtime, and this may be called
/// inside one.
fn start((_, look): Area, options: Options) -> mpsc::Receiver<Vec<Check>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // Nobody may wait any more.
        let _ = sender.send(look(options));
    });
    receiver
}

/// A variable of the environment that says something.
pub(crate) fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
