//! Passwords of families, as hashes.

use crate::auth::{PasswordHash, Scope};
use crate::id::FamilyId;
use crate::store::Answer;

/// Keeps what members sign in to the pages with.
pub trait Passwords {
    /// Gives a family a password, or takes it away. Takes an owner.
    fn set_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()>;

    /// What is kept of a family's password. For the auth layer: takes every family in reach, or finds nothing.
    fn password<'a>(&'a self, scope: &'a Scope, family: FamilyId) -> Answer<'a, Option<PasswordHash>>;
}
