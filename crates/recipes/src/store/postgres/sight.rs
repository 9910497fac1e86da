//! What a transaction sees of a recipe, and the row every write of a family takes first.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, RecipeId};

pub(super) use crate::store::sight::{Families, of_lists, of_owned, of_recipe};

use super::transaction::{Failure, Transaction};

/// The family of a recipe that a scope wants to change, taken for this transaction. One that is out of reach is not found,
/// and what may not be changed is forbidden only to those who see it.
pub(super) async fn to_change(
    tx: &Transaction<'_>,
    scope: &Scope,
    id: RecipeId,
) -> Result<FamilyId, Failure> {
    let family = family_of(tx, of_recipe(scope, id)?, id).await?;
    scope.may(Role::Editor)?;
    touch(tx, family).await?;
    Ok(family)
}

/// The family a recipe belongs to, if it is one of these.
pub(super) async fn family_of(
    tx: &Transaction<'_>,
    families: Families,
    id: RecipeId,
) -> Result<FamilyId, Failure> {
    let sql = "SELECT family_id FROM recipes
               WHERE id = $2 AND ($1::uuid IS NULL OR family_id = $1) AND deleted_at IS NULL";
    let row = tx.row(sql, &[&families, &id]).await?;
    Ok(row.ok_or_else(|| Error::not_found(Thing::Recipe, id))?.try_get(0)?)
}

/// Takes the row of a family until the transaction ends, and notes that what the family reads has changed.
pub(super) async fn touch(tx: &Transaction<'_>, family: FamilyId) -> Result<(), Failure> {
    let sql = "UPDATE families SET revision = revision + 1 WHERE id = $1 RETURNING revision";
    let row = tx.row(sql, &[&family]).await?;
    let revision: i64 = row.ok_or_else(|| Error::not_found(Thing::Family, family))?.try_get(0)?;
    tx.note_touched(family, revision);
    Ok(())
}

/// Takes the row of a family without a note; for what lists do not show.
pub(super) async fn hold(tx: &Transaction<'_>, family: FamilyId) -> Result<(), Failure> {
    let sql = "SELECT 1 FROM families WHERE id = $1 FOR NO KEY UPDATE";
    tx.row(sql, &[&family]).await?.ok_or_else(|| Error::not_found(Thing::Family, family))?;
    Ok(())
}

/// Grows with every write of a family. For all families it is the sum: a new family starts at the time it was made, so
/// that families that come and go do not lead back to an earlier sum.
pub(super) async fn revision(tx: &Transaction<'_>, families: Families) -> Result<i64, Failure> {
    let sql = "SELECT coalesce(sum(revision), 0)::bigint FROM families WHERE $1::uuid IS NULL OR id = $1";
    Ok(tx.row(sql, &[&families]).await?.map_or(Ok(0), |row| row.try_get(0))?)
}
