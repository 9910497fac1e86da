//! Tags.

use rusqlite::{Connection, params};

use crate::auth::Scope;
use crate::error::Error;
use crate::tag::{self, TagCount};

use super::sight;

pub(super) fn count(connection: &Connection, scope: &Scope) -> Result<Vec<TagCount>, Error> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT min(t.tag), count(*) FROM recipe_tags t
         JOIN recipes r ON r.family_id = t.family_id AND r.id = t.recipe_id AND r.deleted_at IS NULL
         WHERE ?1 IS NULL OR t.family_id = ?1 GROUP BY t.tag_key",
    )?;
    let counts = statement.query_map(params![families], |row| {
        Ok(TagCount { tag: row.get(0)?, recipes: row.get::<_, u32>(1)?.into() })
    })?;
    Ok(tag::sorted(counts.collect::<rusqlite::Result<_>>()?))
}
