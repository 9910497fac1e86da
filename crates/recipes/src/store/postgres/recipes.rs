//! Recipes.

use std::collections::HashMap;

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
use crate::tag::{self, Tag, TagCount};
use crate::time::Time;
use crate::title::{Key, Title};

use super::transaction::{Failure, Transaction};
use super::{Postgres, cards, list, row, search, sight};

/// How long a key of a repeated write is remembered, in days.
const REMEMBERED_DAYS: i64 = 1;

impl Recipes for Postgres {
    fn create_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        draft: Draft,
        once: Option<OnceKey>,
    ) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| {
            let (draft, once) = (draft.clone(), once.clone());
            Box::pin(async move { create(tx, scope, draft, once.as_ref()).await })
        })
    }

    fn recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                row::recipe(tx, sight::of_recipe(scope, id)?, id).await.map(|found| found.recipe)
            })
        })
    }

    fn update_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId, changes: Changes) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| {
            let changes = changes.clone();
            Box::pin(async move {
                if changes.is_empty() {
                    let recipe = row::recipe(tx, sight::of_recipe(scope, id)?, id).await?.recipe;
                    scope.may(Role::Editor)?;
                    edit::is_current(&recipe, changes.expected_version)?;
                    return Ok(recipe);
                }
                change(tx, scope, id, |recipe| {
                    edit::is_current(recipe, changes.expected_version)?;
                    Ok(edit::apply(recipe, changes))
                })
                .await
            })
        })
    }

    fn delete_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        expected: Option<Version>,
    ) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                edit::is_current(&row::recipe(tx, Some(family), id).await?.recipe, expected)?;
                let sql = "UPDATE recipes SET deleted_at = $3
                           WHERE family_id = $1 AND id = $2 AND deleted_at IS NULL";
                tx.execute(sql, &[&family, &id, &Time::now()]).await?;
                let sql = "DELETE FROM recipes WHERE family_id = $1 AND deleted_at < $2";
                tx.execute(sql, &[&family, &edit::end_of_trash()]).await?;
                Ok(())
            })
        })
    }

    fn trash<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Trashed>> {
        self.read(scope, move |tx| Box::pin(cards::trash(tx, scope)))
    }

    fn undelete_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| Box::pin(undelete(tx, scope, id)))
    }

    fn empty_trash<'a>(&'a self, scope: &'a Scope, before: Time) -> Answer<'a, u64> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                let Some(families) = sight::of_lists(scope) else { return Ok(0) };
                scope.may(Role::Editor)?;
                let sql =
                    "DELETE FROM recipes WHERE deleted_at < $2 AND ($1::uuid IS NULL OR family_id = $1)";
                tx.execute(sql, &[&families, &before]).await
            })
        })
    }

    fn list_recipes<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
        list::list(self, scope, query)
    }

    fn revision<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Revision> {
        self.read(scope, move |tx| Box::pin(list::revision(tx, scope)))
    }

    fn search_recipes<'a>(&'a self, scope: &'a Scope, query: SearchQuery) -> Answer<'a, Hits> {
        self.read(scope, move |tx| {
            let query = query.clone();
            Box::pin(async move { search::search(tx, scope, &query).await })
        })
    }

    fn titled<'a>(&'a self, scope: &'a Scope, titles: Vec<Title>) -> Answer<'a, Vec<Option<RecipeId>>> {
        let keys: Vec<String> =
            titles.iter().map(|title| Key::of(title.as_str()).as_str().to_owned()).collect();
        self.read(scope, move |tx| {
            let keys = keys.clone();
            Box::pin(async move {
                let sql = "SELECT title_key, id FROM recipes
                           WHERE family_id = $1 AND title_key = ANY($2) AND deleted_at IS NULL";
                let mut found = HashMap::new();
                for row in tx.rows(sql, &[&scope.home(), &keys]).await? {
                    found.insert(row.try_get::<_, String>(0)?, row.try_get::<_, RecipeId>(1)?);
                }
                Ok(keys.iter().map(|key| found.get(key).copied()).collect())
            })
        })
    }

    fn tags<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<TagCount>> {
        self.read(scope, move |tx| Box::pin(count_tags(tx, scope)))
    }

    fn tag_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        add: Vec<Tag>,
        remove: Vec<Tag>,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe> {
        self.write(scope, move |tx| {
            let (add, remove) = (add.clone(), remove.clone());
            Box::pin(async move {
                change(tx, scope, id, |recipe| {
                    edit::is_current(recipe, expected)?;
                    edit::retag(recipe, &add, &remove)
                })
                .await
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
        self.write(scope, move |tx| {
            Box::pin(async move {
                change(tx, scope, id, |recipe| {
                    edit::is_current(recipe, expected)?;
                    edit::cooked(recipe, at);
                    Ok(Parts::NONE)
                })
                .await
            })
        })
    }

    fn cards<'a>(&'a self, scope: &'a Scope, query: CardQuery) -> Answer<'a, Cards> {
        self.read(scope, move |tx| {
            let query = query.clone();
            Box::pin(async move { cards::cards(tx, scope, &query).await })
        })
    }

    fn is_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, bool> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                let (Some(family), Actor::Person(email)) = (scope.family(), scope.actor()) else {
                    return Ok(false);
                };
                let sql = "SELECT 1 FROM favourites WHERE family_id = $1 AND email = $2 AND recipe_id = $3";
                Ok(tx.row(sql, &[&family, email, &id]).await?.is_some())
            })
        })
    }

    fn set_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId, is_favourite: bool) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            Box::pin(async move {
                let family = sight::family_of(tx, sight::of_recipe(scope, id)?, id).await?;
                let Actor::Person(email) = scope.actor() else { return Err(edit::no_person().into()) };
                // Who reads from a replica afterwards finds it there.
                sight::touch(tx, family).await?;
                let sql = if is_favourite {
                    "INSERT INTO favourites (family_id, email, recipe_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
                } else {
                    "DELETE FROM favourites WHERE family_id = $1 AND email = $2 AND recipe_id = $3"
                };
                tx.execute(sql, &[&family, email, &id]).await?;
                Ok(())
            })
        })
    }
}

