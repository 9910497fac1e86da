//! Sessions of browsers.

use crate::auth::Scope;
use crate::family::Role;
use crate::secret::SecretHash;
use crate::session::{Ending, Session};
use crate::time::Time;

use super::sql::{Engine, How};
use super::{Answer, row};

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

impl<E: Engine> Sessions for E {
    fn create_session<'a>(&'a self, scope: &'a Scope, session: Session) -> Answer<'a, ()> {
        self.run(How::Write, scope, session, |tx, scope, session| {
            Box::pin(async move {
                scope.must_be_god()?;
                tx.execute("DELETE FROM sessions WHERE expires_at < $1", &[&Time::now()]).await?;
                let Session { token, email, family, expires_at } = session;
                let sql =
                    "INSERT INTO sessions (token, email, family_id, expires_at) VALUES ($1, $2, $3, $4)";
                tx.execute(sql, &[&token, &email, &family, &expires_at]).await?;
                Ok(())
            })
        })
    }

    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<(Session, Role)>> {
        self.run(How::ReadNewest, scope, *token, |tx, scope, token| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT s.token, s.email, s.family_id, s.expires_at, m.role FROM sessions s
                           JOIN members m ON m.family_id = s.family_id AND m.email = s.email WHERE s.token = $1";
                tx.one(sql, &[&token], |row| Ok((row::session(row)?, row.get(4)?))).await
            })
        })
    }

    fn end_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, ()> {
        self.run(How::Write, scope, *token, |tx, scope, token| {
            Box::pin(async move {
                scope.must_be_god()?;
                tx.execute("DELETE FROM sessions WHERE token = $1", &[&token]).await?;
                Ok(())
            })
        })
    }

    fn end_sessions<'a>(&'a self, scope: &'a Scope, ending: Ending) -> Answer<'a, ()> {
        self.run(How::Write, scope, ending, |tx, scope, ending| {
            Box::pin(async move {
                scope.must_be_god()?;
                let (family, email, but) = match ending {
                    Ending::Family { family, but } => (family, None, but),
                    Ending::Member { family, email, but } => (family, Some(email), but),
                };
                let sql = "DELETE FROM sessions
                           WHERE family_id = $1 AND (email = $2 OR $2 IS NULL) AND (token <> $3 OR $3 IS NULL)";
                tx.execute(sql, &[&family, &email, &but]).await?;
                Ok(())
            })
        })
    }
}
