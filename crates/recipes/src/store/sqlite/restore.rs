//! Records of an archive, written.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::Scope;
use crate::error::Error;
use crate::family::Role;
use crate::id::{FamilyId, MealId, RecipeId};
use crate::photo::{Photo, Picture};
use crate::recipe::Recipe;
use crate::record::{OnConflict, Record, Restored};
use crate::store::edit::Parts;
use crate::title::Key;

use super::row::{self, Found};
use super::{families, meals, photos, shopping, sight};

pub(super) fn restore(
    connection: &Connection,
    scope: &Scope,
    records: Vec<Record>,
    on_conflict: OnConflict,
) -> Result<Restored, Error> {
    scope.may(Role::Owner)?;
    let mut work = Work { connection, scope, on_conflict, ids: HashMap::new(), done: Restored::default() };
    for record in records {
        let written = work.one(record)?;
        *(if written { &mut work.done.written } else { &mut work.done.skipped }) += 1;
    }
    Ok(work.done)
}

struct Work<'a> {
    connection: &'a Connection,
    scope: &'a Scope,
    on_conflict: OnConflict,
    /// Recipes that came in under another id than the archive's, or not at all.
    ids: HashMap<RecipeId, Option<RecipeId>>,
    done: Restored,
}

impl Work<'_> {
    /// Writes one record; false if something is there already.
    fn one(&mut self, record: Record) -> Result<bool, Error> {
        match record {
            Record::Family(family) => {
                let known = families::get(self.connection, family.id)?.is_some();
                if known || !self.scope.is_god() {
                    return Ok(false);
                }
                families::put(self.connection, &family).map(|()| true)
            }
            Record::Member { family_id, member } => {
                if !self.scope.is_god() {
                    return Ok(false);
                }
                families::put_member(self.connection, family_id, &member).map(|()| true)
            }
            Record::Recipe { family_id, recipe } => self.recipe(family_id, *recipe),
            Record::Photo { family_id, recipe_id, photo_id, bytes } => {
                let family = self.place(family_id)?;
                let Some(recipe) = self.id(recipe_id) else { return Ok(false) };
                let picture = Picture::new(bytes).map_err(|error| Error::invalid("photo", error))?;
                photos::put(self.connection, family, recipe, &Photo { id: photo_id, picture })?;
                let sql = "UPDATE recipes SET photo_id = ?3 WHERE family_id = ?1 AND id = ?2";
                Ok(self.connection.execute(sql, params![family, recipe, photo_id])? > 0)
            }
            Record::Meal { family_id, meal } => {
                let family = self.place(family_id)?;
                let recipe = match meal.recipe_id.map(|id| self.id(id)) {
                    Some(None) => return Ok(false),
                    Some(Some(id)) => Some(id),
                    None => None,
                };
                let id = if family == family_id { meal.id } else { MealId::new() };
                let values = (meal.day, meal.slot, recipe, meal.text.as_deref(), meal.servings);
                meals::put(self.connection, family, id, values)
            }
            Record::ShoppingList { family_id, list } => {
                let family = self.place(family_id)?;
                let there = !shopping::get(self.connection, family, &list.name)?.items.is_empty();
                if there && self.on_conflict == OnConflict::Skip {
                    return Ok(false);
                }
                shopping::put(self.connection, family, &list).map(|()| true)
            }
        }
    }

    /// Where things of a family of the archive go.
    fn place(&self, archived: FamilyId) -> Result<FamilyId, Error> {
        match self.scope.family() {
            Some(own) => Ok(own),
            None => self.scope.may_in(archived, Role::Owner),
        }
    }

    fn id(&self, archived: RecipeId) -> Option<RecipeId> {
        self.ids.get(&archived).copied().unwrap_or(Some(archived))
    }

    fn recipe(&mut self, archived_in: FamilyId, mut recipe: Recipe) -> Result<bool, Error> {
        let (family, archived) = (self.place(archived_in)?, recipe.id);
        // In another family it is another recipe: the old id may still be in use where it came from.
        if family != archived_in {
            recipe.id = RecipeId::new();
        }
        recipe.photo_id = None;
        let key = Key::of(recipe.title.as_str());
        let sql = "SELECT seq, id FROM recipes
                   WHERE family_id = ?1 AND (id = ?2 OR (title_key = ?3 AND deleted_at IS NULL)) ORDER BY id <> ?2";
        let there: Option<(i64, RecipeId)> = self
            .connection
            .query_row(sql, params![family, recipe.id, key.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match (there, self.on_conflict) {
            (Some(_), OnConflict::Skip) => {
                self.ids.insert(archived, None);
                return Ok(false);
            }
            (Some((seq, id)), OnConflict::Replace) => {
                recipe.id = id;
                let sql = "UPDATE recipes SET deleted_at = NULL WHERE seq = ?1";
                let free = self.connection.execute(sql, params![seq]);
                free.map_err(|error| row::taken(self.connection, family, &recipe, error))?;
                row::replace(self.connection, &Found { seq, family, recipe: recipe.clone() }, Parts::ALL)?;
            }
            (None, _) => row::insert(self.connection, family, &recipe)?,
        }
        self.ids.insert(archived, Some(recipe.id));
        sight::touch(self.connection, family)?;
        Ok(true)
    }
}
