//! API keys.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::KeyId;
use crate::key::{ApiKey, NewKey};
use crate::secret::SecretHash;
use crate::store::row::{self, KEYS};
use crate::store::{Answer, Keys};
use crate::time::Time;

use super::transaction::Values;
use super::{Postgres, sight};

impl Keys for Postgres {
    fn create_key<'a>(&'a self, scope: &'a Scope, key: NewKey) -> Answer<'a, ApiKey> {
        self.write(scope, move |tx| {
            let NewKey { id, hash, label, opens, expires_at } = key.clone();
            Box::pin(async move {
                let (family, role) = opens.granted(scope)?;
                let (created_at, author) = (Time::now(), scope.author());
                let values: Values<'_> =
                    &[&id, &hash, &label, &family, &role, &created_at, &author, &expires_at];
                let sql = "INSERT INTO api_keys (id, hash, label, family_id, role, created_at, created_by, expires_at)
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
                tx.execute(sql, values).await?;
                Ok(ApiKey { id, label, opens, created_at, expires_at, revoked_at: None, last_used_at: None })
            })
        })
    }

    fn keys<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<ApiKey>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.may(Role::Owner)?;
                let condition = "WHERE $1::uuid IS NULL OR family_id = $1 ORDER BY created_at, id";
                let rows = tx.rows(&format!("{KEYS}{condition}"), &[&scope.family()]).await?;
                Ok(rows.iter().map(row::key).collect::<Result<_, _>>()?)
            })
        })
    }

    fn key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, Option<(ApiKey, SecretHash)>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let row = tx.row(&format!("{KEYS}WHERE id = $1"), &[&id]).await?;
                row.map(|row| Ok((row::key(&row)?, row.try_get(8)?))).transpose()
            })
        })
    }

    fn revoke_key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Key, id);
                let families = sight::of_owned(scope).ok_or_else(missing)?;
                scope.may(Role::Owner)?;
                let sql = "UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3)
                           WHERE id = $2 AND ($1::uuid IS NULL OR family_id = $1)";
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
            let stale = known.is_some_and(|(key, _)| key.is_use_news(now));
            if stale {
                self.write(scope, move |tx| {
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
