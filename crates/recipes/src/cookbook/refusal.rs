//! What an answer of the API that is no success means, in the words of the domain.

use fetch::StatusCode;

use crate::api::problem::{Details, ProblemBody};
use crate::error::{Error, Thing};

/// Fields that the API may complain about, by the names that tools know them by.
const FIELDS: &[&str] = &[
    "title",
    "description",
    "prep_time_minutes",
    "cook_time_minutes",
    "servings",
    "difficulty",
    "rating",
    "yield_text",
    "source_url",
    "notes",
    "nutrition",
    "tags",
    "ingredients",
    "steps",
    "expected_version",
    "query",
    "limit",
    "cursor",
    "skip",
    "items",
    "meals",
    "day",
    "days",
    "photo",
    "step",
    "name",
    "from",
    "to",
];

/// The error that an answer stands for; `missing` is what was asked for.
pub(super) fn refused(status: StatusCode, body: &[u8], missing: (Thing, String)) -> Error {
    let Ok(ProblemBody { error }) = serde_json::from_slice(body) else { return unexpected(status, None) };
    match (status.as_u16(), error.code.as_str()) {
        (404, "not_found") => Error::NotFound { what: missing.0, id: missing.1 },
        (409, "title_taken") => Error::TitleTaken { title: title(&error), existing: error.existing_id },
        (412, _) => match error.version {
            Some(current) => Error::Stale { current },
            None => unexpected(status, Some(&error.message)),
        },
        (422, "key_reused") => Error::KeyReused,
        (422, _) => invalid(&error),
        _ => unexpected(status, Some(&error.message)),
    }
}

/// The message has the title between backticks.
fn title(error: &Details) -> String {
    error.message.split('`').nth(1).unwrap_or_default().to_owned()
}

fn invalid(error: &Details) -> Error {
    let given = error.fields.first();
    let name = given.map_or("", |field| field.field.split(['.', '[']).next().unwrap_or_default());
    let field = FIELDS.iter().copied().find(|known| *known == name);
    match (field, given) {
        (Some(field), Some(given)) if given.field == field => Error::invalid(field, &given.message),
        (Some(field), Some(given)) => Error::invalid(field, format!("`{}`: {}", given.field, given.message)),
        _ => Error::Api(format!("the API refused the request: {}", error.message)),
    }
}

fn unexpected(status: StatusCode, message: Option<&str>) -> Error {
    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
    Error::Api(match status.as_u16() {
        401 => format!("API authentication failed (401): set `API_KEY` to a key that the API knows{message}"),
        403 => {
            format!("the API does not allow this (403): check `USER_EMAIL` and what the key opens{message}")
        }
        429 => format!("the API has had too many requests (429): wait and try again{message}"),
        500.. => format!("the API cannot do it now ({status}): try again later{message}"),
        _ => format!(
            "unexpected answer of the API ({status}): check that `API_BASE_URL` is a Recipe Vault{message}"
        ),
    })
}

#[cfg(test)]
mod tests {
    use fetch::StatusCode;

    use super::refused;
    use crate::error::Thing;

    fn said(status: u16, body: &str) -> String {
        let status = StatusCode::from_u16(status).expect("a status");
        refused(status, body.as_bytes(), (Thing::Recipe, "7".to_owned())).to_string()
    }

    #[test]
    fn answers_become_the_errors_they_were() {
        let of =
            |code: &str, more: &str| format!(r#"{{"error":{{"code":"{code}","message":"m `Soup`"{more}}}}}"#);
        assert_eq!(said(404, &of("not_found", "")), "Recipe not found: 7");
        assert!(said(409, &of("title_taken", "")).contains("`Soup` already exists"));
        assert!(said(412, &of("stale", r#","version":3"#)).contains("version 3"));
        let field = r#","fields":[{"field":"servings","message":"too few"}]"#;
        assert_eq!(said(422, &of("invalid", field)), "`servings`: too few");
        assert!(said(401, "").contains("API authentication failed") && said(401, "").contains("API_KEY"));
        assert!(said(503, "<html>").contains("503"));
        assert!(
            said(404, "<html>").contains("API_BASE_URL"),
            "a path that is not there is no missing recipe"
        );
    }
}
