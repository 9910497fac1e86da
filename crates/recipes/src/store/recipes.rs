//! Recipes: making, reading, changing, finding.

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
use crate::tag::{Tag, TagCount};
use crate::time::Time;
use crate::title::{Key, Title};

use super::edit::{self, Parts};
use super::row::{self, Found, INGREDIENTS, RECIPES, STEPS};
use super::sight::Families;
use super::sql::{Engine, Failure, How, Sql, Values};
use super::{Answer, cards, list, search, sight, write};

/// How long a key of a repeated write is remembered, in days.
const REMEMBERED_DAYS: i64 = 1;

/// Keeps recipes.
pub trait Recipes {
    /// Makes a recipe in the scope's home. With a key that was used before, gives what was made then.
    fn create_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        draft: Draft,
        once: Option<OnceKey>,
    ) -> Answer<'a, Recipe>;

    /// A recipe with its details.
    fn recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe>;

    /// Changes a recipe, and gives it as it is then.
    fn update_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId, changes: Changes) -> Answer<'a, Recipe>;

    /// Puts a recipe into the trash, if it still has the version that is expected. Its title is free at once.
    fn delete_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        expected: Option<Version>,
    ) -> Answer<'a, ()>;

    /// What is in the trash, last deleted first.
    fn trash<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Trashed>>;

    /// Takes a recipe out of the trash.
    fn undelete_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe>;

    /// Removes for good what went into the trash before this time, and says how many those were.
    fn empty_trash<'a>(&'a self, scope: &'a Scope, before: Time) -> Answer<'a, u64>;

    /// Recipes in the order of their titles, as JSON.
    fn list_recipes<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing>;

    /// What [`Listing::revision`] would be now.
    fn revision<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Revision>;

    /// Recipes by words.
    fn search_recipes<'a>(&'a self, scope: &'a Scope, query: SearchQuery) -> Answer<'a, Hits>;

    /// For each of these titles, the recipe of the scope's home that has it.
    fn titled<'a>(&'a self, scope: &'a Scope, titles: Vec<Title>) -> Answer<'a, Vec<Option<RecipeId>>>;

    /// Every tag in use, in alphabetical order.
    fn tags<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<TagCount>>;

    /// Puts tags on a recipe and takes others off.
    fn tag_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        add: Vec<Tag>,
        remove: Vec<Tag>,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe>;

    /// Notes that a recipe was cooked, if it still has the version that is expected.
    fn mark_cooked<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        at: Time,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe>;

    /// What the list page shows, all of it at once.
    fn cards<'a>(&'a self, scope: &'a Scope, query: CardQuery) -> Answer<'a, Cards>;

    /// Whether the person of this scope likes a recipe best.
    fn is_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, bool>;

    /// Notes whether the person of this scope likes a recipe best.
    fn set_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId, is_favourite: bool) -> Answer<'a, ()>;
}

