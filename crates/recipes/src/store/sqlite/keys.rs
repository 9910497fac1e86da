//! API keys.

use rusqlite::{OptionalExtension, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::KeyId;
use crate::key::{ApiKey, NewKey};
use crate::secret::SecretHash;
use crate::store::row::{self, KEYS};
use crate::store::{Answer, Keys};
use crate::time::Time;

use super::{Sqlite, sight};

impl Keys for Sqlite {
    fn create_key<'a>(&'a self, scope: &'a Scope, key: NewKey) -> Answer<'a, ApiKey> {
        let scope = scope.clone();
        self.write(move |connection| {
            let NewKey { id, hash, label, opens, expires_at } = key;
            let (family, role) = opens.granted(&scope)?;
            let created_at = Time::now();
            connection.execute(
                "INSERT INTO api_keys (id, hash, label, family_id, role, created_at, created_by, expires_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![id, hash, label, family, role, created_at, scope.author(), expires_at],
            )?;
            Ok(ApiKey { id, label, opens, created_at, expires_at, revoked_at: None, last_used_at: None })
        })
    }

    fn keys<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<ApiKey>> {
        self.read(move |connection| {
            scope.may(Role::Owner)?;
            let mut statement = connection.prepare_cached(&format!(
                "{KEYS}WHERE ?1 IS NULL OR family_id = ?1 ORDER BY created_at, id"
            ))?;
            let keys = statement.query_map(params![scope.family()], |row| row::key(row))?;
            Ok(keys.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, Option<(ApiKey, SecretHash)>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let mut statement = connection.prepare_cached(&format!("{KEYS}WHERE id = ?1"))?;
            Ok(statement.query_row(params![id], |row| Ok((row::key(row)?, row.get(8)?))).optional()?)
        })
    }

    fn revoke_key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let missing = || Error::not_found(Thing::Key, id);
            let families = sight::of_owned(&scope).ok_or_else(missing)?;
            scope.may(Role::Owner)?;
            let sql = "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?3)
                       WHERE id = ?2 AND (?1 IS NULL OR family_id = ?1)";
            match connection.execute(sql, params![families, id, Time::now()])? {
                0 => Err(missing()),
                _ => Ok(()),
            }
        })
    }

    fn key_used<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()> {
        Box::pin(async move {
            let now = Time::now();
            let known = self.key(scope, id).await?;
            let stale = known.is_some_and(|(key, _)| key.is_use_news(now));
            if stale {
                let sql = "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1";
                self.write(move |connection| Ok(connection.execute(sql, params![id, now])?)).await?;
            }
            Ok(())
        })
    }
}
