//! Recipes.

use std::sync::PoisonError;

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::{Reach, Scope};
use crate::draft::{Changes, Draft, OnceKey};
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, RecipeId};
use crate::listing::{ListQuery, Listing, Revision};
use crate::recipe::Recipe;
use crate::search::{Hits, SearchQuery};
use crate::store::edit::{self, Parts};
use crate::store::{Answer, Recipes};
use crate::tag::{Tag, TagCount};
use crate::time::Time;
use crate::title::{Key, Title};
use crate::written::Written;

use super::kept::Stamp;
use super::row::{self, Found};
use super::{Sqlite, list, search, sight, tags};

/// How long a key of a repeated write is remembered, in days.
const REMEMBERED_DAYS: i64 = 1;

impl Recipes for Sqlite {
    fn create_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        draft: Draft,
        once: Option<OnceKey>,
    ) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| create(connection, &scope, draft, once.as_ref()))
    }

    fn recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        self.read(move |connection| {
            let families = sight::of_recipe(scope, id)?;
            row::recipe(connection, families, id).map(|found| found.recipe)
        })
    }

    fn written_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Written> {
        Box::pin(async move {
            let database = self.database()?;
            let kept = || database.recipes.lock().unwrap_or_else(PoisonError::into_inner);
            database.readers.read(|connection| {
                let families = sight::of_recipe(scope, id)?;
                let before = kept().get(id);
                if let Some((then, written)) = before
                    && then == row::stamp(connection, families, id)?
                {
                    return Ok(written);
                }
                let Found { family, recipe, .. } = row::recipe(connection, families, id)?;
                let written = Written::new(&recipe)?;
                kept().put(id, Stamp::of(family, &recipe), written.clone());
                Ok(written)
            })
        })
    }

    fn update_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId, changes: Changes) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            change(connection, &scope, id, |recipe| {
                edit::is_current(recipe, &changes)?;
                Ok(edit::apply(recipe, changes))
            })
        })
    }

    fn delete_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::to_change(connection, &scope, id)?;
            let sql = "UPDATE recipes SET deleted_at = ?3 WHERE family_id = ?1 AND id = ?2 RETURNING seq";
            let seq = connection
                .prepare_cached(sql)?
                .query_row(params![family, id, Time::now()], |row| row.get(0))?;
            row::unindex(connection, seq)?;
            let sql = "DELETE FROM recipes WHERE family_id = ?1 AND deleted_at < ?2";
            connection.prepare_cached(sql)?.execute(params![family, edit::end_of_trash()])?;
            sight::touch(connection, family)
        })
    }

    fn undelete_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| undelete(connection, &scope, id))
    }

    fn empty_trash<'a>(&'a self, scope: &'a Scope, before: Time) -> Answer<'a, u64> {
        let scope = scope.clone();
        self.write(move |connection| {
            let Some(families) = sight::of_lists(&scope) else { return Ok(0) };
            scope.may(Role::Editor)?;
            let sql = "DELETE FROM recipes WHERE deleted_at < ?2 AND (?1 IS NULL OR family_id = ?1)";
            let removed = connection.execute(sql, params![families, before])?;
            Ok(removed as u64)
        })
    }

    fn list_recipes<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
        list::list(self, scope, query)
    }

    fn revision<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Revision> {
        self.read(move |connection| list::revision(connection, scope))
    }

    fn search_recipes<'a>(&'a self, scope: &'a Scope, query: SearchQuery) -> Answer<'a, Hits> {
        let scope = scope.clone();
        self.read_long(move |connection| search::search(connection, &scope, &query))
    }

    fn titled<'a>(&'a self, scope: &'a Scope, titles: Vec<Title>) -> Answer<'a, Vec<Option<RecipeId>>> {
        let home = scope.home();
        self.read_long(move |connection| {
            let sql = "SELECT id FROM recipes WHERE family_id = ?1 AND title_key = ?2 AND deleted_at IS NULL";
            let mut statement = connection.prepare_cached(sql)?;
            let keys = titles.iter().map(|title| Key::of(title.as_str()));
            let found = keys.map(|key| statement.query_row(params![home, key.as_str()], |row| row.get(0)));
            Ok(found.map(OptionalExtension::optional).collect::<rusqlite::Result<_>>()?)
        })
    }

    fn tags<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<TagCount>> {
        let scope = scope.clone();
        self.read_long(move |connection| tags::count(connection, &scope))
    }

    fn tag_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        add: Vec<Tag>,
        remove: Vec<Tag>,
    ) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            change(connection, &scope, id, |recipe| edit::retag(recipe, &add, &remove))
        })
    }

    fn mark_cooked<'a>(&'a self, scope: &'a Scope, id: RecipeId, at: Time) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            change(connection, &scope, id, |recipe| {
                edit::cooked(recipe, at);
                Ok(Parts::NONE)
            })
        })
    }
}

