//! A recipe, written with everything that belongs to it.

use crate::error::Error;
use crate::id::{FamilyId, RecipeId};
use crate::recipe::{Placed, Recipe};
use crate::title::Key;

use super::edit::{Parts, json};
use super::row::Found;
use super::search;
use super::sql::{Failure, Sql, Values};

/// Adds a recipe. Nobody looks first: a title that is taken is refused by the index, so a race has one winner.
pub(super) async fn insert(tx: &Sql<'_>, family: FamilyId, recipe: &Recipe) -> Result<(), Failure> {
    let key = Key::of(recipe.title.as_str());
    let sql = "INSERT INTO recipes (family_id, id, title, title_key, description, prep_time_minutes, cook_time_minutes,
                   servings, difficulty, rating, yield_text, source_url, notes, nutrition, tags, photo_id, times_cooked,
                   last_cooked_at, version, created_at, created_by, updated_at, updated_by, sort_key, photos)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                   $23, $24, $25)
               ON CONFLICT (family_id, title_key) WHERE deleted_at IS NULL DO NOTHING RETURNING seq";
    let values: Values<'_> = &[
        &family,
        &recipe.id,
        &recipe.title,
        &key.as_str(),
        &recipe.description,
        &recipe.prep_time_minutes,
        &recipe.cook_time_minutes,
        &recipe.servings,
        &recipe.difficulty,
        &recipe.rating,
        &recipe.yield_text,
        &recipe.source_url,
        &recipe.notes,
        &recipe.nutrition,
        &json(&recipe.tags),
        &recipe.photo_id,
        &i64::from(recipe.times_cooked),
        &recipe.last_cooked_at,
        &recipe.version.0,
        &recipe.created_at,
        &recipe.created_by,
        &recipe.updated_at,
        &recipe.updated_by,
        &key.for_sorting(),
        &json(&recipe.photos),
    ];
    let Some(seq) = tx.one(sql, values, |row| row.get(0)).await? else {
        let existing = titled(tx, family, &key, recipe.id).await?;
        return Err(Error::TitleTaken { title: recipe.title.to_string(), existing }.into());
    };
    write_parts(tx, &Found { seq, family, recipe: recipe.clone() }, Parts::ALL).await
}

/// Writes a recipe that is there, and of its parts those that changed. The family's row is ours, so the title that is free
/// stays free.
pub(super) async fn replace(tx: &Sql<'_>, found: &Found, parts: Parts) -> Result<(), Failure> {
    let Found { seq, family, recipe } = found;
    let key = Key::of(recipe.title.as_str());
    if let Some(other) = titled(tx, *family, &key, recipe.id).await? {
        return Err(Error::TitleTaken { title: recipe.title.to_string(), existing: Some(other) }.into());
    }
    let sql = "UPDATE recipes SET title = $2, title_key = $3, description = $4, prep_time_minutes = $5,
                   cook_time_minutes = $6, servings = $7, difficulty = $8, rating = $9, yield_text = $10, source_url = $11,
                   notes = $12, nutrition = $13, tags = $14, photo_id = $15, times_cooked = $16, last_cooked_at = $17,
                   version = $18, updated_at = $19, updated_by = $20, sort_key = $21, photos = $22 WHERE seq = $1";
    let values: Values<'_> = &[
        seq,
        &recipe.title,
        &key.as_str(),
        &recipe.description,
        &recipe.prep_time_minutes,
        &recipe.cook_time_minutes,
        &recipe.servings,
        &recipe.difficulty,
        &recipe.rating,
        &recipe.yield_text,
        &recipe.source_url,
        &recipe.notes,
        &recipe.nutrition,
        &json(&recipe.tags),
        &recipe.photo_id,
        &i64::from(recipe.times_cooked),
        &recipe.last_cooked_at,
        &recipe.version.0,
        &recipe.updated_at,
        &recipe.updated_by,
        &key.for_sorting(),
        &json(&recipe.photos),
    ];
    tx.execute(sql, values).await?;
    for (changed, table) in
        [(parts.tags, "recipe_tags"), (parts.ingredients, "ingredients"), (parts.steps, "steps")]
    {
        if changed {
            let sql = format!("DELETE FROM {table} WHERE family_id = $1 AND recipe_id = $2");
            tx.execute(&sql, &[family, &recipe.id]).await?;
        }
    }
    write_parts(tx, found, parts).await
}

