//! The Model Context Protocol for servers, on `serde_json` alone.
//!
//! Both eras are spoken at once: the handshake revisions 2024-11-05 to 2025-11-25, and 2026-07-28, in
//! which every request stands alone. A server is written once, against [`Tool`], [`Resource`] and
//! [`Prompt`], and never learns which one its client speaks.
//!
//! ```
//! use mcp::{About, Cx, Run, Server, Stop, Tool};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! struct Greet;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Whom {
//!     /// Who is greeted.
//!     name: String,
//! }
//!
//! impl Tool<()> for Greet {
//!     type In = Whom;
//!     type Out = String;
//!     const ABOUT: About = About::new("greet", "Greet", "Says hello to somebody.").read_only().local();
//!     const RUN: Run = Run::Inline;
//!
//!     async fn call(&self, _: &(), _: &Cx, whom: Whom) -> Result<String, Stop> {
//!         Ok(format!("Hello, {}!", whom.name))
//!     }
//! }
//!
//! let server = Server::new("hello", "1.0.0", ()).tool(Greet);
//! # let input = &b""[..];
//! # let output = Vec::new();
//! mcp::stdio::run(server, input, output)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod args;
mod ask;
mod bell;
mod cancel;
mod caps;
mod changes;
pub mod code;
mod content;
mod cx;
mod engine;
mod fail;
mod frame;
#[cfg(feature = "http")]
pub mod http;
mod id;
mod inflight;
mod json;
mod notify;
mod prompt;
mod render;
mod resource;
mod run;
pub mod schema;
mod seal;
mod server;
mod service;
mod session;
mod several;
pub mod stdio;
mod surface;
mod tasks;
mod tool;
mod version;
mod wire;
mod workers;

pub use ask::{Answer, Asks, Form, Question};
pub use caps::Caps;
pub use changes::{Change, Changes, Listening};
pub use content::{Body, Completion, Content, Item, Json, Messages, Output, Reply, Role};
pub use cx::{Caller, Cx, Level};
pub use fail::{Fail, Failures, Stop, Style};
pub use id::Id;
pub use json::write_json_string;
pub use prompt::{Prompt, PromptAbout, PromptArgument};
pub use resource::{Address, Resource, ResourceAbout};
pub use run::as_a_task;
pub use server::Server;
pub use service::{BoxFuture, Completable, Completing, Handled, Outcome, Request, Service, Wanted};
pub use several::{Clash, Combined, Selected};
pub use surface::{Features, Identity, Parts, Surface, ToolEntry};
pub use tool::{About, Hints, Run, Tasks, Tool};
pub use version::Version;