impl<E: Engine> Recipes for E {
    fn create_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        draft: Draft,
        once: Option<OnceKey>,
    ) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (draft, once), |tx, scope, (draft, once)| {
            Box::pin(create(tx, scope, draft, once))
        })
    }

    fn recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        self.run(How::Read, scope, id, |tx, scope, id| {
            Box::pin(async move { Ok(find(tx, sight::of_recipe(scope, id)?, id).await?.recipe) })
        })
    }

    fn update_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId, changes: Changes) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (id, changes), |tx, scope, (id, changes)| {
            Box::pin(async move {
                if changes.is_empty() {
                    let recipe = find(tx, sight::of_recipe(scope, id)?, id).await?.recipe;
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
        self.run(How::Write, scope, (id, expected), |tx, scope, (id, expected)| {
            Box::pin(async move {
                let family = sight::to_change(tx, scope, id).await?;
                let found = find(tx, Some(family), id).await?;
                edit::is_current(&found.recipe, expected)?;
                let sql = "UPDATE recipes SET deleted_at = $2 WHERE seq = $1";
                tx.execute(sql, &[&found.seq, &Time::now()]).await?;
                search::forget(tx, found.seq).await?;
                let sql = "DELETE FROM recipes WHERE family_id = $1 AND deleted_at < $2";
                tx.execute(sql, &[&family, &edit::end_of_trash()]).await?;
                Ok(())
            })
        })
    }

    fn trash<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<Trashed>> {
        self.run(How::Read, scope, (), |tx, scope, ()| Box::pin(cards::trash(tx, scope)))
    }

    fn undelete_recipe<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, id, |tx, scope, id| Box::pin(undelete(tx, scope, id)))
    }

    fn empty_trash<'a>(&'a self, scope: &'a Scope, before: Time) -> Answer<'a, u64> {
        self.run(How::Write, scope, before, |tx, scope, before| {
            Box::pin(async move {
                let Some(families) = sight::of_lists(scope) else { return Ok(0) };
                scope.may(Role::Editor)?;
                let sql = "DELETE FROM recipes WHERE deleted_at < $2 AND (family_id = $1 OR $1 IS NULL)";
                tx.execute(sql, &[&families, &before]).await
            })
        })
    }

    fn list_recipes<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, Listing> {
        list::list(self, scope, query)
    }

    fn revision<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Revision> {
        self.run(How::Read, scope, (), |tx, scope, ()| {
            Box::pin(async move {
                let Some(families) = sight::of_lists(scope) else { return Ok(Revision(0)) };
                sight::revision(tx, families).await.map(Revision)
            })
        })
    }

    fn search_recipes<'a>(&'a self, scope: &'a Scope, query: SearchQuery) -> Answer<'a, Hits> {
        self.run(How::ReadLong, scope, query, |tx, scope, query| Box::pin(search::search(tx, scope, query)))
    }

    fn titled<'a>(&'a self, scope: &'a Scope, titles: Vec<Title>) -> Answer<'a, Vec<Option<RecipeId>>> {
        let keys: Vec<String> =
            titles.iter().map(|title| Key::of(title.as_str()).as_str().to_owned()).collect();
        self.run(How::ReadLong, scope, keys, |tx, scope, keys| {
            Box::pin(async move {
                let sql = tx.either(
                    "SELECT title_key, id FROM recipes WHERE family_id = $1 AND deleted_at IS NULL
                         AND title_key IN (SELECT value FROM json_each($2))",
                    "SELECT title_key, id FROM recipes WHERE family_id = $1 AND deleted_at IS NULL
                         AND title_key IN (SELECT json_array_elements_text($2::text::json))",
                );
                let found = tx
                    .all(sql, &[&scope.home(), &edit::json(&keys)], |row| Ok((row.get(0)?, row.get(1)?)))
                    .await?;
                let found: HashMap<String, RecipeId> = found.into_iter().collect();
                Ok(keys.iter().map(|key| found.get(key).copied()).collect())
            })
        })
    }

    fn tags<'a>(&'a self, scope: &'a Scope) -> Answer<'a, Vec<TagCount>> {
        self.run(How::ReadLong, scope, (), |tx, scope, ()| {
            Box::pin(async move {
                let Some(families) = sight::of_lists(scope) else { return Ok(Vec::new()) };
                Ok(cards::counts(tx, families).await?.1)
            })
        })
    }

    fn tag_recipe<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        add: Vec<Tag>,
        remove: Vec<Tag>,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (id, add, remove, expected), |tx, scope, (id, add, remove, expected)| {
            Box::pin(change(tx, scope, id, move |recipe| {
                edit::is_current(recipe, expected)?;
                edit::retag(recipe, &add, &remove)
            }))
        })
    }

    fn mark_cooked<'a>(
        &'a self,
        scope: &'a Scope,
        id: RecipeId,
        at: Time,
        expected: Option<Version>,
    ) -> Answer<'a, Recipe> {
        self.run(How::Write, scope, (id, at, expected), |tx, scope, (id, at, expected)| {
            Box::pin(change(tx, scope, id, move |recipe| {
                edit::is_current(recipe, expected)?;
                edit::cooked(recipe, at);
                Ok(Parts::NONE)
            }))
        })
    }

    fn cards<'a>(&'a self, scope: &'a Scope, query: CardQuery) -> Answer<'a, Cards> {
        self.run(How::ReadLong, scope, query, |tx, scope, query| Box::pin(cards::cards(tx, scope, query)))
    }

    fn is_favourite<'a>(&'a self, scope: &'a Scope, id: RecipeId) -> Answer<'a, bool> {
        self.run(How::Read, scope, id, |tx, scope, id| {
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
        self.run(How::Write, scope, (id, is_favourite), |tx, scope, (id, is_favourite)| {
            Box::pin(async move {
                let family = sight::seen(tx, scope, id).await?;
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

async fn create(tx: &Sql<'_>, scope: &Scope, draft: Draft, once: Option<OnceKey>) -> Result<Recipe, Failure> {
    let family = scope.may(Role::Editor)?;
    sight::touch(tx, family).await?;
    if let Some(once) = &once
        && let Some(earlier) = made_before(tx, family, once, &draft).await?
    {
        return Ok(find(tx, Some(family), earlier).await?.recipe);
    }
    let request = draft.fingerprint();
    let recipe = edit::new_recipe(scope, draft)?;
    write::insert(tx, family, &recipe).await?;
    if let Some(once) = once {
        let sql = "INSERT INTO once_keys (family_id, key, recipe_id, created_at, request) VALUES ($1, $2, $3, $4, $5)";
        tx.execute(sql, &[&family, &once.as_str(), &recipe.id, &recipe.created_at, &request]).await?;
    }
    Ok(recipe)
}

/// The recipe that was made with this key, lately. The same key with another recipe is a mistake of whoever sends it.
async fn made_before(
    tx: &Sql<'_>,
    family: FamilyId,
    once: &OnceKey,
    draft: &Draft,
) -> Result<Option<RecipeId>, Failure> {
    let forget = Time::now().plus_days(-REMEMBERED_DAYS);
    let old = "DELETE FROM once_keys WHERE family_id = $1 AND created_at < $2";
    tx.execute(old, &[&family, &forget]).await?;
    let sql = "SELECT recipe_id, request FROM once_keys WHERE family_id = $1 AND key = $2";
    let Some(row) = tx.row(sql, &[&family, &once.as_str()]).await? else { return Ok(None) };
    let request: Option<Vec<u8>> = row.get(1)?;
    if request.is_some_and(|request| request != draft.fingerprint()) {
        return Err(Error::KeyReused.into());
    }
    Ok(Some(row.get(0)?))
}

/// The recipe of this id in one of these families, with its details.
pub(super) async fn find(tx: &Sql<'_>, families: Families, id: RecipeId) -> Result<Found, Failure> {
    let sql = format!("{RECIPES}WHERE id = $2 AND (family_id = $1 OR $1 IS NULL) AND deleted_at IS NULL");
    let found = tx.one(&sql, &[&families, &id], row::recipe).await?;
    let mut found = found.ok_or_else(|| Error::not_found(Thing::Recipe, id))?;
    details(tx, &mut found).await?;
    Ok(found)
}

/// Reads what belongs to a recipe.
pub(super) async fn details(tx: &Sql<'_>, found: &mut Found) -> Result<(), Failure> {
    let key: Values<'_> = &[&found.family, &found.recipe.id];
    let ingredients = tx.all(INGREDIENTS, key, row::ingredient).await?;
    let steps = tx.all(STEPS, key, row::step).await?;
    (found.recipe.ingredients, found.recipe.steps) = (ingredients, steps);
    Ok(())
}

/// Changes a recipe that this scope may change: one version more, and who did it.
pub(super) async fn change(
    tx: &Sql<'_>,
    scope: &Scope,
    id: RecipeId,
    change: impl FnOnce(&mut Recipe) -> Result<Parts, Error>,
) -> Result<Recipe, Failure> {
    let family = sight::to_change(tx, scope, id).await?;
    change_in(tx, (scope, family), id, change).await
}

/// As [`change`], for a family whose row is taken.
pub(super) async fn change_in(
    tx: &Sql<'_>,
    (scope, family): (&Scope, FamilyId),
    id: RecipeId,
    change: impl FnOnce(&mut Recipe) -> Result<Parts, Error>,
) -> Result<Recipe, Failure> {
    let mut found = find(tx, Some(family), id).await?;
    let parts = change(&mut found.recipe)?;
    edit::sign(&mut found.recipe, scope);
    write::replace(tx, &found, parts).await?;
    Ok(found.recipe)
}

async fn undelete(tx: &Sql<'_>, scope: &Scope, id: RecipeId) -> Result<Recipe, Failure> {
    let missing = || Error::not_found(Thing::Recipe, id);
    let families = sight::of_owned(scope).ok_or_else(missing)?;
    let sql = "SELECT family_id FROM recipes
               WHERE id = $2 AND (family_id = $1 OR $1 IS NULL) AND deleted_at IS NOT NULL";
    let family: FamilyId = tx.one(sql, &[&families, &id], |row| row.get(0)).await?.ok_or_else(missing)?;
    scope.may(Role::Editor)?;
    sight::touch(tx, family).await?;
    // The family's row is ours: the title that is free stays free, and nobody else brings the recipe back.
    let sql = "SELECT r.title, o.id FROM recipes r LEFT JOIN recipes o
                   ON o.family_id = r.family_id AND o.title_key = r.title_key AND o.deleted_at IS NULL AND o.id <> r.id
               WHERE r.family_id = $1 AND r.id = $2 AND r.deleted_at IS NOT NULL";
    let row = tx.row(sql, &[&family, &id]).await?.ok_or_else(missing)?;
    if let Some(existing) = row.get(1)? {
        return Err(Error::TitleTaken { title: row.get(0)?, existing: Some(existing) }.into());
    }
    let sql = "UPDATE recipes SET deleted_at = NULL WHERE family_id = $1 AND id = $2";
    tx.execute(sql, &[&family, &id]).await?;
    let found = find(tx, Some(family), id).await?;
    search::index(tx, &found).await?;
    Ok(found.recipe)
}
