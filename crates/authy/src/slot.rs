//! Key slots: the ways to unlock a vault as its owner.

use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::keys::{Identity, RecoveryCode};
use crate::time::Timestamp;

/// A way to unlock, about to be added.
pub enum NewSlot {
    /// By a passphrase.
    Passphrase(Zeroizing<String>),
    /// By a keyfile with this identity.
    Keyfile(Identity),
    /// By a recovery code.
    Recovery(RecoveryCode),
    /// By a code that the keychain of the operating system keeps.
    Keychain(RecoveryCode),
}

/// The kind of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SlotKind {
    /// A passphrase.
    Passphrase,
    /// A keyfile.
    Keyfile,
    /// A recovery code.
    Recovery,
    /// The keychain.
    Keychain,
}

/// A slot, without anything secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SlotInfo {
    /// Its number.
    pub id: i64,
    /// What opens it.
    pub kind: SlotKind,
    /// When it was added.
    pub created: Timestamp,
    /// The public half of its key, as age writes it. Tells keyfiles apart.
    pub recipient: String,
}

impl SlotKind {
    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Option<SlotKind> {
        let kinds = [SlotKind::Passphrase, SlotKind::Keyfile, SlotKind::Recovery, SlotKind::Keychain];
        kinds.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            SlotKind::Passphrase => "passphrase",
            SlotKind::Keyfile => "keyfile",
            SlotKind::Recovery => "recovery",
            SlotKind::Keychain => "keychain",
        }
    }
}

impl fmt::Display for SlotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
