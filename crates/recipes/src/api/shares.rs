//! Links to one recipe, for those without an account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::State;
use web::axum::http::{HeaderMap, StatusCode};
use web::axum::response::Response;

use crate::api::caller::Caller;
use crate::api::input::{At, JsonOrNothing};
use crate::api::output;
use crate::api::problem::Problem;
use crate::auth::Scope;
use crate::id::{RecipeId, kind};
use crate::number::Whole;
use crate::secret::Secret;
use crate::share::{DEFAULT_DAYS, NewShare, Share};
use crate::site::Book;
use crate::time::Time;

type Answer = Result<Response, Problem>;

/// For how long a link may work.
pub(crate) type Days = Whole<1, 365>;

/// What is asked of a link.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Wanted {
    /// For how many days it works; 30 unless given.
    #[serde(default)]
    pub(crate) days: Option<Days>,
}

/// A link that was made.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NewLink {
    /// What to give away: the whole address. It is shown this once.
    pub(crate) url: String,
    /// The same below the address of this server.
    pub(crate) path: String,
    /// What to do first, if nobody else can open the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) advice: Option<String>,
    /// The link, as lists show it.
    #[serde(flatten)]
    pub(crate) share: Share,
}

/// `POST /recipes/{id}/shares`
pub(super) async fn create(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
    JsonOrNothing(wanted): JsonOrNothing<Wanted>,
) -> Answer {
    let link = make(&book, &scope, (id, wanted.days), &headers).await?;
    Ok(output::json(StatusCode::CREATED, &link))
}

/// Makes a link.
pub(crate) async fn make(
    book: &Book,
    scope: &Scope,
    (recipe_id, days): (RecipeId, Option<Days>),
    headers: &HeaderMap,
) -> Result<NewLink, Problem> {
    let token = Secret::new()?;
    let expires_at = Time::now().plus_days(days.map_or(DEFAULT_DAYS, Days::get));
    let share = NewShare { recipe_id, token: token.hash(), expires_at };
    let share = book.store.create_share(scope, share).await?;
    let at = book.address(headers);
    let path = format!("{}/share/{}", book.settings.base, token.reveal());
    Ok(NewLink {
        url: format!("{}/share/{}", at.url, token.reveal()),
        path,
        advice: at.advice().map(str::to_owned),
        share,
    })
}

/// `GET /recipes/{id}/shares`
pub(super) async fn list(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.shares(&scope, id).await?))
}

/// `DELETE /shares/{id}`
pub(super) async fn revoke(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Share>,
) -> Answer {
    book.store.revoke_share(&scope, id).await?;
    Ok(output::nothing())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use web::axum::http::header::HOST;
    use web::axum::http::{HeaderMap, HeaderValue};

    use super::make;
    use crate::auth;
    use crate::site::{Book, Settings};
    use crate::store::Recipes;
    use crate::store::sqlite::{Place, Sqlite};

    #[tokio::test]
    async fn a_link_is_the_whole_address_below_a_path_too() {
        let folder = std::env::temp_dir().join(format!("recipes-shares-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let store = Arc::new(Sqlite::new(Place::File(folder.join("recipes.db"))));
        let scope = auth::local(&*store, None).await.expect("a scope");
        let draft = serde_json::from_str(r#"{"title":"Cake"}"#).expect("a draft");
        let cake = store.create_recipe(&scope, draft, None).await.expect("made").id;
        for base in ["", "/cookbook"] {
            let book = Book::new(store.clone(), Settings { base: base.to_owned(), ..Settings::default() });
            for (host, is_for_others) in [("desk.home:8642", true), ("127.0.0.1:8642", false)] {
                let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
                let link = make(&book, &scope, (cake, None), &headers).await.expect("a link");
                assert!(link.path.starts_with(&format!("{base}/share/")), "{}", link.path);
                assert_eq!(link.url, format!("http://{host}{}", link.path));
                assert_eq!(link.advice.is_none(), is_for_others, "{host}");
            }
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
