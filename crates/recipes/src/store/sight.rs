//! What a scope sees, as a parameter of queries, and the row that every write of a family takes first.

use crate::auth::{Reach, Scope};
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, RecipeId};

use super::sql::{Failure, Sql};

/// The families a query may look at: `None` is all of them, and only who reaches every family gets that.
pub(super) type Families = Option<FamilyId>;

/// The families in which a scope may look for a recipe.
pub(super) fn of_recipe(scope: &Scope, id: RecipeId) -> Result<Families, Error> {
    match scope.reach() {
        Reach::God { .. } | Reach::Everything => Ok(None),
        Reach::Family(family, _) => Ok(Some(family)),
        Reach::Recipe(family, only) if only == id => Ok(Some(family)),
        Reach::Recipe(..) | Reach::Nothing => Err(Error::not_found(Thing::Recipe, id)),
    }
}

/// The families whose recipes a scope may list; nothing for a scope that reaches no family.
pub(super) fn of_lists(scope: &Scope) -> Option<Families> {
    match scope.reach() {
        Reach::God { .. } | Reach::Everything => Some(None),
        Reach::Family(family, _) => Some(Some(family)),
        Reach::Recipe(..) | Reach::Nothing => None,
    }
}

/// The families whose things a scope may take back or bring back, whatever it may do there.
pub(super) fn of_owned(scope: &Scope) -> Option<Families> {
    match scope.reach() {
        Reach::God { .. } => Some(None),
        Reach::Family(family, _) => Some(Some(family)),
        Reach::Recipe(..) | Reach::Everything | Reach::Nothing => None,
    }
}

/// The family of a recipe that a scope wants to change, taken for this transaction. One that is out of reach is not found,
/// and what may not be changed is forbidden only to those who see it.
pub(super) async fn to_change(tx: &Sql<'_>, scope: &Scope, id: RecipeId) -> Result<FamilyId, Failure> {
    let family = seen(tx, scope, id).await?;
    scope.may(Role::Editor)?;
    touch(tx, family).await?;
    Ok(family)
}

/// The family of a recipe that a scope sees.
pub(super) async fn seen(tx: &Sql<'_>, scope: &Scope, id: RecipeId) -> Result<FamilyId, Failure> {
    family_of(tx, of_recipe(scope, id)?, id).await
}

/// The family a recipe belongs to, if it is one of these.
pub(super) async fn family_of(tx: &Sql<'_>, families: Families, id: RecipeId) -> Result<FamilyId, Failure> {
    let sql = "SELECT family_id FROM recipes
               WHERE id = $2 AND (family_id = $1 OR $1 IS NULL) AND deleted_at IS NULL";
    let family = tx.one(sql, &[&families, &id], |row| row.get(0)).await?;
    Ok(family.ok_or_else(|| Error::not_found(Thing::Recipe, id))?)
}

/// The condition for rows of these families, which are the value `$1`. Of one family it says nothing but that: what may mean
/// all families as well is looked for in all of them by SQLite, without an index.
pub(super) fn are_of(families: Families, column: &str) -> String {
    match families {
        Some(_) => format!("{column} = $1"),
        None => "CAST($1 AS uuid) IS NULL".to_owned(),
    }
}

/// Takes the row of a family until the transaction ends, and notes that what the family reads has changed.
pub(super) async fn touch(tx: &Sql<'_>, family: FamilyId) -> Result<(), Failure> {
    let sql = "UPDATE families SET revision = revision + 1 WHERE id = $1 RETURNING revision";
    let revision = tx.one(sql, &[&family], |row| row.get(0)).await?;
    tx.note_touched(family, revision.ok_or_else(|| Error::not_found(Thing::Family, family))?);
    Ok(())
}

/// Takes the row of a family without a note; for what lists do not show.
pub(super) async fn hold(tx: &Sql<'_>, family: FamilyId) -> Result<(), Failure> {
    let sql = tx.either(
        "SELECT 1 FROM families WHERE id = $1",
        "SELECT 1 FROM families WHERE id = $1 FOR NO KEY UPDATE",
    );
    tx.row(sql, &[&family]).await?.ok_or_else(|| Error::not_found(Thing::Family, family))?;
    Ok(())
}

/// Grows with every write of a family. For all families it is the sum: a new family starts at the time it was made, so
/// that families that come and go do not lead back to an earlier sum.
pub(super) async fn revision(tx: &Sql<'_>, families: Families) -> Result<i64, Failure> {
    Ok(tx.one(&revision_sql(families), &[&families], |row| row.get(0)).await?.unwrap_or_default())
}

pub(super) fn revision_sql(families: Families) -> String {
    format!(
        "SELECT CAST(coalesce(sum(revision), 0) AS bigint) FROM families WHERE {}",
        are_of(families, "id")
    )
}
