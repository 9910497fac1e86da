//! The meal plan.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, MealId};
use crate::plan::{self, Days, Meal, NewMeal, Shopped, ToShop};
use crate::shopping::{ListChange, ListName};
use crate::store::row::{self as stored, MEALS};
use crate::store::{Answer, Plans};

use super::transaction::{Failure, Transaction};
use super::{Postgres, row, shopping, sight};

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
    let row = tx.row(&format!("{MEALS}WHERE m.family_id = $1 AND m.id = $2"), &[&family, &meal.id]).await?;
    Ok(stored::meal(&row.ok_or_else(|| Error::not_found(Thing::Meal, meal.id))?)?)
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
    let rows = tx.rows(&format!("{MEALS}{condition}"), &[&family, &days.first, &days.last]).await?;
    Ok(rows.iter().map(stored::meal).collect::<Result<_, _>>()?)
}

pub(super) async fn of_family(tx: &Transaction<'_>, family: FamilyId) -> Result<Vec<Meal>, Failure> {
    let condition =
        "WHERE m.family_id = $1 AND (m.recipe_id IS NULL OR r.title IS NOT NULL) ORDER BY m.day, m.id";
    let rows = tx.rows(&format!("{MEALS}{condition}"), &[&family]).await?;
    Ok(rows.iter().map(stored::meal).collect::<Result<_, _>>()?)
}
