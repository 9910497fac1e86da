//! What a scope sees, as a parameter of queries.

use rusqlite::{Connection, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, RecipeId};

pub(super) use crate::store::sight::{Families, of_lists, of_owned, of_recipe};

/// The family of a recipe that a scope wants to change. One that is out of reach is not found, and what may not be
/// changed is forbidden only to those who see it.
pub(super) fn to_change(connection: &Connection, scope: &Scope, id: RecipeId) -> Result<FamilyId, Error> {
    let families = of_recipe(scope, id)?;
    let family = family_of(connection, families, id)?;
    scope.may(Role::Editor)?;
    Ok(family)
}

/// The family a recipe belongs to, if it is one of these.
pub(super) fn family_of(
    connection: &Connection,
    families: Families,
    id: RecipeId,
) -> Result<FamilyId, Error> {
    let sql = "SELECT family_id FROM recipes
               WHERE id = ?2 AND (?1 IS NULL OR family_id = ?1) AND deleted_at IS NULL";
    connection.prepare_cached(sql)?.query_row(params![families, id], |row| row.get(0)).map_err(|error| {
        match error {
            rusqlite::Error::QueryReturnedNoRows => Error::not_found(Thing::Recipe, id),
            other => other.into(),
        }
    })
}

/// Notes that what a family reads has changed.
pub(super) fn touch(connection: &Connection, family: FamilyId) -> Result<(), Error> {
    let sql = "UPDATE families SET revision = revision + 1 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![family])?;
    Ok(())
}
