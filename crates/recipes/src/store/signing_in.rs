//! What people sign in to the pages with: the family's password, and links that work once.

use crate::auth::{PasswordHash, Scope};
use crate::email::Email;
use crate::id::FamilyId;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::Answer;

/// Keeps passwords as hashes, and takes links that work once.
pub trait SigningIn {
    /// Gives a family a password, or takes it away. Takes an owner.
    fn set_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()>;

    /// What is kept of a family's password. For the auth layer: takes every family in reach.
    fn password<'a>(&'a self, scope: &'a Scope, family: FamilyId) -> Answer<'a, Option<PasswordHash>>;

    /// Gives a member of a family a password of their own there, or takes it away. For the auth layer: takes every family
    /// in reach.
    fn set_own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()>;

    /// What is kept of a member's own password. For the auth layer: takes every family in reach.
    fn own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
    ) -> Answer<'a, Option<PasswordHash>>;

    /// Ends a session and gives what it was. Of several who ask at once, one gets it. For the auth layer: takes every
    /// family in reach.
    fn take_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>>;
}
