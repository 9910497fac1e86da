//! Enters Deskmate into the configuration of an MCP client, proves that the client can start it, and takes it out again.
//!
//! The way of a connection:
//!
//! ```text
//! client.rs       which clients there are: name, files, dialect, era, what to restart
//!    │  place.rs  where the file of one is, from the environment
//! document.rs     text + entry → text; every other byte stays  (json.rs, toml.rs, yaml.rs: one dialect each)
//!    │
//! change.rs       what would change: the diff; the backup; the durable replacement, and the way back
//!    │
//! proof.rs        what was written is started with a bare environment and answers in the era the client speaks
//! ```
//!
//! Nothing here prints or asks; `deskmate connect` does. Configuration is text that belongs to somebody else: what cannot be
//! read is refused, and a result that would mean anything but "the same, and our entry" is never written.

mod change;
mod client;
mod diff;
mod document;
mod entry;
mod link;
mod place;
mod proof;

pub use change::{
    Action, ApplyError, BackupLink, Plan, PlanError, RevertError, backup_of, plan_connect, plan_disconnect,
    text_of,
};
pub use client::{ALL, Client, Era, find};
pub use diff::harmless;
pub use document::{Dialect, EditError, Extra, Fault, Found, look, look_for_program, printed};
pub use entry::Entry;
pub use link::deep_link;
pub use place::{System, Where};
pub use proof::{Proof, ProofError, prove};