fn create(
    connection: &Connection,
    scope: &Scope,
    draft: Draft,
    once: Option<&OnceKey>,
) -> Result<Recipe, Error> {
    let family = scope.may(Role::Editor)?;
    if let Some(once) = once
        && let Some(earlier) = made_before(connection, family, once)?
    {
        return row::recipe(connection, Some(family), earlier).map(|found| found.recipe);
    }
    let recipe = edit::new_recipe(scope, draft)?;
    row::insert(connection, family, &recipe)?;
    if let Some(once) = once {
        let sql = "INSERT INTO once_keys (family_id, key, recipe_id, created_at) VALUES (?1, ?2, ?3, ?4)";
        connection.prepare_cached(sql)?.execute(params![
            family,
            once.as_str(),
            recipe.id,
            recipe.created_at
        ])?;
    }
    sight::touch(connection, family)?;
    Ok(recipe)
}

/// The recipe that was made with this key, lately.
fn made_before(connection: &Connection, family: FamilyId, once: &OnceKey) -> Result<Option<RecipeId>, Error> {
    let forget = Time::now().plus_days(-REMEMBERED_DAYS);
    connection.prepare_cached("DELETE FROM once_keys WHERE created_at < ?1")?.execute(params![forget])?;
    let sql = "SELECT recipe_id FROM once_keys WHERE family_id = ?1 AND key = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![family, once.as_str()], |row| row.get(0)).optional()?)
}

/// Changes a recipe that this scope may change: one version more, and who did it.
pub(super) fn change(
    connection: &Connection,
    scope: &Scope,
    id: RecipeId,
    change: impl FnOnce(&mut Recipe) -> Result<Parts, Error>,
) -> Result<Recipe, Error> {
    let family = sight::to_change(connection, scope, id)?;
    let mut found = row::recipe(connection, Some(family), id)?;
    let parts = change(&mut found.recipe)?;
    edit::sign(&mut found.recipe, scope);
    row::replace(connection, &found, parts)?;
    sight::touch(connection, family)?;
    Ok(found.recipe)
}

fn undelete(connection: &Connection, scope: &Scope, id: RecipeId) -> Result<Recipe, Error> {
    let missing = || Error::not_found(Thing::Recipe, id);
    let families = match scope.reach() {
        Reach::God { .. } => None,
        Reach::Family(family, _) => Some(family),
        Reach::Recipe(..) | Reach::Everything | Reach::Nothing => return Err(missing()),
    };
    let sql = "SELECT family_id, title FROM recipes
               WHERE id = ?2 AND (?1 IS NULL OR family_id = ?1) AND deleted_at IS NOT NULL";
    let trashed = connection.query_row(sql, params![families, id], |row| Ok((row.get(0)?, row.get(1)?)));
    let (family, title): (FamilyId, String) = trashed.optional()?.ok_or_else(missing)?;
    scope.may(Role::Editor)?;
    let sql = "UPDATE recipes SET deleted_at = NULL WHERE family_id = ?1 AND id = ?2";
    connection.execute(sql, params![family, id]).map_err(|error| match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) if text.contains("title_key") => {
            Error::TitleTaken { title, existing: None }
        }
        other => other.into(),
    })?;
    let found: Found = row::recipe(connection, Some(family), id)?;
    row::index(connection, &found)?;
    sight::touch(connection, family)?;
    Ok(found.recipe)
}
