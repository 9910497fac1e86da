//! A person's yes to one use of a secret.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::name::{BadName, GrantId, SecretName};
use crate::time::Timestamp;

/// Which request for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApprovalId(pub(crate) i64);

/// A use that waits for a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PendingApproval {
    /// Which request.
    pub id: ApprovalId,
    /// Which secret.
    pub secret: SecretName,
    /// What for: a command, a host.
    pub purpose: String,
    /// Who asks; `None` is a session of the owner.
    pub grant: Option<GrantId>,
    /// When it was asked for.
    pub asked: Timestamp,
    /// When it is forgotten.
    pub expires: Timestamp,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Yes, once.
    Approve,
    /// No.
    Deny,
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ApprovalId {
    type Err = BadName;
    fn from_str(text: &str) -> Result<ApprovalId, BadName> {
        text.parse().map(ApprovalId).map_err(|_| BadName::NotAnApproval)
    }
}

impl Serialize for ApprovalId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
