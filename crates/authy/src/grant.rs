//! Grants: a part of the vault, for somebody else, by a token.

use std::time::Duration;

use serde::Serialize;

use crate::capability::Capabilities;
use crate::keys::Token;
use crate::name::{GrantId, PolicyName};
use crate::time::Timestamp;

/// A grant about to be made.
#[derive(Debug, Clone)]
pub struct NewGrant {
    /// For whom or what, in the owner's words.
    pub label: String,
    /// The policy that says which secrets.
    pub policy: PolicyName,
    /// What may be done with them.
    pub capabilities: Capabilities,
    /// How long it is good for; `None` until it is revoked.
    pub lifetime: Option<Duration>,
    /// How often values may be used or revealed; `None` without end.
    pub uses: Option<u64>,
    /// Whether the client of the holder may ask its user for the yes that a secret wants. Whoever has the token can be that
    /// client, so it is off unless the owner trusts the client to ask a person.
    pub asks_client: bool,
}

impl NewGrant {
    /// A grant for an agent: `list,use`, for an hour.
    pub fn for_agent(label: impl Into<String>, policy: PolicyName) -> NewGrant {
        NewGrant {
            label: label.into(),
            policy,
            capabilities: Capabilities::AGENT,
            lifetime: Some(Duration::from_secs(3600)),
            uses: None,
            asks_client: false,
        }
    }
}

/// A grant as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrantInfo {
    /// Which one.
    pub id: GrantId,
    /// For whom or what.
    pub label: String,
    /// Which secrets.
    pub policy: PolicyName,
    /// What may be done.
    pub capabilities: Capabilities,
    /// When it was made.
    pub created: Timestamp,
    /// When it ends by itself.
    pub expires: Option<Timestamp>,
    /// How often it may be used in all.
    pub uses: Option<u64>,
    /// How often it was used.
    pub used: u64,
    /// Whether it was taken back.
    pub revoked: bool,
    /// Whether its client may ask its user for a yes.
    pub asks_client: bool,
}

/// A new grant and its token, which is shown this once.
pub struct IssuedGrant {
    /// What was made.
    pub info: GrantInfo,
    /// What opens it.
    pub token: Token,
}