/// The other recipe of a family that has a title.
async fn titled(
    tx: &Sql<'_>,
    family: FamilyId,
    key: &Key,
    but: RecipeId,
) -> Result<Option<RecipeId>, Failure> {
    let sql = "SELECT id FROM recipes
               WHERE family_id = $1 AND title_key = $2 AND deleted_at IS NULL AND id <> $3";
    tx.one(sql, &[&family, &key.as_str(), &but], |row| row.get(0)).await
}

async fn write_parts(tx: &Sql<'_>, found: &Found, parts: Parts) -> Result<(), Failure> {
    match tx {
        Sql::Sqlite(_) => row_by_row(tx, found, parts).await?,
        Sql::Postgres(_) => in_one_message(tx, found, parts).await?,
    }
    search::index(tx, found).await
}

async fn row_by_row(tx: &Sql<'_>, found: &Found, parts: Parts) -> Result<(), Failure> {
    let Found { family, recipe, .. } = found;
    let id = &recipe.id;
    for tag in recipe.tags.iter().filter(|_| parts.tags) {
        let sql = "INSERT INTO recipe_tags (family_id, tag_key, recipe_id, tag) VALUES ($1, $2, $3, $4)";
        tx.execute(sql, &[family, &Key::of(tag).as_str(), id, tag]).await?;
    }
    for Placed { position, what } in recipe.ingredients.iter().filter(|_| parts.ingredients) {
        let sql = "INSERT INTO ingredients (family_id, recipe_id, position, name, quantity, quantity_max, unit, notes,
                       section, original_text, scales) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let position = i64::from(*position);
        let (amount, most, unit) = (&what.quantity, &what.quantity_max, &what.unit);
        let (notes, section, original) = (&what.notes, &what.section, &what.original_text);
        let values: Values<'_> =
            &[family, id, &position, &what.name, amount, most, unit, notes, section, original, &what.scales];
        tx.execute(sql, values).await?;
    }
    for Placed { position, what } in recipe.steps.iter().filter(|_| parts.steps) {
        let sql = "INSERT INTO steps (family_id, recipe_id, position, instruction, duration_minutes, temperature_value,
                       temperature_unit, section) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let position = i64::from(*position);
        let (minutes, value, unit) =
            (&what.duration_minutes, &what.temperature_value, &what.temperature_unit);
        tx.execute(sql, &[family, id, &position, &what.instruction, minutes, value, unit, &what.section])
            .await?;
    }
    Ok(())
}

/// Lists of rows go to a server as one statement each.
async fn in_one_message(tx: &Sql<'_>, found: &Found, parts: Parts) -> Result<(), Failure> {
    let Found { family, recipe, .. } = found;
    if parts.tags && !recipe.tags.is_empty() {
        let tags: Vec<[String; 2]> =
            recipe.tags.iter().map(|tag| [Key::of(tag).as_str().to_owned(), tag.clone()]).collect();
        let sql = "INSERT INTO recipe_tags (family_id, tag_key, recipe_id, tag)
                   SELECT $1, t.pair ->> 0, $2, t.pair ->> 1 FROM json_array_elements($3::text::json) AS t (pair)";
        tx.execute(sql, &[family, &recipe.id, &json(&tags)]).await?;
    }
    if parts.ingredients && !recipe.ingredients.is_empty() {
        let json = serde_json::to_string(&recipe.ingredients).map_err(Error::unavailable)?;
        let sql = "INSERT INTO ingredients (family_id, recipe_id, position, name, quantity, quantity_max, unit, notes,
                       section, original_text, scales)
                   SELECT $1, $2, i.position, i.name, i.quantity, i.quantity_max, i.unit, i.notes, i.section,
                       i.original_text, coalesce(i.scales, true)
                   FROM json_to_recordset($3::text::json) AS i (position bigint, name text, quantity double precision,
                       quantity_max double precision, unit text, notes text, section text, original_text text,
                       scales boolean)";
        tx.execute(sql, &[family, &recipe.id, &json]).await?;
    }
    if parts.steps && !recipe.steps.is_empty() {
        let json = serde_json::to_string(&recipe.steps).map_err(Error::unavailable)?;
        let sql = "INSERT INTO steps (family_id, recipe_id, position, instruction, duration_minutes, temperature_value,
                       temperature_unit, section)
                   SELECT $1, $2, s.position, s.instruction, s.duration_minutes, s.temperature_value,
                       s.temperature_unit, s.section
                   FROM json_to_recordset($3::text::json) AS s (position bigint, instruction text,
                       duration_minutes bigint, temperature_value bigint, temperature_unit text, section text)";
        tx.execute(sql, &[family, &recipe.id, &json]).await?;
    }
    Ok(())
}
