//! Share links.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{RecipeId, ShareId};
use crate::secret::SecretHash;
use crate::share::{NewShare, Opened, Share};
use crate::store::{Answer, Shares, row};
use crate::time::Time;

use super::{Postgres, sight};

impl Shares for Postgres {
    fn create_share<'a>(&'a self, scope: &'a Scope, share: NewShare) -> Answer<'a, Share> {
        self.write(scope, move |tx| {
            let NewShare { recipe_id, token, expires_at } = share.clone();
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, recipe_id)?, recipe_id).await?;
                scope.may(Role::Editor)?;
                let share = Share { id: ShareId::new(), recipe_id, created_at: Time::now(), expires_at };
                let sql =
                    "INSERT INTO shares (family_id, id, recipe_id, token, created_at, created_by, expires_at)
                           VALUES ($1, $2, $3, $4, $5, $6, $7)";
                let author = scope.author();
                let values: super::transaction::Values<'_> =
                    &[&family, &share.id, &recipe_id, &token, &share.created_at, &author, &expires_at];
                tx.execute(sql, values).await?;
                Ok(share)
            })
        })
    }

    fn shares<'a>(&'a self, scope: &'a Scope, recipe: RecipeId) -> Answer<'a, Vec<Share>> {
        // Links are not part of what a family's revision counts.
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                let Some(families) = sight::of_lists(scope) else {
                    return Err(Error::not_found(Thing::Recipe, recipe).into());
                };
                let family = sight::family_of(tx, families, recipe).await?;
                let sql = "SELECT id, recipe_id, created_at, expires_at FROM shares
                           WHERE family_id = $1 AND recipe_id = $2 ORDER BY created_at, id";
                let shares = tx.rows(sql, &[&family, &recipe]).await?;
                Ok(shares.iter().map(row::share).collect::<Result<_, _>>()?)
            })
        })
    }

    fn revoke_share<'a>(&'a self, scope: &'a Scope, id: ShareId) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Share, id);
                let families = sight::of_lists(scope).ok_or_else(missing)?;
                scope.may(Role::Editor)?;
                let sql = "DELETE FROM shares WHERE id = $2 AND ($1::uuid IS NULL OR family_id = $1)";
                match tx.execute(sql, &[&families, &id]).await? {
                    0 => Err(missing().into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn opened_by<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Opened>> {
        self.read_newest(scope, move |tx| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT family_id, recipe_id, expires_at FROM shares WHERE token = $1";
                Ok(tx.row(sql, &[token]).await?.as_ref().map(row::opened).transpose()?)
            })
        })
    }
}
