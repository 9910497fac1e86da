//! Browsers that are signed in.

use crate::email::Email;
use crate::id::FamilyId;
use crate::secret::SecretHash;
use crate::time::Time;

/// A signed-in browser. Its token is a [`Secret`](crate::secret::Secret) in a cookie; the store has the hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What is kept of its token.
    pub token: SecretHash,
    /// Who signed in.
    pub email: Email,
    /// The family they look at.
    pub family: FamilyId,
    /// When it ends.
    pub expires_at: Time,
}

/// Sessions that end together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Those of a family, except one.
    Family {
        /// Which.
        family: FamilyId,
        /// The one that stays.
        but: Option<SecretHash>,
    },
    /// Those of a member, except one.
    Member {
        /// Of which family.
        family: FamilyId,
        /// Who.
        email: Email,
        /// The one that stays.
        but: Option<SecretHash>,
    },
}
