//! Secrets an agent can use and need not see. `README.md` beside this crate says how it is built.
//!
//! A [`Vault`] is a folder with one database. A [`Credential`] unlocks it into a [`Session`], which is the only thing that
//! reads or writes secrets: it knows what it may do, and writes what it did into the audit log. The feature `server` adds the
//! MCP server.

mod approval;
mod audit;
mod capability;
pub mod child;
mod client;
#[cfg(feature = "server")]
mod config;
mod credential;
mod error;
pub mod generate;
mod grant;
pub mod import;
mod keyring;
mod keys;
pub mod leaks;
#[cfg(feature = "server")]
pub mod mcp;
mod name;
mod policy;
pub mod request;
pub mod scrub;
mod secret;
#[cfg(feature = "server")]
mod server;
mod session;
mod slot;
#[cfg(feature = "server")]
mod state;
mod store;
mod sys;
mod time;
#[cfg(feature = "server")]
mod tools;
pub mod totp;
mod trust;
mod upgrade;
mod value;
pub mod variables;
mod vault;

pub use approval::{ApprovalId, Decision, PendingApproval, readable};
pub use audit::{Actor, AuditEntry, AuditReport, Broken, Operation, Outcome};
pub use capability::{Capabilities, Capability, UnknownCapability};
pub use client::AuthyClient;
#[cfg(feature = "server")]
pub use config::Config;
pub use credential::Credential;
pub use error::{Error, KeyfileError, Result, SlotError, Untrusted, WrongCredential};
pub use grant::{GrantInfo, IssuedGrant, NewGrant};
pub use keys::{Identity, RecoveryCode, Token};
pub use name::{BadName, GrantId, PolicyName, SecretName};
pub use policy::{BadPattern, Matcher, NewPolicy, Policy, PolicyChange};
pub use secret::{Attributes, Consent, NewSecret, Overwrite, SecretInfo, VersionInfo};
#[cfg(feature = "server")]
pub use server::server;
pub use session::{Recovered, Repaired, Salvaged, Session};
pub use slot::{NewSlot, SlotInfo, SlotKind};
#[cfg(feature = "server")]
pub use state::{State, TOKEN_HEADER};
pub use sys::harden_process;
pub use time::Timestamp;
pub use upgrade::Upgraded;
pub use value::{BadValue, LONGEST_VALUE, SecretValue};
pub use vault::{Restore, Vault};
