//! The audit log: who did what, in an order nobody can change without it being seen.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::GrantId;
use crate::time::Timestamp;

/// What was done, or tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A vault was made.
    Init,
    /// A value was shown.
    Get,
    /// A value was used without being shown.
    Use,
    /// Names were listed.
    List,
    /// What is known about a secret was shown.
    Info,
    /// A secret was stored.
    Store,
    /// Secrets were stored, many at once.
    Import,
    /// A secret was removed.
    Remove,
    /// A removed secret was brought back.
    Restore,
    /// Removed secrets were deleted for good.
    Purge,
    /// A secret got a new value.
    Rotate,
    /// A secret got an old value again.
    Rollback,
    /// What is said about a secret was changed.
    SetAttributes,
    /// A policy was made.
    PolicyCreate,
    /// A policy was changed.
    PolicyUpdate,
    /// A policy was removed.
    PolicyRemove,
    /// A policy was asked about a name.
    PolicyTest,
    /// A grant was made.
    GrantCreate,
    /// A grant was taken back.
    GrantRevoke,
    /// A way to unlock was added.
    SlotAdd,
    /// A way to unlock was removed.
    SlotRemove,
    /// The vault got a new key.
    Rekey,
    /// A use waits for a person's yes.
    ApprovalAsk,
    /// A person said yes.
    Approve,
    /// A person said no.
    Deny,
    /// The audit log was read.
    AuditRead,
    /// Records that grants had stored were taken over by the owner.
    Adopt,
    /// A damaged log was begun anew.
    AuditMend,
    /// What is damaged was removed.
    Repair,
    /// What could be read was exported from a damaged vault.
    Salvage,
    /// The vault as it is was accepted.
    Trust,
    /// The vault was made from one of an earlier format.
    Upgrade,
    /// An entry that does not open.
    Damaged,
}

impl Operation {
    /// Whether values leave the vault by it.
    pub(crate) fn gives_values(self) -> bool {
        matches!(self, Operation::Get | Operation::Use | Operation::Salvage)
    }

    /// Its name, as the log has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Operation::Init => "init",
            Operation::Get => "get",
            Operation::Use => "use",
            Operation::List => "list",
            Operation::Info => "info",
            Operation::Store => "store",
            Operation::Import => "import",
            Operation::Remove => "remove",
            Operation::Restore => "restore",
            Operation::Purge => "purge",
            Operation::Rotate => "rotate",
            Operation::Rollback => "rollback",
            Operation::SetAttributes => "set-attributes",
            Operation::PolicyCreate => "policy-create",
            Operation::PolicyUpdate => "policy-update",
            Operation::PolicyRemove => "policy-remove",
            Operation::PolicyTest => "policy-test",
            Operation::GrantCreate => "grant-create",
            Operation::GrantRevoke => "grant-revoke",
            Operation::SlotAdd => "slot-add",
            Operation::SlotRemove => "slot-remove",
            Operation::Rekey => "rekey",
            Operation::ApprovalAsk => "approval-ask",
            Operation::Approve => "approve",
            Operation::Deny => "deny",
            Operation::AuditRead => "audit-read",
            Operation::Adopt => "adopt",
            Operation::AuditMend => "audit-mend",
            Operation::Repair => "repair",
            Operation::Salvage => "salvage",
            Operation::Trust => "trust",
            Operation::Upgrade => "upgrade",
            Operation::Damaged => "damaged",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was done.
    Done,
    /// It was not allowed.
    Denied,
    /// There was nothing to do it to, or it could not be done.
    Failed,
}

/// Who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// The owner.
    Owner,
    /// The holder of a grant.
    Grant(GrantId),
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Its number; the first is 1.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// Who.
    pub actor: Actor,
    /// By which program, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// What.
    pub operation: Operation,
    /// To which secret, policy or grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What came of checking the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    /// How many entries are as they were written.
    pub good: u64,
    /// The first that is not, if any.
    pub broken: Option<Broken>,
    /// What was found before the log was last mended.
    pub known: Vec<Broken>,
}

/// Where the log is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The first entry that is missing or changed.
    pub seq: u64,
    /// What shows it.
    pub reason: &'static str,
}
