//! Eyes for an agent, safe to lend.
//!
//! [`server`] is the MCP server `fotos`: it takes pictures of the screen, reads them, draws on them and takes private
//! things out of them. All of that is [`Host`], which knows nothing of MCP: [`capture`] takes the picture, [`store`] keeps it in memory,
//! [`shown`] makes what goes into an answer, [`annotation`] draws, [`search`] finds text, and the crate `redaction` finds what is
//! private and hides it. A desktop program is this library with a window around it.

pub mod annotation;
mod announce;
pub mod capture;
pub mod config;
pub mod error;
pub mod events;
pub mod host;
mod prompts;
pub mod reading;
mod resources;
pub mod screenshot;
pub mod search;
pub mod settings;
pub mod shown;
pub mod store;
mod tools;
pub mod ui;

use std::sync::Arc;

use mcp::{Change, Changes, Features, Server};

pub use config::Config;
pub use error::Error;
use events::{Event, Listening};
pub use host::Host;

/// The name clients know the server by.
pub const NAME: &str = "fotos";

/// What the server is for, in a few words.
pub const ABOUT: &str = "sees the screen: captures, reads, annotates and redacts screenshots";

/// What the tools share.
pub struct State {
    host: Arc<Host>,
    /// Tells clients what happens to screenshots.
    _listening: Listening,
}

/// The server with a host of its own. No work is done before the first call.
pub fn server(config: Config) -> Server<State> {
    server_of(Arc::new(Host::new(config)))
}

/// The server of a host.
pub fn server_of(host: Arc<Host>) -> Server<State> {
    let changes = Changes::default();
    let listening = host.events.listen({
        let changes = changes.clone();
        move |event| tell(&changes, event)
    });
    let server = Server::new(NAME, env!("CARGO_PKG_VERSION"), State { host, _listening: listening })
        .title("Fotos")
        .description("AI-powered screenshot capture, annotation, and analysis")
        .instructions(
            "Sees the screen of this machine. take_screenshot captures all monitors, one monitor or one window and \
             answers with the picture and its screenshot_id; the other tools take that id. Coordinates are always those \
             of the full picture, also where a smaller one was shown; find_on_screen answers in coordinates of the screen, where a \
             click goes. Screenshots are kept in memory, and list_screenshots names them.",
        )
        .features(Features { list_changes: true, resource_updates: true, logging: false })
        .telling(changes);
    prompts::offer(resources::offer(tools::offer(server)))
}

/// What clients hear of an event.
fn tell(changes: &Changes, event: &Event) {
    let uri = |id: &uuid::Uuid| format!("screenshots://{id}");
    match event {
        Event::Added(_) => {}
        Event::Read(id) => return changes.tell(&Change::Resource(format!("{}/ocr", uri(id)))),
        Event::Removed(id) => changes.tell(&Change::Resource(uri(id))),
    }
    changes.tell(&Change::Resources);
    changes.tell(&Change::Resource(resources::RECENT.to_owned()));
}
