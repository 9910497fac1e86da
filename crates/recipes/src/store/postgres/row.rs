//! Rows of a recipe, read and written.

use crate::error::{Error, Thing};
use crate::id::{FamilyId, RecipeId};
use crate::recipe::Recipe;
use crate::store::edit::{Parts, json};
use crate::store::row::{self, Found, INGREDIENTS, RECIPES, STEPS};
use crate::title::Key;

use super::search;
use super::sight::Families;
use super::transaction::{Failure, Transaction, Values};

/// The recipe of this id in one of these families, with its details.
pub(super) async fn recipe(tx: &Transaction<'_>, families: Families, id: RecipeId) -> Result<Found, Failure> {
    let condition = "WHERE id = $2 AND ($1::uuid IS NULL OR family_id = $1) AND deleted_at IS NULL";
    let row = tx.row(&format!("{RECIPES}{condition}"), &[&families, &id]).await?;
    let mut found = row::recipe(&row.ok_or_else(|| Error::not_found(Thing::Recipe, id))?)?;
    details(tx, &mut found).await?;
    Ok(found)
}

/// The next recipes of a family that are not in the trash, in the order in which they came.
pub(super) async fn page(
    tx: &Transaction<'_>,
    family: FamilyId,
    after: i64,
    most: i64,
) -> Result<Vec<Found>, Failure> {
    let condition = "WHERE family_id = $1 AND seq > $2 AND deleted_at IS NULL ORDER BY seq LIMIT $3";
    let rows = tx.rows(&format!("{RECIPES}{condition}"), &[&family, &after, &most]).await?;
    let mut page = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut found = row::recipe(row)?;
        details(tx, &mut found).await?;
        page.push(found);
    }
    Ok(page)
}

async fn details(tx: &Transaction<'_>, found: &mut Found) -> Result<(), Failure> {
    let key: Values<'_> = &[&found.family, &found.recipe.id];
    let ingredients = tx.rows(INGREDIENTS, key).await?;
    let steps = tx.rows(STEPS, key).await?;
    found.recipe.ingredients = ingredients.iter().map(row::ingredient).collect::<Result<_, _>>()?;
    found.recipe.steps = steps.iter().map(row::step).collect::<Result<_, _>>()?;
    Ok(())
}

/// Adds a recipe with everything that belongs to it. Nobody looks first: a title that is taken is refused by the index, so
/// a race has one winner.
pub(super) async fn insert(tx: &Transaction<'_>, family: FamilyId, recipe: &Recipe) -> Result<(), Failure> {
    let key = Key::of(recipe.title.as_str());
    let row = tx
        .row(
            "INSERT INTO recipes (family_id, id, title, title_key, description, prep_time_minutes, cook_time_minutes,
                 servings, difficulty, rating, yield_text, source_url, notes, nutrition, tags, photo_id, times_cooked,
                 last_cooked_at, version, created_at, created_by, updated_at, updated_by, sort_key, photos)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                 $23, $24, $25)
             ON CONFLICT (family_id, title_key) WHERE deleted_at IS NULL DO NOTHING RETURNING seq",
            &[
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
            ],
        )
        .await?;
    let Some(row) = row else {
        let existing = titled(tx, family, recipe).await?;
        return Err(Error::TitleTaken { title: recipe.title.to_string(), existing }.into());
    };
    let found = Found { seq: row.try_get(0)?, family, recipe: recipe.clone() };
    write_parts(tx, &found, Parts::ALL).await
}

/// Writes a recipe that is there, and of its parts those that changed. The family's row is ours, so the title that is free
/// stays free.
pub(super) async fn replace(tx: &Transaction<'_>, found: &Found, parts: Parts) -> Result<(), Failure> {
    let Found { seq, family, recipe } = found;
    title_is_free(tx, *family, recipe).await?;
    let key = Key::of(recipe.title.as_str());
    tx.execute(
        "UPDATE recipes SET title = $2, title_key = $3, description = $4, prep_time_minutes = $5,
             cook_time_minutes = $6, servings = $7, difficulty = $8, rating = $9, yield_text = $10, source_url = $11,
             notes = $12, nutrition = $13, tags = $14, photo_id = $15, times_cooked = $16, last_cooked_at = $17,
             version = $18, updated_at = $19, updated_by = $20, sort_key = $21, photos = $22 WHERE seq = $1",
        &[
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
        ],
    )
    .await?;
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

/// Lists of rows go as one statement each: an array per column.
async fn write_parts(tx: &Transaction<'_>, found: &Found, parts: Parts) -> Result<(), Failure> {
    let Found { seq, family, recipe } = found;
    if parts.tags && !recipe.tags.is_empty() {
        let keys: Vec<Key> = recipe.tags.iter().map(|tag| Key::of(tag)).collect();
        let keys: Vec<&str> = keys.iter().map(Key::as_str).collect();
        let sql = "INSERT INTO recipe_tags (family_id, tag_key, recipe_id, tag)
                   SELECT $1, t.key, $2, t.tag FROM unnest($3::text[], $4::text[]) AS t (key, tag)";
        tx.execute(sql, &[family, &recipe.id, &keys, &recipe.tags]).await?;
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
    search::index(tx, *seq, recipe).await
}

/// The other recipe of a family that has this title.
pub(super) async fn titled(
    tx: &Transaction<'_>,
    family: FamilyId,
    recipe: &Recipe,
) -> Result<Option<RecipeId>, Failure> {
    let sql = "SELECT id FROM recipes
               WHERE family_id = $1 AND title_key = $2 AND deleted_at IS NULL AND id <> $3";
    let key = Key::of(recipe.title.as_str());
    let row = tx.row(sql, &[&family, &key.as_str(), &recipe.id]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Refuses a title that another recipe of the family has.
pub(super) async fn title_is_free(
    tx: &Transaction<'_>,
    family: FamilyId,
    recipe: &Recipe,
) -> Result<(), Failure> {
    match titled(tx, family, recipe).await? {
        Some(id) => Err(Error::TitleTaken { title: recipe.title.to_string(), existing: Some(id) }.into()),
        None => Ok(()),
    }
}
