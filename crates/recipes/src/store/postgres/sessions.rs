//! Sessions of browsers.

use tokio_postgres::Row;

use crate::auth::Scope;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::{Answer, Sessions};
use crate::time::Time;

use super::Postgres;
use super::transaction::Failure;

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

    fn session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT token, email, family_id, expires_at FROM sessions WHERE token = $1";
                tx.row(sql, &[token]).await?.as_ref().map(session).transpose()
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

pub(super) fn session(row: &Row) -> Result<Session, Failure> {
    Ok(Session {
        token: row.try_get(0)?,
        email: row.try_get(1)?,
        family: row.try_get(2)?,
        expires_at: row.try_get(3)?,
    })
}
