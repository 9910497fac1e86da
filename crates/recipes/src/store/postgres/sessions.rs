//! Sessions of browsers.

use crate::auth::Scope;
use crate::family::Role;
use crate::secret::SecretHash;
use crate::session::{Ending, Session};
use crate::store::{Answer, Sessions, row};
use crate::time::Time;

use super::Postgres;

impl Sessions for Postgres {
    fn create_session<'a>(&'a self, scope: &'a Scope, session: Session) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            let Session { token, email, family, expires_at } = session.clone();
            Box::pin(async move {
                scope.must_be_god()?;
                tx.execute("DELETE FROM sessions WHERE expires_at < $1", &[&Time::now()]).await?;
                let sql =
                    "INSERT INTO sessions (token, email, family_id, expires_at) VALUES ($1, $2, $3, $4)";
                tx.execute(sql, &[&token, &email, &family, &expires_at]).await?;
                Ok(())
            })
        })
    }

    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<(Session, Role)>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT s.token, s.email, s.family_id, s.expires_at, m.role FROM sessions s
                           JOIN members m ON m.family_id = s.family_id AND m.email = s.email WHERE s.token = $1";
                let row = tx.row(sql, &[token]).await?;
                row.map(|row| Ok((row::session(&row)?, row.try_get(4)?))).transpose()
            })
        })
    }

    fn end_sessions<'a>(&'a self, scope: &'a Scope, ending: Ending) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            let ending = ending.clone();
            Box::pin(async move {
                scope.must_be_god()?;
                match ending {
                    Ending::Family { family, but } => {
                        let sql = "DELETE FROM sessions WHERE family_id = $1 AND ($2::bytea IS NULL OR token <> $2)";
                        tx.execute(sql, &[&family, &but]).await?
                    }
                    Ending::Member { family, email, but } => {
                        let sql = "DELETE FROM sessions
                                   WHERE family_id = $1 AND email = $2 AND ($3::bytea IS NULL OR token <> $3)";
                        tx.execute(sql, &[&family, &email, &but]).await?
                    }
                };
                Ok(())
            })
        })
    }

    fn end_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                tx.execute("DELETE FROM sessions WHERE token = $1", &[token]).await?;
                Ok(())
            })
        })
    }
}
