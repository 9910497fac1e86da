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
use crate::auth;
use crate::few::Few;
use crate::id::{MealId, kind};
use crate::plan::{Days, NewMeals, ToShop};
use crate::shopping::{DEFAULT_LIST, ListName};
use crate::site::Book;
use crate::time::Day;

type Answer = Result<Response, Problem>;

/// Meals to be planned.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MealsToPlan {
    /// The meals; all are planned, or none.
    pub(crate) meals: NewMeals,
}

/// Meals to be taken off the plan.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MealsToRemove {
    /// Which; all are taken off, or none.
    pub(crate) meals: Few<MealId, 100>,
}

/// Days whose planned meals are to be shopped for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ToBuy {
    /// The first day.
    pub(crate) from: Day,
    /// The last day.
    pub(crate) to: Day,
    /// The list; `Shopping` unless given.
    #[serde(default)]
    pub(crate) list: Option<ListName>,
    /// Also what was put on a list before.
    #[serde(default)]
    pub(crate) again: bool,
}

/// `POST /plan/shop`
pub(super) async fn shop(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(asked): Json<ToBuy>,
) -> Answer {
    let ToBuy { from, to, list, again } = asked;
    let days = Days::new(from, to).map_err(|reason| Problem::field("to", reason))?;
    let list = list.map_or_else(|| ListName::new(DEFAULT_LIST), Ok);
    let list = list.map_err(|reason| Problem::field("list", reason))?;
    let which = if again { ToShop::All } else { ToShop::New };
    Ok(output::json(StatusCode::OK, &book.store.shop_for_meals(&scope, days, list, which).await?))
}

/// `GET /plan`
pub(super) async fn read(State(book): State<Book>, Caller(scope): Caller, pairs: Pairs) -> Answer {
    let first = match pairs.read("from")? {
        Some(first) => first,
        None => auth::today(&*book.store, &scope).await?,
    };
    let last = pairs.read("to")?.unwrap_or_else(|| first.plus(6));
    let days = Days::new(first, last).map_err(|reason| Problem::field("to", reason))?;
    Ok(output::json(StatusCode::OK, &book.store.plan(&scope, days).await?))
}

/// `POST /plan`
pub(super) async fn add(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(asked): Json<MealsToPlan>,
) -> Answer {
    let meals = book.store.plan_meals(&scope, Few::into_vec(asked.meals)).await?;
    Ok(output::json(StatusCode::CREATED, &meals))
}

/// `POST /plan/remove`
pub(super) async fn remove_several(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(asked): Json<MealsToRemove>,
) -> Answer {
    book.store.unplan_meals(&scope, Few::into_vec(asked.meals)).await?;
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
