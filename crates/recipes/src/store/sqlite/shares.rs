//! Share links.

use rusqlite::{OptionalExtension, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{RecipeId, ShareId};
use crate::secret::SecretHash;
use crate::share::{NewShare, Opened, Share};
use crate::store::{Answer, Shares, row};
use crate::time::Time;

use super::{Sqlite, sight};

impl Shares for Sqlite {
    fn create_share<'a>(&'a self, scope: &'a Scope, share: NewShare) -> Answer<'a, Share> {
        let scope = scope.clone();
        self.write(move |connection| {
            let NewShare { recipe_id, token, expires_at } = share;
            let family = sight::to_change(connection, &scope, recipe_id)?;
            let share = Share { id: ShareId::new(), recipe_id, created_at: Time::now(), expires_at };
            connection.execute(
                "INSERT INTO shares (family_id, id, recipe_id, token, created_at, created_by, expires_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![family, share.id, recipe_id, token, share.created_at, scope.author(), expires_at],
            )?;
            Ok(share)
        })
    }

    fn shares<'a>(&'a self, scope: &'a Scope, recipe: RecipeId) -> Answer<'a, Vec<Share>> {
        self.read(move |connection| {
            let Some(families) = sight::of_lists(scope) else {
                return Err(Error::not_found(Thing::Recipe, recipe));
            };
            let family = sight::family_of(connection, families, recipe)?;
            let mut statement = connection.prepare_cached(
                "SELECT id, recipe_id, created_at, expires_at FROM shares
                 WHERE family_id = ?1 AND recipe_id = ?2 ORDER BY created_at, id",
            )?;
            let shares = statement.query_map(params![family, recipe], |row| row::share(row))?;
            Ok(shares.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn revoke_share<'a>(&'a self, scope: &'a Scope, id: ShareId) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let missing = || Error::not_found(Thing::Share, id);
            let families = sight::of_lists(&scope).ok_or_else(missing)?;
            scope.may(Role::Editor)?;
            let sql = "DELETE FROM shares WHERE id = ?2 AND (?1 IS NULL OR family_id = ?1)";
            let removed = connection.execute(sql, params![families, id])?;
            if removed == 0 { Err(missing()) } else { Ok(()) }
        })
    }

    fn opened_by<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Opened>> {
        self.read(move |connection| {
            scope.must_be_god()?;
            let sql = "SELECT family_id, recipe_id, expires_at FROM shares WHERE token = ?1";
            Ok(connection
                .prepare_cached(sql)?
                .query_row(params![token], |row| row::opened(row))
                .optional()?)
        })
    }
}
