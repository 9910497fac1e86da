//! Sessions of browsers.

use crate::auth::Scope;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::Answer;

/// Keeps who is signed in. For the auth layer: every method takes every family in reach, or finds nothing.
pub trait Sessions {
    /// Keeps a session, and forgets those that ended.
    fn create_session<'a>(&'a self, scope: &'a Scope, session: Session) -> Answer<'a, ()>;

    /// A session, ended or not.
    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>>;

    /// Ends a session.
    fn end_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, ()>;
}
