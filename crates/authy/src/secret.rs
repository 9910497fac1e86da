//! What is known about a secret besides its value.

use serde::{Deserialize, Serialize};

use crate::child::CommandRule;
use crate::name::SecretName;
use crate::time::Timestamp;
use crate::value::SecretValue;

/// What its owner says about a secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attributes {
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Hosts it may be sent to: `api.example.com`, `*.example.com`, with a port if it is not the usual one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Commands it may be given to, from before rules said what a command may do. They run as they did, with everything
    /// this user may do, until the owner makes rules of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Commands it may be given to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<CommandRule>,
    /// When it should have been replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Its value is never shown, not even to the owner; it can only be used.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub never_reveal: bool,
    /// A person says yes each time before it is used or shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub approve_each_use: bool,
}

impl Attributes {
    /// Whether they say nothing about who may do what with the secret.
    pub(crate) fn are_words(&self) -> bool {
        let words = Attributes {
            tags: self.tags.clone(),
            description: self.description.clone(),
            expires: self.expires,
            ..Attributes::default()
        };
        *self == words
    }
}

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretInfo {
    /// Its name.
    pub name: SecretName,
    /// The number of its current version; the first is 1.
    pub version: u32,
    /// When its first version was stored.
    pub created: Timestamp,
    /// When its current version was stored.
    pub modified: Timestamp,
    /// What its owner says about it.
    #[serde(flatten)]
    pub attributes: Attributes,
    /// When it was removed, if it is in the trash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Timestamp>,
}

/// A version of a secret that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VersionInfo {
    /// Its number.
    pub version: u32,
    /// When it was stored.
    pub stored: Timestamp,
    /// Whether it is the current one.
    pub current: bool,
}

/// A secret about to be stored.
#[derive(Debug, Clone)]
pub struct NewSecret {
    /// Its name.
    pub name: SecretName,
    /// Its value.
    pub value: SecretValue,
    /// What is said about it; `None` keeps what was said before.
    pub attributes: Option<Attributes>,
}

/// What happens to a secret that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, and storing fails.
    Refuse,
    /// It gets a new version; the old one is kept.
    NewVersion,
}

/// Whether a person has said yes to this very use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Nobody was asked. A secret that needs a yes is refused, unless one is waiting from `authy approve`.
    Unasked,
    /// The owner has just said yes at the terminal, or is the one who asks. A grant cannot say so.
    Given,
    /// The client that is connected has asked its user. Good for a grant only if the owner allowed that.
    Asked,
}
