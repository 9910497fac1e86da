//! Share links.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{RecipeId, ShareId};
use crate::secret::SecretHash;
use crate::share::{NewShare, Opened, Share};
use crate::time::Time;

use super::sql::{Engine, How, Values};
use super::{Answer, row, sight};

/// Keeps links to single recipes.
pub trait Shares {
    /// Keeps a link to a recipe in reach.
    fn create_share<'a>(&'a self, scope: &'a Scope, share: NewShare) -> Answer<'a, Share>;

    /// The links to a recipe.
    fn shares<'a>(&'a self, scope: &'a Scope, recipe: RecipeId) -> Answer<'a, Vec<Share>>;

    /// Takes a link back.
    fn revoke_share<'a>(&'a self, scope: &'a Scope, id: ShareId) -> Answer<'a, ()>;

    /// What a token opens, expired or not. For the auth layer.
    fn opened_by<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Opened>>;
}

impl<E: Engine> Shares for E {
    fn create_share<'a>(&'a self, scope: &'a Scope, share: NewShare) -> Answer<'a, Share> {
        self.run(How::Write, scope, share, |tx, scope, NewShare { recipe_id, token, expires_at }| {
            Box::pin(async move {
                let family = sight::seen(tx, scope, recipe_id).await?;
                scope.may(Role::Editor)?;
                let share = Share { id: ShareId::new(), recipe_id, created_at: Time::now(), expires_at };
                let sql =
                    "INSERT INTO shares (family_id, id, recipe_id, token, created_at, created_by, expires_at)
                           VALUES ($1, $2, $3, $4, $5, $6, $7)";
                let author = scope.author();
                let values: Values<'_> =
                    &[&family, &share.id, &recipe_id, &token, &share.created_at, &author, &expires_at];
                tx.execute(sql, values).await?;
                Ok(share)
            })
        })
    }

    fn shares<'a>(&'a self, scope: &'a Scope, recipe: RecipeId) -> Answer<'a, Vec<Share>> {
        // Links are not part of what a family's revision counts.
        self.run(How::ReadNewest, scope, recipe, |tx, scope, recipe| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Recipe, recipe);
                let families = sight::of_lists(scope).ok_or_else(missing)?;
                let family = sight::family_of(tx, families, recipe).await?;
                let sql = "SELECT id, recipe_id, created_at, expires_at FROM shares
                           WHERE family_id = $1 AND recipe_id = $2 ORDER BY created_at, id";
                tx.all(sql, &[&family, &recipe], row::share).await
            })
        })
    }

    fn revoke_share<'a>(&'a self, scope: &'a Scope, id: ShareId) -> Answer<'a, ()> {
        self.run(How::Write, scope, id, |tx, scope, id| {
            Box::pin(async move {
                let missing = || Error::not_found(Thing::Share, id);
                let families = sight::of_lists(scope).ok_or_else(missing)?;
                scope.may(Role::Editor)?;
                let sql = "DELETE FROM shares WHERE id = $2 AND (family_id = $1 OR $1 IS NULL)";
                match tx.execute(sql, &[&families, &id]).await? {
                    0 => Err(missing().into()),
                    _ => Ok(()),
                }
            })
        })
    }

    fn opened_by<'a>(&'a self, scope: &'a Scope, token: &'a SecretHash) -> Answer<'a, Option<Opened>> {
        self.run(How::ReadNewest, scope, *token, |tx, scope, token| {
            Box::pin(async move {
                scope.must_be_god()?;
                let sql = "SELECT family_id, recipe_id, expires_at FROM shares WHERE token = $1";
                tx.one(sql, &[&token], row::opened).await
            })
        })
    }
}
