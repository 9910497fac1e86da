//! What comes in: ids in paths, pairs in queries and forms, JSON in bodies. What does not fit is a [`Problem`] that names
//! the field.

use std::fmt::Display;
use std::str::FromStr;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use web::axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use web::axum::http::header::CONTENT_TYPE;
use web::axum::http::request::Parts;
use web::axum::http::{HeaderMap, StatusCode};

use crate::api::problem::Problem;
use crate::id::Id;
use crate::number::Whole;

/// The most bytes a JSON body may have: a recipe with every field at its limit is shorter.
const MOST_JSON: usize = 8 * 1024 * 1024;

/// The parts of the path that have a name.
pub(crate) struct Named(Vec<(String, String)>);

impl Named {
    /// One of them, read as what it is.
    pub(crate) fn get<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, Problem> {
        let text = self.0.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.as_str());
        text.parse().map_err(|reason| Problem::field(name, reason))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Named, Problem> {
        let Path(named) = Path::from_request_parts(parts, state).await.map_err(|_| {
            Problem::field("path", "the path is not UTF-8 with percent signs where it needs them")
        })?;
        Ok(Named(named))
    }
}

/// The id in a path such as `/recipes/{id}`.
pub(crate) struct At<K>(pub(crate) Id<K>);

impl<S: Send + Sync, K> FromRequestParts<S> for At<K> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<At<K>, Problem> {
        Named::from_request_parts(parts, state).await?.get("id").map(At)
    }
}

/// Names and values of a query or a form, in order. Names may come more than once.
#[derive(Debug, Default, Clone)]
pub(crate) struct Pairs(pub(crate) Vec<(String, String)>);

impl Pairs {
    /// The first value of a name, unless it is empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
        found.filter(|text| !text.trim().is_empty())
    }

    /// Every value of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// The value of a name, read as what it is.
    pub(crate) fn read<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, Problem> {
        let read = |text: &str| text.trim().parse().map_err(|reason| Problem::field(name, reason));
        self.text(name).map(read).transpose()
    }

    /// The value of a name, as a number within its bounds.
    pub(crate) fn whole<const MIN: i64, const MAX: i64>(
        &self,
        name: &str,
    ) -> Result<Option<Whole<MIN, MAX>>, Problem> {
        let read = |text: &str| {
            let number = text.trim().parse::<i64>();
            let number = number.map_err(|_| {
                Problem::field(name, format!("expected a whole number in the range {MIN}-{MAX}"))
            })?;
            Whole::new(number).map_err(|reason| Problem::field(name, reason))
        };
        self.text(name).map(read).transpose()
    }

    /// Whether the name is there at all, as a ticked box is.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Pairs {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Pairs, Problem> {
        let query = Query::from_request_parts(parts, state).await;
        let Query(pairs) = query
            .map_err(|_| Problem::field("query", "the part after `?` is not made of names and values"))?;
        Ok(Pairs(pairs))
    }
}

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Json<T>, Problem> {
        is_json(request.headers())?;
        let body = whole(request, MOST_JSON).await?;
        read_json(&body).map(Json)
    }
}

/// A JSON body that may be missing, and is then the default.
pub(crate) struct JsonOrNothing<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for JsonOrNothing<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<JsonOrNothing<T>, Problem> {
        let is_json = is_json(request.headers());
        let body = whole(request, MOST_JSON).await?;
        if body.is_empty() {
            return Ok(JsonOrNothing(T::default()));
        }
        is_json?;
        read_json(&body).map(JsonOrNothing)
    }
}

fn is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("application/json");
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "application/json" || kind.ends_with("+json") {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "media_type",
        format!("expected a body of type `application/json`, got: {kind}"),
    ))
}

/// The whole body, if it is not too long.
pub(crate) async fn whole(request: Request, most: usize) -> Result<Bytes, Problem> {
    web::axum::body::to_bytes(request.into_body(), most).await.map_err(|_| {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            format!("the body broke off, or has more than {most} bytes; send less"),
        )
    })
}

/// Reads JSON; an error names the field.
pub(crate) fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_syntax() || inner.is_eof() {
            return Problem::new(
                StatusCode::BAD_REQUEST,
                "bad_json",
                format!("the body is not JSON: {inner}"),
            );
        }
        let reason = without_place(&inner.to_string()).to_owned();
        let missing = reason.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        match (path.as_str(), missing) {
            (".", Some(name)) => Problem::field(name, format!("missing field `{name}`")),
            (".", None) => Problem::field("body", reason),
            (path, Some(name)) => {
                Problem::field(&format!("{path}.{name}"), format!("missing field `{name}`"))
            }
            (path, None) => Problem::field(path, reason),
        }
    })?;
    reader.end().map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, "bad_json", format!("the body is not JSON: {error}"))
    })?;
    Ok(value)
}

/// Serde's words without `at line 1 column 7`: the field says where.
fn without_place(reason: &str) -> &str {
    reason.rfind(" at line ").and_then(|at| reason.get(..at)).unwrap_or(reason)
}

#[cfg(test)]
mod tests {
    use super::read_json;
    use crate::draft::Draft;

    fn refused(body: &str) -> (u16, String) {
        let problem = read_json::<Draft>(body.as_bytes()).expect_err("refused");
        (problem.status().as_u16(), problem.message().to_owned())
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (body, expected) in [
            ("{}", "`title`: missing field `title`"),
            (
                r#"{"title":"a","servings":-5}"#,
                "`servings`: invalid value: integer `-5`, expected a whole number in the range 1-1000",
            ),
            (
                r#"{"title":"a","ingredients":[{"name":"x"},{}]}"#,
                "`ingredients[1].name`: missing field `name`",
            ),
            (r#"{"title":""}"#, "`title`: expected 1 to 200 characters, got 0"),
            ("[]", "`title`: missing field `title`"),
        ] {
            let (status, message) = refused(body);
            assert_eq!(status, 422, "{body}");
            assert!(message.starts_with(expected) || body == "[]", "{body}: {message}");
        }
        assert_eq!(refused("{").0, 400);
        assert_eq!(refused(r#"{"title":"a"} x"#).0, 400);
    }
}
