//! Families, their members and roles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::caller::Caller;
use crate::api::input::{At, Json, Named};
use crate::api::output;
use crate::api::problem::Problem;
use crate::auth::{self, sign_in};
use crate::email::Email;
use crate::family::{FamilyChanges, FamilyName, Role};
use crate::id::{FamilyId, kind};
use crate::site::Book;
use crate::time::Day;

type Answer = Result<Response, Problem>;

/// What a family is to be called.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Naming {
    /// Its name.
    pub(crate) name: FamilyName,
}

/// What a member may do.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Part {
    /// The role.
    pub(crate) role: Role,
}

/// `GET /families`
pub(super) async fn list(State(book): State<Book>, Caller(scope): Caller) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.families(&scope).await?))
}

/// `POST /families`
pub(super) async fn create(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(naming): Json<Naming>,
) -> Answer {
    let family = book.store.create_family(&scope, &naming.name).await?;
    Ok(output::json(StatusCode::CREATED, &family))
}

/// `PATCH /families/{id}`
pub(super) async fn update(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Family>,
    Json(changes): Json<FamilyChanges>,
) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.update_family(&scope, id, changes).await?))
}

/// The day it is where the family lives, and what whoever asks may do.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Today {
    /// The day.
    pub(crate) day: Day,
    /// Whether they may change recipes, plans and lists.
    pub(crate) may_write: bool,
}

/// `GET /today`
pub(super) async fn today(State(book): State<Book>, Caller(scope): Caller) -> Answer {
    let day = auth::today(&*book.store, &scope).await?;
    Ok(output::json(StatusCode::OK, &Today { day, may_write: scope.may(Role::Editor).is_ok() }))
}

/// `DELETE /families/{id}`
pub(super) async fn remove(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Family>,
) -> Answer {
    book.store.delete_family(&scope, id).await?;
    Ok(output::nothing())
}

/// `GET /families/{id}/members`
pub(super) async fn members(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Family>,
) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.members(&scope, id).await?))
}

/// `PUT /families/{id}/members/{email}`
pub(super) async fn set_member(
    State(book): State<Book>,
    Caller(scope): Caller,
    named: Named,
    Json(part): Json<Part>,
) -> Answer {
    let (id, email) = (named.get::<FamilyId>("id")?, named.get::<Email>("email")?);
    let member = book.store.set_member(&scope, id, &email, part.role).await?;
    Ok(output::json(StatusCode::OK, &member))
}

/// `DELETE /families/{id}/members/{email}`
pub(super) async fn remove_member(State(book): State<Book>, Caller(scope): Caller, named: Named) -> Answer {
    let (id, email) = (named.get::<FamilyId>("id")?, named.get::<Email>("email")?);
    sign_in::remove_member(&*book.store, &scope, id, &email).await?;
    Ok(output::nothing())
}
