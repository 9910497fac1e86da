//! Errors as the pages get them.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

use super::DesktopError;
use crate::document::EditError;
use crate::error::Error;

/// What went wrong, in words for the person.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    message: String,
}

pub(crate) type Answer = Result<Response, Failure>;

impl Failure {
    pub(crate) fn bad(message: impl Into<String>) -> Failure {
        Failure { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::NotFound { .. } | Error::Deleted => StatusCode::NOT_FOUND,
            Error::Edit(EditError::Stale { .. }) => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        // Those messages name tools, which are for agents.
        let message = match error {
            Error::NotFound { .. } | Error::Deleted => "this screenshot is gone".to_owned(),
            other => other.to_string(),
        };
        Failure { status, message }
    }
}

impl From<DesktopError> for Failure {
    fn from(error: DesktopError) -> Failure {
        Failure { status: StatusCode::UNPROCESSABLE_ENTITY, message: error.to_string() }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = json(&json!({ "error": self.message }));
        *response.status_mut() = self.status;
        response
    }
}

/// A value as an answer.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => typed("application/json", Bytes::from(bytes)),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Bytes of a kind as an answer. Nothing of it is kept anywhere: what is redacted must not come back from a cache.
pub(crate) fn typed(kind: &'static str, bytes: Bytes) -> Response {
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Reads what a page sent.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(bytes).map_err(|error| Failure::bad(error.to_string()))
}
