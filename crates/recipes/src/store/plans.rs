//! The meal plan.

use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{FamilyId, MealId};
use crate::plan::{self, Days, Meal, NewMeal, Shopped, ToShop};
use crate::shopping::{ListChange, ListName};

use super::row::{self, MEALS};
use super::sql::{Engine, Failure, How, Sql};
use super::{Answer, recipes, shopping, sight};

/// Keeps what is eaten when, for the scope's home.
pub trait Plans {
    /// Puts meals on the plan, all or none.
    fn plan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<NewMeal>) -> Answer<'a, Vec<Meal>>;

    /// The meals of these days, in order.
    fn plan<'a>(&'a self, scope: &'a Scope, days: Days) -> Answer<'a, Vec<Meal>>;

    /// Puts what the meals of these days need on a shopping list, all of it or nothing, and notes for each meal that it was
    /// done: asked again, nothing is added twice.
    fn shop_for_meals<'a>(
        &'a self,
        scope: &'a Scope,
        days: Days,
        list: ListName,
        which: ToShop,
    ) -> Answer<'a, Shopped>;

    /// Takes meals off the plan, all or none.
    fn unplan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<MealId>) -> Answer<'a, ()>;
}

impl<E: Engine> Plans for E {
    fn plan_meals<'a>(&'a self, scope: &'a Scope, meals: Vec<NewMeal>) -> Answer<'a, Vec<Meal>> {
        self.run(How::Write, scope, meals, |tx, scope, meals| {
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
        self.run(How::Read, scope, days, |tx, scope, days| {
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
        self.run(How::Write, scope, (days, list, which), |tx, scope, (days, list, which)| {
            Box::pin(async move {
                let family = scope.may(Role::Editor)?;
                sight::touch(tx, family).await?;
                let meals = of_days(tx, family, days).await?;
                let (meals, shopped) = plan::to_shop(&meals, which);
                let mut items = Vec::new();
                for meal in meals {
                    let Some(id) = meal.recipe_id else { continue };
                    let recipe = recipes::find(tx, Some(family), id).await?.recipe;
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
        self.run(How::Write, scope, meals, |tx, scope, meals| {
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

async fn add(tx: &Sql<'_>, family: FamilyId, new: NewMeal) -> Result<Meal, Failure> {
    let meal = Meal::planned(new)?;
    if let Some(recipe) = meal.recipe_id {
        // A plan belongs to one family, also for those who reach all.
        sight::family_of(tx, Some(family), recipe).await?;
    }
    put(tx, family, &meal).await?;
    let sql = format!("{MEALS}WHERE m.family_id = $1 AND m.id = $2");
    let kept = tx.one(&sql, &[&family, &meal.id], row::meal).await?;
    Ok(kept.ok_or_else(|| Error::not_found(Thing::Meal, meal.id))?)
}

/// Adds a meal; false if it is there.
pub(super) async fn put(tx: &Sql<'_>, family: FamilyId, meal: &Meal) -> Result<bool, Failure> {
    let Meal { id, day, slot, recipe_id, title: _, text, servings, shopped } = meal;
    let sql = "INSERT INTO meals (family_id, id, day, slot, recipe_id, text, servings, shopped)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    Ok(tx.execute(sql, &[&family, id, day, slot, recipe_id, text, servings, shopped]).await? > 0)
}

async fn of_days(tx: &Sql<'_>, family: FamilyId, days: Days) -> Result<Vec<Meal>, Failure> {
    let condition = "WHERE m.family_id = $1 AND m.day BETWEEN $2 AND $3 ORDER BY m.day, m.slot, m.id";
    tx.all(&format!("{MEALS}{condition}"), &[&family, &days.first, &days.last], row::meal).await
}

pub(super) async fn of_family(tx: &Sql<'_>, family: FamilyId) -> Result<Vec<Meal>, Failure> {
    let condition =
        "WHERE m.family_id = $1 AND (m.recipe_id IS NULL OR r.title IS NOT NULL) ORDER BY m.day, m.id";
    tx.all(&format!("{MEALS}{condition}"), &[&family], row::meal).await
}
