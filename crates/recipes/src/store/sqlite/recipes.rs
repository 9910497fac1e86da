//! Recipes.

use rusqlite::{Connection, OptionalExtension, params};

use crate::auth::{Actor, Scope};
use crate::card::{CardQuery, Cards, Trashed};
use crate::draft::{Changes, Draft, OnceKey};
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, RecipeId};
use crate::listing::{ListQuery, Listing, Revision};
use crate::recipe::{Recipe, Version};
use crate::search::{Hits, SearchQuery};
use crate::store::edit::{self, Parts};
use crate::store::{Answer, Recipes};
use crate::tag::{Tag, TagCount};
use crate::time::Time;
use crate::title::{Key, Title};

use super::{Sqlite, cards, list, row, search, sight, tags};

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

    fn update_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId, changes: Changes) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            if changes.is_empty() {
                let family = sight::to_change(connection, &scope, id)?;
                let recipe = row::recipe(connection, Some(family), id)?.recipe;
                return edit::is_current(&recipe, changes.expected_version).map(|()| recipe);
            }
            change(connection, &scope, id, |recipe| {
                edit::is_current(recipe, changes.expected_version)?;
                Ok(edit::apply(recipe, changes))
            })
        })
    }

    fn delete_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        expected: Option<Version>,
    ) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::to_change(connection, &scope, id)?;
            edit::is_current(&row::recipe(connection, Some(family), id)?.recipe, expected)?;
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

    fn trash<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Trashed>> {
        self.read(move |connection| cards::trash(connection, scope))
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
        expected: Option<Version>,
    ) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            change(connection, &scope, id, |recipe| {
                edit::is_current(recipe, expected)?;
                edit::retag(recipe, &add, &remove)
            })
        })
    }

    fn mark_cooked<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        at: Time,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe> {
        let scope = scope.clone();
        self.write(move |connection| {
            change(connection, &scope, id, |recipe| {
                edit::is_current(recipe, expected)?;
                edit::cooked(recipe, at);
                Ok(Parts::NONE)
            })
        })
    }

    fn cards<'a>(&'a self, scope: &'a Scope, query: CardQuery) -> Answer<'a, Cards> {
        let scope = scope.clone();
        self.read_long(move |connection| cards::cards(connection, &scope, &query))
    }

    fn is_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, bool> {
        self.read(move |connection| {
            let (Some(family), Actor::Person(email)) = (scope.family(), scope.actor()) else {
                return Ok(false);
            };
            let sql = "SELECT 1 FROM favourites WHERE family_id = ?1 AND email = ?2 AND recipe_id = ?3";
            Ok(connection.prepare_cached(sql)?.exists(params![family, email, id])?)
        })
    }

    fn set_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId, is_favourite: bool) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = sight::family_of(connection, sight::of_recipe(&scope, id)?, id)?;
            let Actor::Person(email) = scope.actor() else { return Err(edit::no_person()) };
            let sql = if is_favourite {
                "INSERT OR IGNORE INTO favourites (family_id, email, recipe_id) VALUES (?1, ?2, ?3)"
            } else {
                "DELETE FROM favourites WHERE family_id = ?1 AND email = ?2 AND recipe_id = ?3"
            };
            connection.prepare_cached(sql)?.execute(params![family, email, id])?;
            Ok(())
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
        && let Some(earlier) = made_before(connection, family, once, &draft)?
    {
        return row::recipe(connection, Some(family), earlier).map(|found| found.recipe);
    }
    let request = draft.fingerprint();
    let recipe = edit::new_recipe(scope, draft)?;
    row::insert(connection, family, &recipe)?;
    if let Some(once) = once {
        let sql = "INSERT INTO once_keys (family_id, key, recipe_id, created_at, request) VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = params![family, once.as_str(), recipe.id, recipe.created_at, request];
        connection.prepare_cached(sql)?.execute(values)?;
    }
    sight::touch(connection, family)?;
    Ok(recipe)
}

/// The recipe that was made with this key, lately. The same key with another recipe is a mistake of whoever sends it.
fn made_before(
    connection: &Connection,
    family: FamilyId,
    once: &OnceKey,
    draft: &Draft,
) -> Result<Option<RecipeId>, Error> {
    let forget = Time::now().plus_days(-REMEMBERED_DAYS);
    connection.prepare_cached("DELETE FROM once_keys WHERE created_at < ?1")?.execute(params![forget])?;
    let sql = "SELECT recipe_id, request FROM once_keys WHERE family_id = ?1 AND key = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![family, once.as_str()], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((id, request)): Option<(RecipeId, Option<Vec<u8>>)> = found.optional()? else { return Ok(None) };
    if request.is_some_and(|request| request != draft.fingerprint()) {
        Err(Error::KeyReused)
    } else {
        Ok(Some(id))
    }
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
    let families = sight::of_owned(scope).ok_or_else(missing)?;
    let sql = "SELECT family_id, title FROM recipes
               WHERE id = ?2 AND (?1 IS NULL OR family_id = ?1) AND deleted_at IS NOT NULL";
    let trashed = connection.query_row(sql, params![families, id], |row| Ok((row.get(0)?, row.get(1)?)));
    let (family, title): (FamilyId, String) = trashed.optional()?.ok_or_else(missing)?;
    scope.may(Role::Editor)?;
    let sql = "UPDATE recipes SET deleted_at = NULL WHERE family_id = ?1 AND id = ?2";
    let done = connection.execute(sql, params![family, id]);
    done.map_err(|error| row::taken(connection, family, &title, error))?;
    let found = row::recipe(connection, Some(family), id)?;
    row::index(connection, &found)?;
    sight::touch(connection, family)?;
    Ok(found.recipe)
}
