//! API keys.

use crate::auth::Scope;
use crate::id::KeyId;
use crate::key::{ApiKey, NewKey};
use crate::secret::SecretHash;
use crate::store::Answer;

/// Keeps API keys as hashes.
pub trait Keys {
    /// Keeps a key. One for a family takes an owner of it, one for every family takes every family in reach.
    fn create_key<'a>(&'a self, scope: &'a Scope, key: NewKey) -> Answer<'a, ApiKey>;

    /// The keys for what is in reach, oldest first. Takes an owner.
    fn keys<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<ApiKey>>;

    /// A key and what is kept of its secret. For the auth layer: takes every family in reach.
    fn key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, Option<(ApiKey, SecretHash)>>;

    /// Stops a key from working. Takes an owner.
    fn revoke_key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()>;

    /// Notes that a key was used, to the minute; most calls have nothing to note.
    fn key_used<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()>;
}