async fn create(
    tx: &Transaction<'_>,
    scope: &Scope,
    draft: Draft,
    once: Option<&OnceKey>,
) -> Result<Recipe, Failure> {
    let family = scope.may(Role::Editor)?;
    sight::touch(tx, family).await?;
    if let Some(once) = once
        && let Some(earlier) = made_before(tx, family, once, &draft).await?
    {
        return row::recipe(tx, Some(family), earlier).await.map(|found| found.recipe);
    }
    let request = draft.fingerprint();
    let recipe = edit::new_recipe(scope, draft)?;
    row::insert(tx, family, &recipe).await?;
    if let Some(once) = once {
        let sql = "INSERT INTO once_keys (family_id, key, recipe_id, created_at, request) VALUES ($1, $2, $3, $4, $5)";
        tx.execute(sql, &[&family, &once.as_str(), &recipe.id, &recipe.created_at, &request]).await?;
    }
    Ok(recipe)
}

/// The recipe that was made with this key, lately. The same key with another recipe is a mistake of whoever sends it.
async fn made_before(
    tx: &Transaction<'_>,
    family: FamilyId,
    once: &OnceKey,
    draft: &Draft,
) -> Result<Option<RecipeId>, Failure> {
    let forget = Time::now().plus_days(-REMEMBERED_DAYS);
    let old = "DELETE FROM once_keys WHERE family_id = $1 AND created_at < $2";
    tx.execute(old, &[&family, &forget]).await?;
    let sql = "SELECT recipe_id, request FROM once_keys WHERE family_id = $1 AND key = $2";
    let Some(row) = tx.row(sql, &[&family, &once.as_str()]).await? else { return Ok(None) };
    let request: Option<Vec<u8>> = row.try_get(1)?;
    if request.is_some_and(|request| request != draft.fingerprint()) {
        return Err(Error::KeyReused.into());
    }
    Ok(Some(row.try_get(0)?))
}

/// Changes a recipe that this scope may change: one version more, and who did it.
pub(super) async fn change(
    tx: &Transaction<'_>,
    scope: &Scope,
    id: RecipeId,
    change: impl FnOnce(&mut Recipe) -> Result<Parts, Error>,
) -> Result<Recipe, Failure> {
    let family = sight::to_change(tx, scope, id).await?;
    change_in(tx, (scope, family), id, change).await
}

/// As [`change`], for a family whose row is taken.
pub(super) async fn change_in(
    tx: &Transaction<'_>,
    (scope, family): (&Scope, FamilyId),
    id: RecipeId,
    change: impl FnOnce(&mut Recipe) -> Result<Parts, Error>,
) -> Result<Recipe, Failure> {
    let mut found = row::recipe(tx, Some(family), id).await?;
    let parts = change(&mut found.recipe)?;
    edit::sign(&mut found.recipe, scope);
    row::replace(tx, &found, parts).await?;
    Ok(found.recipe)
}

async fn undelete(tx: &Transaction<'_>, scope: &Scope, id: RecipeId) -> Result<Recipe, Failure> {
    let missing = || Error::not_found(Thing::Recipe, id);
    let families = sight::of_owned(scope).ok_or_else(missing)?;
    let sql = "SELECT family_id FROM recipes
               WHERE id = $2 AND ($1::uuid IS NULL OR family_id = $1) AND deleted_at IS NOT NULL";
    let family: FamilyId = tx.row(sql, &[&families, &id]).await?.ok_or_else(missing)?.try_get(0)?;
    scope.may(Role::Editor)?;
    sight::touch(tx, family).await?;
    // The family's row is ours: the title that is free stays free.
    let sql = "SELECT r.title, o.id FROM recipes r LEFT JOIN recipes o
                   ON o.family_id = r.family_id AND o.title_key = r.title_key AND o.deleted_at IS NULL AND o.id <> r.id
               WHERE r.family_id = $1 AND r.id = $2";
    let row = tx.row(sql, &[&family, &id]).await?.ok_or_else(missing)?;
    if let Some(existing) = row.try_get::<_, Option<RecipeId>>(1)? {
        return Err(Error::TitleTaken { title: row.try_get(0)?, existing: Some(existing) }.into());
    }
    let sql = "UPDATE recipes SET deleted_at = NULL WHERE family_id = $1 AND id = $2";
    tx.execute(sql, &[&family, &id]).await?;
    row::recipe(tx, Some(family), id).await.map(|found| found.recipe)
}

pub(super) async fn count_tags(tx: &Transaction<'_>, scope: &Scope) -> Result<Vec<TagCount>, Failure> {
    let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
    let sql = "SELECT min(t.tag), count(*) FROM recipe_tags t
               JOIN recipes r ON r.family_id = t.family_id AND r.id = t.recipe_id AND r.deleted_at IS NULL
               WHERE $1::uuid IS NULL OR t.family_id = $1 GROUP BY t.tag_key";
    let mut counts = Vec::new();
    for row in tx.rows(sql, &[&families]).await? {
        let recipes = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or_default();
        counts.push(TagCount { tag: row.try_get(0)?, recipes });
    }
    Ok(tag::sorted(counts))
}
