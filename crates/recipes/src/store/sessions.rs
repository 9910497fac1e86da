//! Sessions of browsers.

use crate::auth::Scope;
use crate::family::Role;
use crate::secret::SecretHash;
use crate::session::{Ending, Session};
use crate::store::Answer;

/// Keeps who is signed in. For the auth layer: every method takes every family in reach, or finds nothing.
pub trait Sessions {
    /// Keeps a session, and forgets those that ended.
    fn create_session<'a>(&'a self, scope: &'a Scope, session: Session) -> Answer<'a, ()>;

    /// A session, ended or not, of somebody who is still a member of its family, and their role there.
    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<(Session, Role)>>;

    /// Ends a session.
    fn end_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, ()>;

    /// Ends several at once, and the links that would make new ones.
    fn end_sessions<'a>(&'a self, scope: &'a Scope, ending: Ending) -> Answer<'a, ()>;
}
