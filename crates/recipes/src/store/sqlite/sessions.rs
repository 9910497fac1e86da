//! Sessions of browsers.

use rusqlite::{OptionalExtension, params};

use crate::auth::Scope;
use crate::family::Role;
use crate::secret::SecretHash;
use crate::session::{Ending, Session};
use crate::store::{Answer, Sessions, row};
use crate::time::Time;

use super::Sqlite;

impl Sessions for Sqlite {
    fn create_session<'a>(&'a self, scope: &'a Scope, session: Session) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            scope.must_be_god()?;
            connection.execute("DELETE FROM sessions WHERE expires_at < ?1", params![Time::now()])?;
            let Session { token, email, family, expires_at } = session;
            let sql = "INSERT INTO sessions (token, email, family_id, expires_at) VALUES (?1, ?2, ?3, ?4)";
            connection.execute(sql, params![token, email, family, expires_at])?;
            Ok(())
        })
    }

    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<(Session, Role)>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let sql = "SELECT s.token, s.email, s.family_id, s.expires_at, m.role FROM sessions s
                       JOIN members m ON m.family_id = s.family_id AND m.email = s.email WHERE s.token = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row(params![token], |row| Ok((row::session(row)?, row.get(4)?))).optional()?)
        })
    }

    fn end_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, ()> {
        let (scope, token) = (scope.clone(), *token);
        self.write(move |connection| {
            scope.must_be_god()?;
            connection.execute("DELETE FROM sessions WHERE token = ?1", params![token])?;
            Ok(())
        })
    }

    fn end_sessions<'a>(&'a self, scope: &'a Scope, ending: Ending) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            scope.must_be_god()?;
            match ending {
                Ending::Family { family, but } => connection.execute(
                    "DELETE FROM sessions WHERE family_id = ?1 AND (?2 IS NULL OR token <> ?2)",
                    params![family, but],
                )?,
                Ending::Member { family, email, but } => connection.execute(
                    "DELETE FROM sessions WHERE family_id = ?1 AND email = ?2 AND (?3 IS NULL OR token <> ?3)",
                    params![family, email, but],
                )?,
            };
            Ok(())
        })
    }
}
