//! API keys.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::KeyId;
use crate::key::{ApiKey, NewKey};
use crate::secret::SecretHash;
use crate::time::Time;

use super::row::{self, KEYS};
use super::sql::{Engine, How, Values};
use super::{Answer, sight};

/// Keeps API keys as hashes.
pub trait Keys {
    /// Keeps a key. One for a family takes an owner of it, one for every family takes every family in reach.
    fn create_key<'a>(&'a self, scope: &'a Scope, key: NewKey) -> Answer<'a, ApiKey>;

    /// The keys for what is in reach, oldest first. Takes an owner.
    fn keys<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<ApiKey>>;

    /// A key and what is kept of its secret. For the auth layer: takes every family in reach.
    fn key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, Option<(ApiKey, SecretHash)>>;

    /// Stops a key from working. Takes an owner.
    fn revoke_key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()>;

    /// Notes that a key was used, to the minute; most calls have nothing to note.
    fn key_used<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()>;
}

impl<E: Engine> Keys for E {
    fn create_key<'a>(&'a self, scope: &'a Scope, key: NewKey) -> Answer<'a, ApiKey> {
        self.run(How::Write, scope, key, |tx, scope, NewKey { id, hash, label, opens, expires_at }| {
            Box::pin(async move {
                let (family, role) = opens.granted(scope)?;
                let (created_at, author) = (Time::now(), scope.author());
                let values: Values<'_> = &[&id, &hash, &label, &family, &role, &created_at, &author, &expires_at];
                let sql = "INSERT INTO api_keys (id, hash, label, family_id, role, created_at, created_by, expires_at)
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
                tx.execute(sql, values).await?;
                Ok(ApiKey { id, label, opens, created_at, expires_at, revoked_at: None, last_used_at: None })
            })
        })
    }

    fn keys<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<ApiKey>> {
        self.run(How::ReadNewest, scope, (), |tx, scope, ()| {
            Box::pin(async move {
                scope.may(Role::Owner)?;
                let condition = "WHERE family_id = $1 OR $1 IS NULL ORDER BY created_at, id";
                tx.all(&format!("{KEYS}{condition}"), &[&scope.family()], row::key).await
            })
        })
    }

    fn key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, Option<(ApiKey, SecretHash)>> {
        self.run(How::ReadNewest, scope, id, |tx, scope, id| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = format!("{KEYS}WHERE id = $1");
                tx.one(&sql, &[&id], |row| Ok((row::key(row)?, row.get(8)?))).await
            })
        })
    }

    fn revoke_key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()> {
        self.run(How::Write, scope, id, |tx, scope, id| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Key, id);
                let families = sight::of_owned(scope).ok_or_else(missing)?;
                scope.may(Role::Owner)?;
                let sql = "UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3)
                           WHERE id = $2 AND (family_id = $1 OR $1 IS NULL)";
                match tx.execute(sql, &[&families, &id, &Time::now()]).await? {
                    0 => Err(missing().into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn key_used<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()> {
        Box::pin(async move {
            let now = Time::now();
            let known = self.key(scope, id).await?;
            if known.is_some_and(|(key, _)| key.is_use_news(now)) {
                self.run(How::Write, scope, (id, now), |tx, _, (id, now)| {
                    Box::pin(async move {
                        let sql = "UPDATE api_keys SET last_used_at = $2 WHERE id = $1";
                        tx.execute(sql, &[&id, &now]).await
                    })
                })
                .await?;
            }
            Ok(())
        })
    }
}
