//! API keys.

use rusqlite::{OptionalExtension, Row, params};

use crate::auth::{Reach, Scope};
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, KeyId};
use crate::key::{ApiKey, NewKey, Opens};
use crate::secret::SecretHash;
use crate::store::{Answer, Keys};
use crate::time::Time;

use super::Sqlite;

/// How exactly the last use is kept, in milliseconds: a write for every request would be too much.
const LAST_USED: i64 = 60_000;

const SELECT: &str = "SELECT id, label, family_id, role, created_at, expires_at, revoked_at, last_used_at, hash FROM api_keys ";

impl Keys for Sqlite {
    fn create_key<'a>(&'a self, scope: &'a Scope, key: NewKey) -> Answer<'a, ApiKey> {
        let scope = scope.clone();
        self.write(move |connection| {
            let NewKey { id, hash, label, opens, expires_at } = key;
            let bound = match opens {
                Opens::God => scope.must_be_god().map(|()| None)?,
                Opens::Family { family_id, role } => {
                    scope.may_in(family_id, Role::Owner)?;
                    Some((family_id, role))
                }
            };
            let created_at = Time::now();
            connection.execute(
                "INSERT INTO api_keys (id, hash, label, family_id, role, created_at, created_by, expires_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    id,
                    hash,
                    label,
                    bound.map(|(family, _)| family),
                    bound.map(|(_, role)| role),
                    created_at,
                    scope.author(),
                    expires_at
                ],
            )?;
            Ok(ApiKey { id, label, opens, created_at, expires_at, revoked_at: None, last_used_at: None })
        })
    }

    fn keys<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<ApiKey>> {
        self.read(move |connection| {
            scope.may(Role::Owner)?;
            let mut statement = connection.prepare_cached(&format!(
                "{SELECT}WHERE ?1 IS NULL OR family_id = ?1 ORDER BY created_at, id"
            ))?;
            let keys = statement.query_map(params![scope.family()], key)?;
            Ok(keys.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, Option<(ApiKey, SecretHash)>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let mut statement = connection.prepare_cached(&format!("{SELECT}WHERE id = ?1"))?;
            Ok(statement.query_row(params![id], |row| Ok((key(row)?, row.get(8)?))).optional()?)
        })
    }

    fn revoke_key<'a>(&'a self, scope: &'a Scope, id: KeyId) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let missing = || Error::not_found(Thing::Key, id);
            let families = match scope.reach() {
                Reach::God { .. } => None,
                Reach::Family(family, _) => Some(family),
                Reach::Recipe(..) | Reach::Everything | Reach::Nothing => return Err(missing()),
            };
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
            let stale = known.is_some_and(|(key, _)| {
                key.last_used_at.is_none_or(|last| last.millis() + LAST_USED < now.millis())
            });
            if stale {
                let sql = "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1";
                self.write(move |connection| Ok(connection.execute(sql, params![id, now])?)).await?;
            }
            Ok(())
        })
    }
}

fn key(row: &Row<'_>) -> rusqlite::Result<ApiKey> {
    let bound: (Option<FamilyId>, Option<Role>) = (row.get(2)?, row.get(3)?);
    let opens = match bound {
        (Some(family_id), Some(role)) => Opens::Family { family_id, role },
        _ => Opens::God,
    };
    Ok(ApiKey {
        id: row.get(0)?,
        label: row.get(1)?,
        opens,
        created_at: row.get(4)?,
        expires_at: row.get(5)?,
        revoked_at: row.get(6)?,
        last_used_at: row.get(7)?,
    })
}
