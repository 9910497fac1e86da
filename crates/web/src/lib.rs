//! The one listener of Deskmate: who may talk to it, and what they reach: MCP endpoints, pages and routers.
//!
//! Everything that comes in passes the [`Gate`] first: a name or origin that is not ours, another user
//! of this machine, or a missing token ends there.

mod assets;
mod body;
mod browsers;
mod connection;
mod connections;
mod gate;
mod listener;
mod page;
mod secret;
mod site;
mod sys;
mod tracked;

/// What a server's own routes are made with.
pub use assets::{Asset, Assets};
pub use axum;
pub use browsers::{Browsers, LinkError};
pub use connection::Peer;
pub use gate::{Gate, GateError};
pub use listener::{BindError, Limits, Listener, Shutdown};
pub use page::Page;
pub use site::Site;
pub use sys::IS_TOLD;
