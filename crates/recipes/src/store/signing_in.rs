//! What people sign in to the pages with: the family's password, and links that work once.

use crate::auth::{PasswordHash, Scope};
use crate::email::Email;
use crate::error::Error;
use crate::family::Role;
use crate::id::FamilyId;
use crate::secret::SecretHash;
use crate::session::Session;

use super::sql::{Engine, Failure, How, Row};
use super::{Answer, row};

/// Keeps passwords as hashes, and takes links that work once.
pub trait SigningIn {
    /// Gives a family a password, or takes it away. Takes an owner.
    fn set_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()>;

    /// What is kept of a family's password. For the auth layer: takes every family in reach.
    fn password<'a>(&'a self, scope: &'a Scope, family: FamilyId) -> Answer<'a, Option<PasswordHash>>;

    /// Gives a member of a family a password of their own there, or takes it away. For the auth layer: takes every family
    /// in reach.
    fn set_own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()>;

    /// What is kept of a member's own password. For the auth layer: takes every family in reach.
    fn own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
    ) -> Answer<'a, Option<PasswordHash>>;

    /// Ends a session and gives what it was. Of several who ask at once, one gets it. For the auth layer: takes every
    /// family in reach.
    fn take_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>>;
}

impl<E: Engine> SigningIn for E {
    fn set_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()> {
        let password = password.map(|hash| hash.to_string());
        self.run(How::Write, scope, (family, password), |tx, scope, (family, password)| {
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
        self.run(How::ReadNewest, scope, family, |tx, scope, family| {
            Box::pin(async move {
                scope.must_be_god()?;
                tx.one("SELECT hash FROM passwords WHERE family_id = $1", &[&family], hash).await
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
        self.run(
            How::Write,
            scope,
            (family, email.clone(), password),
            |tx, scope, (family, email, password)| {
                Box::pin(async move {
                    scope.must_be_god()?;
                    if let Some(hash) = password {
                        let sql = "INSERT INTO member_passwords (family_id, email, hash) VALUES ($1, $2, $3)
                               ON CONFLICT (family_id, email) DO UPDATE SET hash = excluded.hash";
                        tx.execute(sql, &[&family, &email, &hash]).await?;
                    } else {
                        let sql = "DELETE FROM member_passwords WHERE family_id = $1 AND email = $2";
                        tx.execute(sql, &[&family, &email]).await?;
                    }
                    Ok(())
                })
            },
        )
    }

    fn own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
    ) -> Answer<'a, Option<PasswordHash>> {
        self.run(How::ReadNewest, scope, (family, email.clone()), |tx, scope, (family, email)| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT hash FROM member_passwords WHERE family_id = $1 AND email = $2";
                tx.one(sql, &[&family, &email], hash).await
            })
        })
    }

    fn take_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>> {
        self.run(How::Write, scope, *token, |tx, scope, token| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql =
                    "DELETE FROM sessions WHERE token = $1 RETURNING token, email, family_id, expires_at";
                tx.one(sql, &[&token], row::session).await
            })
        })
    }
}

fn hash(row: &Row) -> Result<PasswordHash, Failure> {
    Ok(row.get::<String>(0)?.parse().map_err(Error::unavailable)?)
}
