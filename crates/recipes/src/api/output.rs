//! What goes out: JSON with the headers each kind of answer has.

use serde::Serialize;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION, VARY, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderMap, HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

use crate::recipe::{Recipe, Version};

/// An answer with a JSON body.
pub(crate) fn json<T: Serialize>(status: StatusCode, value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => json_text(status, body),
        // Our own types have string keys and no failing parts.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// An answer whose JSON is there already.
pub(crate) fn json_text(status: StatusCode, body: impl Into<web::axum::body::Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The entity tag of a recipe: its version.
pub(crate) fn version_tag(Version(number): Version) -> String {
    format!("\"{number}\"")
}

/// A recipe, with its version as entity tag.
pub(crate) fn recipe(status: StatusCode, recipe: &Recipe, base: &str) -> Response {
    let mut response = json(status, recipe);
    put(response.headers_mut(), ETAG.as_str(), &version_tag(recipe.version));
    if status == StatusCode::CREATED {
        put(response.headers_mut(), LOCATION.as_str(), &format!("{base}/api/recipes/{}", recipe.id));
    }
    response
}

/// An empty answer.
pub(crate) fn nothing() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// The answer to somebody who has it already.
pub(crate) fn unchanged(tag: &str) -> Response {
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    tagged(response.headers_mut(), tag);
    response
}

/// An entity tag that depends on who asks.
pub(crate) fn tagged(headers: &mut HeaderMap, tag: &str) {
    put(headers, ETAG.as_str(), tag);
    headers.insert(
        VARY,
        HeaderValue::from_static("X-API-Key, X-User-Email, X-Family-Id, Authorization, Cookie"),
    );
}

/// Sets a header; a value that cannot be one is left out.
pub(crate) fn put(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Whether one of the entity tags of an `If-None-Match` is this one.
pub(crate) fn has_tag(list: &str, tag: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.split(',').any(|one| one.trim() == "*" || bare(one) == bare(tag))
}

/// The version that an `If-Match` names; `Ok(None)` if any will do.
pub(crate) fn expected(tag: &str) -> Result<Option<Version>, NoVersion> {
    let tag = tag.trim();
    if tag == "*" {
        return Ok(None);
    }
    let number = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag);
    number.parse().map(|number| Some(Version(number))).map_err(|_| NoVersion)
}

/// An `If-Match` that is no version.
#[derive(Debug, thiserror::Error)]
#[error("expected the ETag of a recipe, such as `\"3\"`, or `*`")]
pub(crate) struct NoVersion;

#[cfg(test)]
mod tests {
    use super::{expected, has_tag};
    use crate::recipe::Version;

    #[test]
    fn entity_tags_are_compared_as_http_says() {
        assert!(has_tag("\"a\", W/\"b\"", "\"b\""));
        assert!(has_tag("*", "\"b\""));
        assert!(!has_tag("\"a\"", "\"b\""));
        assert_eq!(expected("\"3\"").ok(), Some(Some(Version(3))));
        assert_eq!(expected("*").ok(), Some(None));
        assert!(expected("\"x\"").is_err() && expected("W/\"3\"").is_err());
    }
}
