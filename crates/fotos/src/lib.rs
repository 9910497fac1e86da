//! Eyes for an agent, safe to lend.
//!
//! [`server`] is the MCP server `fotos`: it takes pictures of the screen, reads them, draws on them and takes private
//! things out of them. All of that is [`Host`], which knows nothing of MCP: [`capture`] takes the picture, [`store`] keeps it in memory,
//! [`shown`] makes what goes into an answer, [`annotation`] draws, [`search`] finds text, and the crate `redaction` finds what is
//! private and hides it. A desktop program is this library with a window around it.

pub mod activity;
mod agent;
pub mod annotation;
mod announce;
pub mod bridge;
pub mod capture;
pub mod config;
pub mod document;
pub mod error;
pub mod events;
mod history;
pub mod host;
#[cfg(feature = "pages")]
pub mod pages;
mod prompts;
pub mod reading;
mod resources;
pub mod screenshot;
pub mod search;
pub mod settings;
pub mod shown;
pub mod store;
mod telling;
mod tools;
pub mod ui;
mod webp;

use std::sync::Arc;

use mcp::{Changes, Features, Server};

use agent::{Agent, Limits};
pub use config::Config;
pub use error::Error;
use events::Listening;
pub use host::Host;

/// The name clients know the server by.
pub const NAME: &str = "fotos";

/// What the server is for, in a few words.
pub const ABOUT: &str = "sees the screen: captures, reads, annotates and redacts screenshots";

/// What the tools share.
pub struct State {
    host: Agent,
    /// Tells clients what happens to screenshots.
    _listening: Option<Listening>,
}

/// The server with a host of its own, in memory. No work is done before the first call.
pub fn server(config: Config) -> Server<State> {
    server_of(Arc::new(Host::new(config)))
}

/// The server of a host. That of the application has undo and redo besides.
pub fn server_of(host: Arc<Host>) -> Server<State> {
    let changes = Changes::default();
    let listening = telling::listen(&host, changes.clone());
    build(Kind::of(&host), State { host: Agent::new(host, Limits::default()), _listening: Some(listening) })
        .telling(changes)
}

/// The server of a host for agents with these limits; it tells no changes.
fn limited(host: Arc<Host>, limits: Limits) -> Server<State> {
    build(Kind::of(&host), State { host: Agent::new(host, limits), _listening: None })
}

/// The server of an application that is not there, for what it would offer.
fn shape_of_application() -> Server<State> {
    let host = Arc::new(Host::new(Config::default()));
    build(Kind::Application, State { host: Agent::new(host, Limits::default()), _listening: None })
}

/// Whose server it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Application,
    Standalone,
}

impl Kind {
    fn of(host: &Host) -> Kind {
        if host.is_application() { Kind::Application } else { Kind::Standalone }
    }
}

fn build(kind: Kind, state: State) -> Server<State> {
    let server = Server::new(NAME, env!("CARGO_PKG_VERSION"), state)
        .title("Fotos")
        .description("AI-powered screenshot capture, annotation, and analysis")
        .instructions(
            "Sees the screen of this machine. take_screenshot captures all monitors, one monitor or one window and \
             answers with the picture and its screenshot_id; the other tools take that id. Coordinates are always those \
             of the full picture, also where a smaller one was shown; find_on_screen answers in coordinates of the screen, where a \
             click goes. Screenshots are kept until the session ends, and list_screenshots names them.",
        )
        .features(Features { list_changes: true, resource_updates: true, logging: false });
    let server = tools::offer(server);
    let server = match kind {
        Kind::Application => tools::offer_in_application(server),
        Kind::Standalone => server,
    };
    prompts::offer(resources::offer(server))
}
