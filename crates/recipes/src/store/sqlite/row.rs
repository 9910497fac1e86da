//! Rows of a recipe, read and written.

use rusqlite::{Connection, params};

use crate::error::{Error, Thing};
use crate::id::{FamilyId, RecipeId};
use crate::recipe::{Placed, Recipe};
use crate::search;
use crate::store::edit::{Parts, json};
use crate::store::row::{self, Found, INGREDIENTS, RECIPES, STEPS};
use crate::title::Key;

use super::sight::Families;

/// The recipe of this id in one of these families, with its details, all as they were at one moment.
pub(super) fn recipe(connection: &Connection, families: Families, id: RecipeId) -> Result<Found, Error> {
    let condition = "WHERE id = ?2 AND (?1 IS NULL OR family_id = ?1) AND deleted_at IS NULL";
    let mut statement = connection.prepare_cached(&format!("{RECIPES}{condition}"))?;
    let mut rows = statement.query(params![families, id])?;
    let row = rows.next()?.ok_or_else(|| Error::not_found(Thing::Recipe, id))?;
    let mut found = row::recipe(row)?;
    // As long as the first statement has not ended, SQLite lets the others see the same moment.
    details(connection, &mut found)?;
    Ok(found)
}

/// Calls `each` with every recipe of these families that is not in the trash, until it fails.
pub(super) fn every_recipe<E: From<Error>>(
    connection: &Connection,
    families: Families,
    mut each: impl FnMut(Found) -> Result<(), E>,
) -> Result<(), E> {
    let condition = "WHERE (?1 IS NULL OR family_id = ?1) AND deleted_at IS NULL ORDER BY seq";
    let mut statement = connection.prepare_cached(&format!("{RECIPES}{condition}")).map_err(Error::from)?;
    let mut rows = statement.query(params![families]).map_err(Error::from)?;
    while let Some(row) = rows.next().map_err(Error::from)? {
        let mut found = row::recipe(row).map_err(Error::from)?;
        details(connection, &mut found)?;
        each(found)?;
    }
    Ok(())
}

fn details(connection: &Connection, found: &mut Found) -> Result<(), Error> {
    let key = params![found.family, found.recipe.id];
    let mut statement = connection.prepare_cached(INGREDIENTS)?;
    found.recipe.ingredients =
        statement.query_map(key, |row| row::ingredient(row))?.collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare_cached(STEPS)?;
    found.recipe.steps = statement.query_map(key, |row| row::step(row))?.collect::<rusqlite::Result<_>>()?;
    Ok(())
}

/// Adds a recipe with everything that belongs to it. A title that is taken is refused.
pub(super) fn insert(connection: &Connection, family: FamilyId, recipe: &Recipe) -> Result<(), Error> {
    let key = Key::of(recipe.title.as_str());
    let inserted = connection
        .prepare_cached(
            "INSERT INTO recipes (family_id, id, title, title_key, description, prep_time_minutes, cook_time_minutes,
                 servings, difficulty, rating, yield_text, source_url, notes, nutrition, tags, photo_id, times_cooked,
                 last_cooked_at, version, created_at, created_by, updated_at, updated_by, sort_key,
                 photos)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                 ?22, ?23, ?24, ?25)",
        )?
        .insert(params![
            family,
            recipe.id,
            recipe.title,
            key.as_str(),
            recipe.description,
            recipe.prep_time_minutes,
            recipe.cook_time_minutes,
            recipe.servings,
            recipe.difficulty,
            recipe.rating,
            recipe.yield_text,
            recipe.source_url,
            recipe.notes,
            recipe.nutrition,
            json(&recipe.tags),
            recipe.photo_id,
            recipe.times_cooked,
            recipe.last_cooked_at,
            recipe.version.0,
            recipe.created_at,
            recipe.created_by,
            recipe.updated_at,
            recipe.updated_by,
            key.for_sorting(),
            json(&recipe.photos),
        ]);
    let seq = inserted.map_err(|error| taken(connection, family, recipe.title.as_str(), error))?;
    write_parts(connection, &Found { seq, family, recipe: recipe.clone() }, Parts::ALL)
}

