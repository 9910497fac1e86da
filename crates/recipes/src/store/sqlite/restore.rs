//! What SQLite does for a restore; `store::restore` decides.

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::{Family, Member};
use crate::id::{FamilyId, RecipeId};
use crate::photo::Photo;
use crate::plan::Meal;
use crate::recipe::{Recipe, Version};
use crate::record::{OnConflict, Restored, Source};
use crate::shopping::ShoppingList;
use crate::store::edit::{Parts, json};
use crate::store::restore::{self, Pictured, Target, There};
use crate::store::row::Found;
use crate::title::Key;

use super::row;
use super::{families, meals, photos, shopping, sight};

pub(super) fn restore(
    connection: &Connection,
    scope: &Scope,
    records: &dyn Source,
    on_conflict: OnConflict,
) -> Result<Restored, Error> {
    restore::at_once(restore::restore(Writing(connection), scope, records, on_conflict))
}

struct Writing<'a>(&'a Connection);

impl Target for Writing<'_> {
    type Failure = Error;

    async fn has_family(&self, id: FamilyId) -> Result<bool, Error> {
        Ok(families::get(self.0, id)?.is_some())
    }

    async fn put_family(&self, family: &Family) -> Result<(), Error> {
        families::put(self.0, family)
    }

    async fn put_member(&self, family: FamilyId, member: &Member, on: OnConflict) -> Result<bool, Error> {
        if on == OnConflict::Skip && families::role(self.0, family, &member.email)?.is_some() {
            return Ok(false);
        }
        families::put_member(self.0, family, member).map(|()| true)
    }

    async fn by_id(&self, family: FamilyId, id: RecipeId) -> Result<Option<There>, Error> {
        let sql = "SELECT deleted_at IS NOT NULL FROM recipes WHERE family_id = ?1 AND id = ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        let there = statement.query_row(params![family, id], |row| Ok(There { id, in_trash: row.get(0)? }));
        Ok(there.optional()?)
    }

    async fn by_title(&self, family: FamilyId, key: &Key) -> Result<Option<RecipeId>, Error> {
        let sql = "SELECT id FROM recipes WHERE family_id = ?1 AND title_key = ?2 AND deleted_at IS NULL";
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.query_row(params![family, key.as_str()], |row| row.get(0)).optional()?)
    }

    async fn free_title(&self, family: FamilyId, id: RecipeId) -> Result<(), Error> {
        // No title has this key: a key has no control characters at its ends.
        let sql = "UPDATE recipes SET title_key = ?3 WHERE family_id = ?1 AND id = ?2";
        self.0.prepare_cached(sql)?.execute(params![family, id, format!("\u{1}{id}")])?;
        Ok(())
    }

    async fn insert(&self, family: FamilyId, recipe: &Recipe) -> Result<(), Error> {
        row::insert(self.0, family, recipe)
    }

    async fn overwrite(&self, family: FamilyId, recipe: &Recipe) -> Result<(), Error> {
        // The key first: what leaves the trash must not meet the title it had there.
        let sql = "UPDATE recipes SET title_key = ?3, deleted_at = NULL, version = max(version + 1, ?4)
                   WHERE family_id = ?1 AND id = ?2 RETURNING seq, version";
        let mut statement = self.0.prepare_cached(sql)?;
        let key = Key::of(recipe.title.as_str());
        let values = params![family, recipe.id, key.as_str(), recipe.version.0];
        let (seq, version) = statement.query_row(values, |row| Ok((row.get(0)?, Version(row.get(1)?))))?;
        photos::clear(self.0, family, recipe.id)?;
        let recipe = Recipe { version, ..recipe.clone() };
        row::replace(self.0, &Found { seq, family, recipe }, Parts::ALL)
    }

    async fn put_photo(&self, family: FamilyId, recipe: &Pictured, photo: &Photo) -> Result<(), Error> {
        photos::put(self.0, family, recipe.recipe, photo)?;
        let sql = "UPDATE recipes SET photo_id = ?3, photos = ?4 WHERE family_id = ?1 AND id = ?2";
        let values = params![family, recipe.recipe, recipe.cover, json(&recipe.photos)];
        self.0.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    async fn put_meal(&self, family: FamilyId, meal: &Meal) -> Result<bool, Error> {
        meals::put(self.0, family, meal)
    }

    async fn has_list(&self, family: FamilyId, name: &str) -> Result<bool, Error> {
        Ok(!shopping::get(self.0, family, name)?.items.is_empty())
    }

    async fn put_list(&self, family: FamilyId, list: &ShoppingList) -> Result<(), Error> {
        shopping::put(self.0, family, list)
    }

    async fn touch(&self, family: FamilyId) -> Result<(), Error> {
        sight::touch(self.0, family)
    }
}
