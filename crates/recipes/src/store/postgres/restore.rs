//! Records of an archive, written.

use std::collections::HashMap;

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
use super::transaction::{Failure, Transaction};
use super::{families, meals, photos, shopping, sight};

pub(super) async fn restore(
    tx: &Transaction<'_>,
    scope: &Scope,
    records: Vec<Record>,
    on_conflict: OnConflict,
) -> Result<Restored, Failure> {
    scope.may(Role::Owner)?;
    let mut work = Work { tx, scope, on_conflict, ids: HashMap::new(), done: Restored::default() };
    for record in records {
        let written = work.one(record).await?;
        *(if written { &mut work.done.written } else { &mut work.done.skipped }) += 1;
    }
    Ok(work.done)
}

struct Work<'a> {
    tx: &'a Transaction<'a>,
    scope: &'a Scope,
    on_conflict: OnConflict,
    /// Recipes that came in under another id than the archive's, or not at all.
    ids: HashMap<RecipeId, Option<RecipeId>>,
    done: Restored,
}

impl Work<'_> {
    /// Writes one record; false if something is there already.
    async fn one(&mut self, record: Record) -> Result<bool, Failure> {
        match record {
            Record::Family(family) => {
                let known = families::get(self.tx, family.id).await?.is_some();
                if known || !self.scope.is_god() {
                    return Ok(false);
                }
                families::put(self.tx, &family).await.map(|()| true)
            }
            Record::Member { family_id, member } => {
                if !self.scope.is_god() {
                    return Ok(false);
                }
                families::put_member(self.tx, family_id, &member).await.map(|()| true)
            }
            Record::Recipe { family_id, recipe } => self.recipe(family_id, *recipe).await,
            Record::Photo { family_id, recipe_id, photo_id, bytes } => {
                let family = self.place(family_id)?;
                let Some(recipe) = self.id(recipe_id) else { return Ok(false) };
                let picture = Picture::new(bytes).map_err(|error| Error::invalid("photo", error))?;
                photos::put(self.tx, family, recipe, &Photo { id: photo_id, picture }).await?;
                let sql = "UPDATE recipes SET photo_id = $3 WHERE family_id = $1 AND id = $2";
                Ok(self.tx.execute(sql, &[&family, &recipe, &photo_id]).await? > 0)
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
                meals::put(self.tx, family, id, values).await
            }
            Record::ShoppingList { family_id, list } => {
                let family = self.place(family_id)?;
                let there = !shopping::get(self.tx, family, &list.name).await?.items.is_empty();
                if there && self.on_conflict == OnConflict::Skip {
                    return Ok(false);
                }
                shopping::put(self.tx, family, &list).await.map(|()| true)
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

    async fn recipe(&mut self, archived_in: FamilyId, mut recipe: Recipe) -> Result<bool, Failure> {
        let (family, archived) = (self.place(archived_in)?, recipe.id);
        sight::touch(self.tx, family).await?;
        // In another family it is another recipe: the old id may still be in use where it came from.
        if family != archived_in {
            recipe.id = RecipeId::new();
        }
        recipe.photo_id = None;
        let key = Key::of(recipe.title.as_str());
        let sql = "SELECT seq, id FROM recipes
                   WHERE family_id = $1 AND (id = $2 OR (title_key = $3 AND deleted_at IS NULL)) ORDER BY id <> $2";
        let there = self.tx.rows(sql, &[&family, &recipe.id, &key.as_str()]).await?;
        match (there.first(), self.on_conflict) {
            (Some(_), OnConflict::Skip) => {
                self.ids.insert(archived, None);
                return Ok(false);
            }
            (Some(row), OnConflict::Replace) => {
                recipe.id = row.try_get(1)?;
                let seq: i64 = row.try_get(0)?;
                row::title_is_free(self.tx, family, &recipe).await?;
                self.tx
                    .execute(
                        "UPDATE recipes SET deleted_at = NULL, title_key = $2 WHERE seq = $1",
                        &[&seq, &key.as_str()],
                    )
                    .await?;
                row::replace(self.tx, &Found { seq, family, recipe: recipe.clone() }, Parts::ALL).await?;
            }
            (None, _) => row::insert(self.tx, family, &recipe).await?,
        }
        self.ids.insert(archived, Some(recipe.id));
        Ok(true)
    }
}
