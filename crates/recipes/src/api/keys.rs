//! API keys: shown once, kept as a hash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::caller::Caller;
use crate::api::input::{At, Json};
use crate::api::output;
use crate::api::problem::Problem;
use crate::auth::{self, Scope};
use crate::id::kind;
use crate::key::{ApiKey, KeyText, NewKey, Opens};
use crate::number::Whole;
use crate::site::Book;
use crate::text::Text;
use crate::time::Time;

type Answer = Result<Response, Problem>;

/// What is asked of a key.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WantedKey {
    /// What it is for.
    #[serde(default)]
    pub(crate) label: Option<Text<0, 100>>,
    /// What it opens.
    pub(crate) opens: Opens,
    /// After how many days it stops working; never, unless given.
    #[serde(default)]
    pub(crate) days: Option<Whole<1, 3_650>>,
}

/// A key that was made.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MadeKey {
    /// Its text, to be sent as `X-API-Key`. It is shown this once.
    pub(crate) key: String,
    /// The key, as lists show it.
    #[serde(flatten)]
    pub(crate) known: ApiKey,
}

/// `GET /keys`
pub(super) async fn list(State(book): State<Book>, Caller(scope): Caller) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.keys(&scope).await?))
}

/// `POST /keys`
pub(super) async fn create(
    State(book): State<Book>,
    Caller(scope): Caller,
    Json(wanted): Json<WantedKey>,
) -> Answer {
    Ok(output::json(StatusCode::CREATED, &make(&book, &scope, wanted).await?))
}

/// Makes a key.
pub(crate) async fn make(book: &Book, scope: &Scope, wanted: WantedKey) -> Result<MadeKey, Problem> {
    if let Opens::Family { family_id, .. } = wanted.opens {
        // A family that is not in reach does not exist, for a key that opens every family, too.
        auth::within(&*book.store, scope, family_id).await?;
    }
    let text = KeyText::new()?;
    let key = NewKey {
        id: text.id,
        hash: text.secret.hash(),
        label: wanted.label.unwrap_or_else(|| Text::stored(String::new())),
        opens: wanted.opens,
        expires_at: wanted.days.map(|days| Time::now().plus_days(days.get())),
    };
    let known = book.store.create_key(scope, key).await?;
    Ok(MadeKey { key: text.reveal(), known })
}

/// `DELETE /keys/{id}`
pub(super) async fn revoke(State(book): State<Book>, Caller(scope): Caller, At(id): At<kind::Key>) -> Answer {
    book.store.revoke_key(&scope, id).await?;
    Ok(output::nothing())
}