/// Writes a recipe that is there, and of its parts those that changed.
pub(super) fn replace(connection: &Connection, found: &Found, parts: Parts) -> Result<(), Error> {
    let Found { seq, family, recipe } = found;
    let key = Key::of(recipe.title.as_str());
    let updated = connection
        .prepare_cached(
            "UPDATE recipes SET title = ?2, title_key = ?3, description = ?4, prep_time_minutes = ?5,
                 cook_time_minutes = ?6, servings = ?7, difficulty = ?8, rating = ?9, yield_text = ?10,
                 source_url = ?11, notes = ?12, nutrition = ?13, tags = ?14, photo_id = ?15, times_cooked = ?16,
                 last_cooked_at = ?17, version = ?18, updated_at = ?19, updated_by = ?20, sort_key = ?21,
                 photos = ?22 WHERE seq = ?1",
        )?
        .execute(params![
            seq,
            recipe.title,
            key.as_str(),
            recipe.description,
            recipe.prep_time_minutes,
            recipe.cook_time_minutes,
            recipe.servings,
            recipe.difficulty,
            recipe.rating,
            recipe.yield_text,
            recipe.source_url,
            recipe.notes,
            recipe.nutrition,
            json(&recipe.tags),
            recipe.photo_id,
            recipe.times_cooked,
            recipe.last_cooked_at,
            recipe.version.0,
            recipe.updated_at,
            recipe.updated_by,
            key.for_sorting(),
            json(&recipe.photos),
        ]);
    updated.map_err(|error| taken(connection, *family, recipe.title.as_str(), error))?;
    for (changed, table) in
        [(parts.tags, "recipe_tags"), (parts.ingredients, "ingredients"), (parts.steps, "steps")]
    {
        if changed {
            let sql = format!("DELETE FROM {table} WHERE family_id = ?1 AND recipe_id = ?2");
            connection.prepare_cached(&sql)?.execute(params![family, recipe.id])?;
        }
    }
    write_parts(connection, found, parts)
}

fn write_parts(connection: &Connection, found: &Found, parts: Parts) -> Result<(), Error> {
    let Found { family, recipe, .. } = found;
    if parts.tags && !recipe.tags.is_empty() {
        let sql = "INSERT INTO recipe_tags (family_id, tag_key, recipe_id, tag) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = connection.prepare_cached(sql)?;
        for tag in &recipe.tags {
            statement.execute(params![family, Key::of(tag).as_str(), recipe.id, tag])?;
        }
    }
    if parts.ingredients {
        let mut statement = connection.prepare_cached(
            "INSERT INTO ingredients (family_id, recipe_id, position, name, quantity, quantity_max, unit, notes,
                 section, original_text, scales) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        for Placed { position, what } in &recipe.ingredients {
            statement.execute(params![
                family,
                recipe.id,
                position,
                what.name,
                what.quantity,
                what.quantity_max,
                what.unit,
                what.notes,
                what.section,
                what.original_text,
                what.scales,
            ])?;
        }
    }
    if parts.steps {
        let mut statement = connection.prepare_cached(
            "INSERT INTO steps (family_id, recipe_id, position, instruction, duration_minutes, temperature_value,
                 temperature_unit, section) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for Placed { position, what } in &recipe.steps {
            statement.execute(params![
                family,
                recipe.id,
                position,
                what.instruction,
                what.duration_minutes,
                what.temperature_value,
                what.temperature_unit,
                what.section,
            ])?;
        }
    }
    index(connection, found)
}

/// Makes the recipe found by its words.
pub(super) fn index(connection: &Connection, found: &Found) -> Result<(), Error> {
    let Found { seq, family, recipe } = found;
    let ingredients: Vec<&str> = recipe.ingredients.iter().map(|placed| placed.what.name.as_str()).collect();
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO recipe_search (rowid, title, description, ingredients, tags, family)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            seq,
            folded(recipe.title.as_str()),
            folded(recipe.description.as_ref().map_or("", |text| text.as_str())),
            folded(&ingredients.join(" ")),
            folded(&recipe.tags.join(" ")),
            hex::encode(family.as_bytes()),
        ])?;
    Ok(())
}

/// A text as the index has it.
fn folded(text: &str) -> String {
    search::words(text).join(" ")
}

/// Makes the recipe not found any more.
pub(super) fn unindex(connection: &Connection, seq: i64) -> Result<(), Error> {
    connection.prepare_cached("DELETE FROM recipe_search WHERE rowid = ?1")?.execute(params![seq])?;
    Ok(())
}

/// A refused insert is a title that is taken: nobody looks first, so a race has one winner.
pub(super) fn taken(connection: &Connection, family: FamilyId, title: &str, error: rusqlite::Error) -> Error {
    let is_title = matches!(&error, rusqlite::Error::SqliteFailure(_, Some(text))
        if text.starts_with("UNIQUE") && text.contains("title_key"));
    if !is_title {
        return error.into();
    }
    let sql = "SELECT id FROM recipes WHERE family_id = ?1 AND title_key = ?2 AND deleted_at IS NULL";
    let key = Key::of(title);
    let existing = connection.query_row(sql, params![family, key.as_str()], |row| row.get(0)).ok();
    Error::TitleTaken { title: title.to_owned(), existing }
}
