//! The meal plan.

use tokio_postgres::Row;

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, MealId};
use crate::plan::{self, Days, Meal, NewMeal, Shopped, ToShop};
use crate::shopping::{ListChange, ListName};
use crate::store::{Answer, Plans};

use super::transaction::{Failure, Transaction};
use super::{Postgres, row, shopping, sight};

const SELECT: &str =
    "SELECT m.id, m.day, m.slot, m.recipe_id, r.title, m.text, m.servings, m.shopped FROM meals m
     LEFT JOIN recipes r ON r.family_id = m.family_id AND r.id = m.recipe_id AND r.deleted_at IS NULL ";

impl Plans for Postgres {
    fn plan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<NewMeal>) -> Answer<'a, Vec<Meal>> {
        self.write(scope, move |tx| {
            let meals = meals.clone();
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                let mut planned = Vec::with_capacity(meals.len());
                for meal in meals {
                    planned.push(add(tx, family, meal).await?);
                }
                Ok(planned)
            })
        })
    }

    fn plan<'a>(&'a self, scope: &'a Scope, days: Days) -> Answer<'a, Vec<Meal>> {
        self.read(scope, move |tx| {
            Box::pin(async move {
                let Some(family) = scope.home() else { return Ok(Vec::new()) };
                of_days(tx, family, days).await
            })
        })
    }

    fn shop_for_meals<'a>(
        &'a self,
        scope: &'a Scope,
        days: Days,
        list: ListName,
        which: ToShop,
    ) -> Answer<'a, Shopped> {
        self.write(scope, move |tx| {
            let list = list.clone();
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                let meals = of_days(tx, family, days).await?;
                let (meals, shopped) = plan::to_shop(&meals, which);
                let mut items = Vec::new();
                for meal in meals {
                    let Some(id) = meal.recipe_id else { continue };
                    let recipe = row::recipe(tx, Some(family), id).await?.recipe;
                    items.extend(plan::needed(recipe, meal.servings));
                    let sql = "UPDATE meals SET shopped = true WHERE family_id = $1 AND id = $2";
                    tx.execute(sql, &[&family, &meal.id]).await?;
                }
                if !items.is_empty() {
                    shopping::change(tx, family, &list, ListChange::Add(items)).await?;
                }
                Ok(shopped)
            })
        })
    }

    fn unplan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<MealId>) -> Answer<'a, ()> {
        self.write(scope, move |tx| {
            let meals = meals.clone();
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                for id in meals {
                    let sql = "DELETE FROM meals WHERE family_id = $1 AND id = $2";
                    if tx.execute(sql, &[&family, &id]).await? == 0 {
                        return Err(Error::not_found(Thing::Meal, id).into());
                    }
                }
                Ok(())
            })
        })
    }
}

async fn add(tx: &Transaction<'_>, family: FamilyId, new: NewMeal) -> Result<Meal, Failure> {
    let meal = Meal::planned(new)?;
    if let Some(recipe) = meal.recipe_id {
        // A plan belongs to one family, also for those who reach all.
        sight::family_of(tx, Some(family), recipe).await?;
    }
    put(tx, family, &meal).await?;
    let row = tx.row(&format!("{SELECT}WHERE m.family_id = $1 AND m.id = $2"), &[&family, &meal.id]).await?;
    read(&row.ok_or_else(|| Error::not_found(Thing::Meal, meal.id))?)
}

/// Adds a meal; false if it is there.
pub(super) async fn put(tx: &Transaction<'_>, family: FamilyId, meal: &Meal) -> Result<bool, Failure> {
    let Meal { id, day, slot, recipe_id, title: _, text, servings, shopped } = meal;
    let sql = "INSERT INTO meals (family_id, id, day, slot, recipe_id, text, servings, shopped)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    Ok(tx.execute(sql, &[&family, id, day, slot, recipe_id, text, servings, shopped]).await? > 0)
}

async fn of_days(tx: &Transaction<'_>, family: FamilyId, days: Days) -> Result<Vec<Meal>, Failure> {
    let condition = "WHERE m.family_id = $1 AND m.day BETWEEN $2 AND $3 ORDER BY m.day, m.slot, m.id";
    let rows = tx.rows(&format!("{SELECT}{condition}"), &[&family, &days.first, &days.last]).await?;
    rows.iter().map(read).collect()
}

pub(super) async fn of_family(tx: &Transaction<'_>, family: FamilyId) -> Result<Vec<Meal>, Failure> {
    let condition =
        "WHERE m.family_id = $1 AND (m.recipe_id IS NULL OR r.title IS NOT NULL) ORDER BY m.day, m.id";
    tx.rows(&format!("{SELECT}{condition}"), &[&family]).await?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Meal, Failure> {
    Ok(Meal {
        id: row.try_get(0)?,
        day: row.try_get(1)?,
        slot: row.try_get(2)?,
        recipe_id: row.try_get(3)?,
        title: row.try_get(4)?,
        text: row.try_get(5)?,
        servings: row.try_get(6)?,
        shopped: row.try_get(7)?,
    })
}
