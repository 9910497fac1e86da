//! What the API says when something cannot be done: one shape for every case.
//!
//! `{"error": {"code", "message", "fields": [{"field", "message"}]}}`, with `existing_id` or `version` where they help.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

use crate::auth::Refused;
use crate::error::Error;
use crate::id::RecipeId;
use crate::recipe::Version;

/// The body of every answer that is not a success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemBody {
    /// What went wrong.
    pub(crate) error: Details,
}

/// What went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProblemDetails")]
pub(crate) struct Details {
    /// A word for programs, e.g. `title_taken`.
    pub(crate) code: String,
    /// A sentence for people.
    pub(crate) message: String,
    /// The fields that do not fit, if it is about fields.
    #[serde(default)]
    pub(crate) fields: Vec<Field>,
    /// The recipe that has the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) existing_id: Option<RecipeId>,
    /// The version the recipe is at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<Version>,
}

/// A field that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProblemField")]
pub(crate) struct Field {
    /// Its name; `ingredients[2].name` for one inside a list.
    pub(crate) field: String,
    /// What is wrong, and what would be right.
    pub(crate) message: String,
}

/// A reason in words: a text, or an error that has them.
pub(crate) struct Words(String);

impl<T: std::fmt::Display> From<T> for Words {
    fn from(reason: T) -> Words {
        Words(reason.to_string())
    }
}

/// An answer that is not a success.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    details: Box<Details>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Problem {
        let details = Details { code: code.to_owned(), message: message.into(), ..Details::default() };
        Problem { status, details: Box::new(details) }
    }

    /// A field does not fit.
    pub(crate) fn field(field: &str, message: impl Into<Words>) -> Problem {
        let Words(message) = message.into();
        let mut problem =
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", format!("`{field}`: {message}"));
        problem.details.fields.push(Field { field: field.to_owned(), message });
        problem
    }

    /// There is no such path.
    pub(crate) fn no_path() -> Problem {
        Problem::new(
            StatusCode::NOT_FOUND,
            "no_path",
            "there is nothing at this path; `/api/openapi.json` lists what there is",
        )
    }

    /// The path does not take this method.
    pub(crate) fn no_method() -> Problem {
        Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "no_method",
            "this path does not take this method; `/api/openapi.json` lists what there is",
        )
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    #[cfg(test)]
    pub(crate) fn message(&self) -> &str {
        &self.details.message
    }

    /// The message without the name of the field it is about, for where that is plain.
    pub(crate) fn reason(&self) -> &str {
        self.details.reason()
    }
}

impl Details {
    /// The field it is about, if it is about one.
    pub(crate) fn about(&self) -> &str {
        self.fields.first().map_or("", |field| &field.field)
    }

    /// See [`Problem::reason`].
    pub(crate) fn reason(&self) -> &str {
        self.fields.first().map_or(&self.message, |field| &field.message)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let message = error.to_string();
        let of = |status, code| Problem::new(status, code, message.clone());
        match error {
            Error::NotFound { .. } => of(StatusCode::NOT_FOUND, "not_found"),
            Error::TitleTaken { existing, .. } => {
                let mut problem = of(StatusCode::CONFLICT, "title_taken");
                problem.details.fields.push(Field { field: "title".to_owned(), message });
                problem.details.existing_id = existing;
                problem
            }
            Error::Stale { current } => {
                let mut problem = of(StatusCode::PRECONDITION_FAILED, "stale");
                problem.details.version = Some(current);
                problem
            }
            Error::Exists { .. } => of(StatusCode::CONFLICT, "exists"),
            Error::KeyReused => of(StatusCode::UNPROCESSABLE_ENTITY, "key_reused"),
            Error::Invalid { field, reason } => Problem::field(field, reason),
            Error::Forbidden { .. } => of(StatusCode::FORBIDDEN, "forbidden"),
            Error::Unavailable { .. } => of(StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Error::Api(_) => of(StatusCode::BAD_GATEWAY, "upstream"),
            Error::Unsupported(_) => of(StatusCode::NOT_IMPLEMENTED, "unsupported"),
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Problem {
        let message = refused.to_string();
        match refused {
            Refused::Key | Refused::Session => {
                Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
            }
            Refused::Person(_) => Problem::new(StatusCode::FORBIDDEN, "person", message),
            Refused::Store(error) => Problem::from(error),
        }
    }
}

impl From<crate::secret::NoRandom> for Problem {
    fn from(error: crate::secret::NoRandom) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", error.to_string())
    }
}

impl IntoResponse for Problem {
    /// As programs read it. The pages make one of their own of what is told beside the body.
    fn into_response(self) -> Response {
        let body = ProblemBody { error: *self.details };
        let json = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (self.status, json).into_response();
        response.extensions_mut().insert(body.error);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey header=\"X-API-Key\""));
        }
        response
    }
}
