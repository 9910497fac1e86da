//! Secrets an agent can use and need not see. `README.md` beside this crate says how it is built.
//!
//! A [`Vault`] is a folder with one database. A [`Credential`] unlocks it into a [`Session`], which is the only thing that
//! reads or writes secrets: it knows what it may do, and writes what it did into the audit log.

mod approval;
mod audit;
mod capability;
pub mod child;
mod client;
mod config;
mod credential;
mod error;
pub mod generate;
mod grant;
mod harden;
pub mod import;
mod keyring;
mod keys;
pub mod leaks;
pub mod mcp;
mod name;
mod policy;
pub mod request;
pub mod scrub;
mod secret;
mod session;
mod slot;
mod state;
mod store;
mod time;
mod tools;
pub mod totp;
mod value;
pub mod variables;
mod vault;

pub use approval::{ApprovalId, Decision, PendingApproval};
pub use audit::{Actor, AuditEntry, AuditReport, Broken, Operation, Outcome};
pub use capability::{Capabilities, Capability, UnknownCapability};
pub use client::AuthyClient;
pub use config::Config;
pub use credential::Credential;
pub use error::{Error, KeyfileError, Result, SlotError, WrongCredential};
pub use grant::{GrantInfo, IssuedGrant, NewGrant};
pub use harden::harden_process;
pub use keys::{Identity, RecoveryCode, Token};
pub use name::{BadName, GrantId, PolicyName, SecretName};
pub use policy::{BadPattern, Matcher, NewPolicy, Policy, PolicyChange};
pub use secret::{Attributes, Consent, NewSecret, Overwrite, SecretInfo, VersionInfo};
pub use session::Session;
pub use slot::{NewSlot, SlotInfo, SlotKind};
pub use state::{State, TOKEN_HEADER};
pub use time::Timestamp;
pub use value::{BadValue, LONGEST_VALUE, SecretValue};
pub use vault::{Restore, Vault};

use ::mcp::{Failures, Server, Style};

/// The MCP server. No work is done and no credential looked at before the first call.
pub fn server(config: Config) -> Server<State> {
    tools::offer(
        Server::new("authy", env!("CARGO_PKG_VERSION"), State::new(config))
            .title("Authy")
            .description("Secrets an agent can use and need not see")
            .instructions(
                "A vault of secrets on this person's machine. Call list_secrets for the names. What you may do depends \
                 on the grant you were given: most may use secrets without seeing them.",
            )
            .failures(Failures {
                tool: Style::IsError,
                bad_arguments: Style::IsError,
                unknown_tool: Style::IsError,
            }),
    )
}
