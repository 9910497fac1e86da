//! The Model Context Protocol for servers, on stdio and over Streamable HTTP.
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
mod bell;
mod cancel;
mod caps;
mod changes;
pub mod client;
pub mod code;
mod content;
mod cx;
mod echo;
mod engine;
mod fail;
mod frame;
#[cfg(feature = "http")]
pub mod http;
mod id;
mod inflight;
mod input;
mod json;
mod lock;
mod notify;
mod prompt;
pub mod relay;
mod relayed;
mod render;
mod request;
mod resource;
mod run;
pub mod schema;
mod seal;
mod server;
mod service;
mod session;
mod several;
pub mod stdio;
pub mod stream;
mod surface;
mod sys;
mod tasks;
mod tool;
mod version;
mod wipe;
mod wire;
mod workers;

pub use caps::Caps;
pub use changes::{Change, Changes, Listening};
pub use content::{Completion, Content, Item, ItemBody, Json, Messages, Output, Reply, Role};
pub use cx::{Caller, Cx, Level};
pub use fail::{Fail, FailAs, Failures, Stop};
pub use id::Id;
pub use input::{Elicited, InputRequest, InputRequests, InputResponse};
pub use prompt::{Prompt, PromptAbout, PromptArgument};
pub use relay::Relay;
pub use relayed::Relayed;
pub use request::{Reference, Request, Target};
pub use resource::{Address, Resource, ResourceAbout};
pub use run::as_a_task;
pub use server::{Offers, Refused, Server};
pub use service::{BoxFuture, Completing, Handled, Outcome, Service};
pub use several::{Clash, Combined, Selected};
pub use stream::Stream;
pub use surface::{
    ArgumentEntry, Features, Identity, Kinds, Parts, PromptEntry, ResourceEntry, Surface, ToolEntry,
};
pub use tool::{About, Hints, Reading, Run, Tasks, Tool};
pub use version::Version;
