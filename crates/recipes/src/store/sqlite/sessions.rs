//! Sessions of browsers.

use rusqlite::{OptionalExtension, params};

use crate::auth::Scope;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::{Answer, Sessions};
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

    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let sql = "SELECT token, email, family_id, expires_at FROM sessions WHERE token = ?1";
            let session = connection.prepare_cached(sql)?.query_row(params![token], |row| {
                Ok(Session {
                    token: row.get(0)?,
                    email: row.get(1)?,
                    family: row.get(2)?,
                    expires_at: row.get(3)?,
                })
            });
            Ok(session.optional()?)
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
}
