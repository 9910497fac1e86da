//! Passwords of families, and links that work once.

use rusqlite::{OptionalExtension, params};

use crate::auth::{PasswordHash, Scope};
use crate::email::Email;
use crate::error::Error;
use crate::family::Role;
use crate::id::FamilyId;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::store::{Answer, SigningIn, row};

use super::Sqlite;

impl SigningIn for Sqlite {
    fn set_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = scope.may_in(family, Role::Owner)?;
            match password {
                Some(hash) => connection.execute(
                    "INSERT INTO passwords (family_id, hash) VALUES (?1, ?2)
                     ON CONFLICT (family_id) DO UPDATE SET hash = excluded.hash",
                    params![family, hash.to_string()],
                )?,
                None => connection.execute("DELETE FROM passwords WHERE family_id = ?1", params![family])?,
            };
            Ok(())
        })
    }

    fn password<'a>(&'a self, scope: &'a Scope, family: FamilyId) -> Answer<'a, Option<PasswordHash>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let sql = "SELECT hash FROM passwords WHERE family_id = ?1";
            let hash =
                connection.prepare_cached(sql)?.query_row(params![family], |row| row.get::<_, String>(0));
            hash.optional()?.map(|hash| hash.parse().map_err(Error::unavailable)).transpose()
        })
    }

    fn set_own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
        password: Option<PasswordHash>,
    ) -> Answer<'a, ()> {
        let (scope, email) = (scope.clone(), email.clone());
        self.write(move |connection| {
            scope.must_be_god()?;
            if let Some(hash) = password {
                let sql = "INSERT INTO member_passwords (family_id, email, hash) VALUES (?1, ?2, ?3)
                           ON CONFLICT (family_id, email) DO UPDATE SET hash = excluded.hash";
                connection.execute(sql, params![family, email, hash.to_string()])?;
            } else {
                let sql = "DELETE FROM member_passwords WHERE family_id = ?1 AND email = ?2";
                connection.execute(sql, params![family, email])?;
            }
            Ok(())
        })
    }

    fn own_password<'a>(
        &'a self,
        scope: &'a Scope,
        family: FamilyId,
        email: &'a Email,
    ) -> Answer<'a, Option<PasswordHash>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let sql = "SELECT hash FROM member_passwords WHERE family_id = ?1 AND email = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let hash = statement.query_row(params![family, email], |row| row.get::<_, String>(0));
            hash.optional()?.map(|hash| hash.parse().map_err(Error::unavailable)).transpose()
        })
    }

    fn take_session<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Session>> {
        let (scope, token) = (scope.clone(), *token);
        self.write(move |connection| {
            scope.must_be_god()?;
            let sql = "DELETE FROM sessions WHERE token = ?1 RETURNING token, email, family_id, expires_at";
            Ok(connection
                .prepare_cached(sql)?
                .query_row(params![token], |row| row::session(row))
                .optional()?)
        })
    }
}
