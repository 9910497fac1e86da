//! The meal plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::caller::Caller;
use crate::api::input::{At, Json, Pairs};
use crate::api::output;
use crate::api::problem::Problem;
use crate::few::Few;
use crate::id::{MealId, kind};
use crate::plan::{Days, NewMeals};
use crate::site::Book;
use crate::time::Time;

type Answer = Result<Response, Problem>;

/// Meals to be planned.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Wishes {
    /// The meals; all are planned, or none.
    pub(crate) meals: NewMeals,
}

/// Meals to be taken off the plan.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Unwished {
    /// Which; all are taken off, or none.
    pub(crate) meals: Few<MealId, 100>,
}

/// `GET /plan`
pub(super) async fn read(State(book): State<Book>, Caller(scope): Caller, pairs: Pairs) -> Answer {
    let first = pairs.read("from")?.unwrap_or_else(|| Time::now().day());
    let last = pairs.read("to")?.unwrap_or_else(|| first.plus(6));
    let days = Days::new(first, last).map_err(|reason| Problem::field("to", reason))?;
    Ok(output::json(StatusCode::OK, &book.store.plan(&scope, days).await?))
}

/// `POST /plan`
pub(super) async fn add(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(wishes): Json<Wishes>,
) -> Answer {
    let meals = book.store.plan_meals(&scope, Few::into_vec(wishes.meals)).await?;
    Ok(output::json(StatusCode::CREATED, &meals))
}

/// `POST /plan/remove`
pub(super) async fn remove_several(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(unwished): Json<Unwished>,
) -> Answer {
    book.store.unplan_meals(&scope, Few::into_vec(unwished.meals)).await?;
    Ok(output::nothing())
}

/// `DELETE /plan/{id}`
pub(super) async fn remove(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Meal>,
) -> Answer {
    book.store.unplan_meals(&scope, vec![id]).await?;
    Ok(output::nothing())
}
