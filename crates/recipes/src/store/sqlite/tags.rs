//! Tags.

use rusqlite::{Connection, params};

use crate::auth::Scope;
use crate::error::Error;
use crate::tag::{Tag, TagCount};
use crate::title::Key;

use super::sight;

/// The most tags a recipe may have.
const MOST: usize = 50;

pub(super) fn count(connection: &Connection, scope: &Scope) -> Result<Vec<TagCount>, Error> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT min(t.tag), count(*) FROM recipe_tags t
         JOIN recipes r ON r.family_id = t.family_id AND r.id = t.recipe_id AND r.deleted_at IS NULL
         WHERE ?1 IS NULL OR t.family_id = ?1 GROUP BY t.tag_key ORDER BY t.tag_key",
    )?;
    let counts = statement.query_map(params![families], |row| {
        Ok(TagCount { tag: row.get(0)?, recipes: row.get::<_, u32>(1)?.into() })
    })?;
    Ok(counts.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn contains(tags: &[Tag], tag: &str) -> bool {
    let key = Key::of(tag);
    tags.iter().any(|tag| Key::of(tag.as_str()) == key)
}

/// In alphabetical order; of those that differ in case only the first.
pub(super) fn unique(tags: impl Iterator<Item = String>) -> Vec<String> {
    let mut keyed: Vec<(Key, String)> = tags.map(|tag| (Key::of(&tag), tag)).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    keyed.dedup_by(|(one, _), (other, _)| one == other);
    keyed.into_iter().map(|(_, tag)| tag).collect()
}

/// As [`unique`], unless there are too many.
pub(super) fn in_order(tags: impl Iterator<Item = String>) -> Result<Vec<String>, Error> {
    let tags = unique(tags);
    if tags.len() > MOST {
        return Err(Error::invalid("tags", format!("a recipe has at most {MOST} tags; remove some first")));
    }
    Ok(tags)
}
