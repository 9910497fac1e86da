//! The meal plan.

use rusqlite::{Connection, params};

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, MealId};
use crate::plan::{self, Days, Meal, NewMeal, Shopped, ToShop};
use crate::shopping::{ListChange, ListName};
use crate::store::row::{self as stored, MEALS};
use crate::store::{Answer, Plans};

use super::{Sqlite, row, shopping, sight};

impl Plans for Sqlite {
    fn plan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<NewMeal>) -> Answer<'a, Vec<Meal>> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = scope.may(Role::Editor)?;
            let meals = meals.into_iter().map(|meal| add(connection, family, meal));
            let meals = meals.collect::<Result<Vec<Meal>, Error>>()?;
            sight::touch(connection, family)?;
            Ok(meals)
        })
    }

    fn plan<'a>(&'a self, scope: &'a Scope, days: Days) -> Answer<'a, Vec<Meal>> {
        self.read(move |connection| {
            let Some(family) = scope.home() else { return Ok(Vec::new()) };
            of_days(connection, family, days)
        })
    }

    fn shop_for_meals<'a>(
        &'a self,
        scope: &'a Scope,
        days: Days,
        list: ListName,
        which: ToShop,
    ) -> Answer<'a, Shopped> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = scope.may(Role::Editor)?;
            let meals = of_days(connection, family, days)?;
            let (meals, shopped) = plan::to_shop(&meals, which);
            let mut items = Vec::new();
            for meal in meals {
                let Some(id) = meal.recipe_id else { continue };
                let recipe = row::recipe(connection, Some(family), id)?.recipe;
                items.extend(plan::needed(recipe, meal.servings));
                let sql = "UPDATE meals SET shopped = 1 WHERE family_id = ?1 AND id = ?2";
                connection.prepare_cached(sql)?.execute(params![family, meal.id])?;
            }
            if !items.is_empty() {
                shopping::change(connection, family, &list, ListChange::Add(items))?;
            }
            sight::touch(connection, family)?;
            Ok(shopped)
        })
    }

    fn unplan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<MealId>) -> Answer<'a, ()> {
        let scope = scope.clone();
        self.write(move |connection| {
            let family = scope.may(Role::Editor)?;
            let mut statement =
                connection.prepare_cached("DELETE FROM meals WHERE family_id = ?1 AND id = ?2")?;
            for id in meals {
                if statement.execute(params![family, id])? == 0 {
                    return Err(Error::not_found(Thing::Meal, id));
                }
            }
            sight::touch(connection, family)
        })
    }
}

fn add(connection: &Connection, family: FamilyId, new: NewMeal) -> Result<Meal, Error> {
    let meal = Meal::planned(new)?;
    if let Some(recipe) = meal.recipe_id {
        // A plan belongs to one family, also for those who reach all.
        sight::family_of(connection, Some(family), recipe)?;
    }
    put(connection, family, &meal)?;
    let mut statement = connection.prepare_cached(&format!("{MEALS}WHERE m.family_id = ?1 AND m.id = ?2"))?;
    Ok(statement.query_row(params![family, meal.id], |row| stored::meal(row))?)
}

/// Adds a meal; false if it is there.
pub(super) fn put(connection: &Connection, family: FamilyId, meal: &Meal) -> Result<bool, Error> {
    let Meal { id, day, slot, recipe_id, title: _, text, servings, shopped } = meal;
    let sql = "INSERT OR IGNORE INTO meals (family_id, id, day, slot, recipe_id, text, servings, shopped)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.execute(params![family, id, day, slot, recipe_id, text, servings, shopped])? > 0)
}

fn of_days(connection: &Connection, family: FamilyId, days: Days) -> Result<Vec<Meal>, Error> {
    let condition = "WHERE m.family_id = ?1 AND m.day BETWEEN ?2 AND ?3 ORDER BY m.day, m.slot, m.id";
    let mut statement = connection.prepare_cached(&format!("{MEALS}{condition}"))?;
    let meals = statement.query_map(params![family, days.first, days.last], |row| stored::meal(row))?;
    Ok(meals.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn of_family(connection: &Connection, family: FamilyId) -> Result<Vec<Meal>, Error> {
    let condition =
        "WHERE m.family_id = ?1 AND (m.recipe_id IS NULL OR r.title IS NOT NULL) ORDER BY m.day, m.id";
    let mut statement = connection.prepare_cached(&format!("{MEALS}{condition}"))?;
    let meals = statement.query_map(params![family], |row| stored::meal(row))?;
    Ok(meals.collect::<rusqlite::Result<_>>()?)
}
