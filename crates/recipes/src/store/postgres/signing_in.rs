//! Passwords of families, and links that work once.

use crate::auth::{PasswordHash, Scope};
use crate::email::Email;
use crate::error::Error;
use crate::family::Role;
use crate::id::FamilyId;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::{Answer, SigningIn, row};

use super::Postgres;

impl SigningIn for Postgres {
    fn set_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()> {
        let password = password.map(|hash| hash.to_string());
        self.write(scope, move |tx| {
            let password = password.clone();
            Box::pin(async move {
                let family = scope.may_in(family, Role::Owner)?;
                match password {
                    Some(hash) => {
                        let sql = "INSERT INTO passwords (family_id, hash) VALUES ($1, $2)
                                   ON CONFLICT (family_id) DO UPDATE SET hash = excluded.hash";
                        tx.execute(sql, &[&family, &hash]).await?
                    }
                    None => tx.execute("DELETE FROM passwords WHERE family_id = $1", &[&family]).await?,
                };
                Ok(())
            })
        })
    }

    fn password<'a>(&'a self, scope: &'a Scope, family: FamilyId) -> Answer<'a, Option<PasswordHash>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let row = tx.row("SELECT hash FROM passwords WHERE family_id = $1", &[&family]).await?;
                let Some(row) = row else { return Ok(None) };
                let hash: &str = row.try_get(0)?;
                Ok(Some(hash.parse().map_err(Error::unavailable)?))
            })
        })
    }

    fn set_own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()> {
        let password = password.map(|hash| hash.to_string());
        self.write(scope, move |tx| {
            let password = password.clone();
            Box::pin(async move {
                scope.must_be_god()?;
                if let Some(hash) = password {
                    let sql = "INSERT INTO member_passwords (family_id, email, hash) VALUES ($1, $2, $3)
                               ON CONFLICT (family_id, email) DO UPDATE SET hash = excluded.hash";
                    tx.execute(sql, &[&family, email, &hash]).await?;
                } else {
                    let sql = "DELETE FROM member_passwords WHERE family_id = $1 AND email = $2";
                    tx.execute(sql, &[&family, email]).await?;
                }
                Ok(())
            })
        })
    }

    fn own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
    ) -> Answer<'a, Option<PasswordHash>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT hash FROM member_passwords WHERE family_id = $1 AND email = $2";
                let row = tx.row(sql, &[&family, email]).await?;
                let Some(row) = row else { return Ok(None) };
                let hash: &str = row.try_get(0)?;
                Ok(Some(hash.parse().map_err(Error::unavailable)?))
            })
        })
    }

    fn take_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql =
                    "DELETE FROM sessions WHERE token = $1 RETURNING token, email, family_id, expires_at";
                Ok(tx.row(sql, &[token]).await?.as_ref().map(row::session).transpose()?)
            })
        })
    }
}
