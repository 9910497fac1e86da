//! API keys: `rv_<id>_<secret>`, shown once, kept as a hash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::Role;
use crate::id::{FamilyId, KeyId};
use crate::secret::{NoRandom, Secret, SecretHash};
use crate::text::Text;
use crate::time::Time;

/// What a key opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", tag = "for")]
pub enum Opens {
    /// Every family.
    God,
    /// One family, with what a role may do there.
    Family {
        /// Which one.
        family_id: FamilyId,
        /// What it may do.
        role: Role,
    },
}

impl Opens {
    /// As a store keeps it: a key for one family has both, one for all has neither.
    pub(crate) fn stored(family: Option<FamilyId>, role: Option<Role>) -> Opens {
        match (family, role) {
            (Some(family_id), Some(role)) => Opens::Family { family_id, role },
            _ => Opens::God,
        }
    }

    /// The family and role to keep, if this scope may make such a key.
    pub(crate) fn granted(self, scope: &Scope) -> Result<(Option<FamilyId>, Option<Role>), Error> {
        match self {
            Opens::God => scope.must_be_god().map(|()| (None, None)),
            Opens::Family { family_id, role } => {
                scope.may_in(family_id, Role::Owner).map(|family| (Some(family), Some(role)))
            }
        }
    }
}

/// How exactly the last use is kept, in milliseconds: a write for every request would be too much.
const LAST_USED: i64 = 60_000;

/// A key, as lists show it: without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiKey {
    /// Its id, which is part of its text.
    pub id: KeyId,
    /// What it is for.
    pub label: Text<0, 100>,
    /// What it opens.
    pub opens: Opens,
    /// When it was made.
    pub created_at: Time,
    /// When it stops working.
    pub expires_at: Option<Time>,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
    /// When it was used last, to the minute.
    pub last_used_at: Option<Time>,
}

impl ApiKey {
    /// Whether it works at this time.
    pub fn is_valid_at(&self, now: Time) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether its last use is to be noted again.
    pub(crate) fn is_use_news(&self, now: Time) -> bool {
        self.last_used_at.is_none_or(|last| last.millis() + LAST_USED < now.millis())
    }
}

/// A key to be kept.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Its id.
    pub id: KeyId,
    /// What is kept of its secret.
    pub hash: SecretHash,
    /// What it is for.
    pub label: Text<0, 100>,
    /// What it opens.
    pub opens: Opens,
    /// When it stops working.
    pub expires_at: Option<Time>,
}

/// The text of a key.
#[derive(Debug, Clone)]
pub struct KeyText {
    /// Which key it claims to be.
    pub id: KeyId,
    /// Its secret.
    pub secret: Secret,
}

impl KeyText {
    /// A new one.
    pub fn new() -> Result<KeyText, NoRandom> {
        Ok(KeyText { id: KeyId::new(), secret: Secret::new()? })
    }

    /// Reads one; `None` if it does not have the form.
    pub fn parse(text: &str) -> Option<KeyText> {
        let (id, secret) = text.strip_prefix("rv_")?.split_once('_')?;
        Some(KeyText { id: id.parse().ok()?, secret: Secret::given(secret) })
    }

    /// The whole text, for the one time it is shown.
    pub fn reveal(&self) -> String {
        format!("rv_{}_{}", self.id, self.secret.reveal())
    }
}

#[cfg(test)]
mod tests {
    use super::KeyText;

    #[test]
    fn a_key_is_read_as_it_was_shown() {
        let key = KeyText::new().expect("random");
        let read = KeyText::parse(&key.reveal()).expect("a key");
        assert_eq!(read.id, key.id);
        assert!(read.secret.hash().matches(&key.secret.hash()));
        for bad in ["", "rv_", "rv_x_y", "rv__", "secret"] {
            assert!(KeyText::parse(bad).is_none(), "{bad}");
        }
    }
}
