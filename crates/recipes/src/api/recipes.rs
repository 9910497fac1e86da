//! Recipes: making, reading, changing, finding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::State;
use web::axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use web::axum::http::{HeaderMap, StatusCode};
use web::axum::response::Response;

use crate::api::caller::{Caller, Reader, header};
use crate::api::input::{At, Json, JsonOrNothing, Pairs};
use crate::api::output;
use crate::api::problem::Problem;
use crate::auth::{Reach, Scope};
use crate::draft::{Changes, Draft, OnceKey};
use crate::few::Few;
use crate::id::kind;
use crate::listing::{ListQuery, Revision};
use crate::recipe::Version;
use crate::search::{Hit, HitLimit, SearchQuery, Words};
use crate::site::Book;
use crate::tag::{Tag, Tags};
use crate::text::Text;
use crate::time::Time;

type Answer = Result<Response, Problem>;

/// `GET /recipes`
pub(super) async fn list(
    State(book): State<Book>,
    Reader(scope): Reader,
    pairs: Pairs,
    headers: HeaderMap,
) -> Answer {
    if pairs.text("query").is_some() {
        if pairs.has("tags") {
            return Err(Problem::field("tags", "give either `query` or `tags`, not both"));
        }
        return found(&book, &scope, &pairs).await;
    }
    let query = ListQuery { tags: tags(&pairs)?, limit: pairs.whole("limit")?, after: pairs.read("cursor")? };
    if let Some(known) = header(&headers, IF_NONE_MATCH.as_str()) {
        let now = revision_tag(&scope, book.store.revision(&scope).await?);
        if output::has_tag(known, &now) {
            return Ok(output::unchanged(&now));
        }
    }
    let listing = book.store.list_recipes(&scope, query).await?;
    let tag = revision_tag(&scope, listing.revision);
    let mut response = output::json_text(StatusCode::OK, bytes::Bytes::from_owner(ArcText(listing.json)));
    output::tagged(response.headers_mut(), &tag);
    if let Some(next) = listing.next {
        output::put(response.headers_mut(), "x-next-cursor", &next.to_text());
    }
    Ok(response)
}

/// A body that is shared with whoever else asked for the same list.
struct ArcText(std::sync::Arc<String>);

impl AsRef<[u8]> for ArcText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

fn tags(pairs: &Pairs) -> Result<Vec<Tag>, Problem> {
    let texts =
        pairs.all("tags").flat_map(|list| list.split(',')).map(str::trim).filter(|tag| !tag.is_empty());
    texts.take(50).map(|tag| Text::new(tag).map_err(|reason| Problem::field("tags", reason))).collect()
}

/// Another scope has other recipes, so its revisions are other ones.
fn revision_tag(scope: &Scope, Revision(number): Revision) -> String {
    match scope.reach() {
        Reach::Family(family, _) => format!("\"{family}-{number}\""),
        Reach::Recipe(family, recipe) => format!("\"{family}-{recipe}-{number}\""),
        Reach::God { .. } | Reach::Everything => format!("\"all-{number}\""),
        Reach::Nothing => "\"nothing\"".to_owned(),
    }
}

/// What a search gives.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Found")]
pub(crate) struct Found {
    /// The recipes, best first.
    pub(crate) hits: Vec<Hit>,
    /// What to give as `skip` to get more; missing at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) next_skip: Option<u32>,
}

/// How far into the results a search goes.
const MOST_SKIP: i64 = 10_000;

async fn hits(book: &Book, scope: &Scope, pairs: &Pairs, skip: &str) -> Result<Found, Problem> {
    let words = Words::new(pairs.text("query").unwrap_or_default());
    let words = words.map_err(|reason| Problem::field("query", reason))?;
    let limit = pairs.whole("limit")?.map_or_else(|| HitLimit::new(50), Ok);
    let limit = limit.map_err(|reason| Problem::field("limit", reason))?;
    let skip = pairs.whole::<0, MOST_SKIP>(skip)?.map_or(0, |skip| u32::try_from(skip.get()).unwrap_or(0));
    let found = book.store.search_recipes(scope, SearchQuery { words, limit, skip }).await?;
    let next = skip + u32::try_from(found.hits.len()).unwrap_or(0);
    Ok(Found { hits: found.hits, next_skip: found.more.then_some(next) })
}

/// `GET /recipes?query=`: an array, like the list; the cursor counts.
async fn found(book: &Book, scope: &Scope, pairs: &Pairs) -> Answer {
    let found = hits(book, scope, pairs, "cursor").await?;
    let mut response = output::json(StatusCode::OK, &found.hits);
    if let Some(next) = found.next_skip {
        output::put(response.headers_mut(), "x-next-cursor", &next.to_string());
    }
    Ok(response)
}

/// `GET /search`
pub(super) async fn search(State(book): State<Book>, Caller(scope): Caller, pairs: Pairs) -> Answer {
    Ok(output::json(StatusCode::OK, &hits(&book, &scope, &pairs, "skip").await?))
}

/// `GET /tags`
pub(super) async fn tags_in_use(State(book): State<Book>, Caller(scope): Caller) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.tags(&scope).await?))
}

/// `POST /recipes`
pub(super) async fn create(
    State(book): State<Book>,
    Caller(scope): Caller,
    headers: HeaderMap,
    Json(draft): Json<Draft>,
) -> Answer {
    let once = headers.get("idempotency-key").map(|text| {
        OnceKey::new(text.to_str().unwrap_or_default())
            .ok_or_else(|| Problem::field("Idempotency-Key", "expected 1 to 200 characters"))
    });
    let recipe = book.store.create_recipe(&scope, draft, once.transpose()?).await?;
    Ok(output::recipe(StatusCode::CREATED, &recipe, &book.settings.base))
}

/// `GET /recipes/{id}`
pub(super) async fn read(
    State(book): State<Book>,
    Reader(scope): Reader,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
) -> Answer {
    let recipe = book.store.recipe(&scope, id).await?;
    let tag = output::version_tag(recipe.version);
    if header(&headers, IF_NONE_MATCH.as_str()).is_some_and(|known| output::has_tag(known, &tag)) {
        return Ok(output::unchanged(&tag));
    }
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// The version that `If-Match` asks for.
fn expected(headers: &HeaderMap) -> Result<Option<Version>, Problem> {
    // One that cannot be read is not one that is missing: the change would be made whatever the version is.
    let Some(tag) = headers.get(IF_MATCH) else { return Ok(None) };
    output::expected(tag.to_str().unwrap_or_default()).map_err(|reason| Problem::field("If-Match", reason))
}

/// `GET /trash`
pub(super) async fn trash(State(book): State<Book>, Reader(scope): Reader) -> Answer {
    Ok(output::json(StatusCode::OK, &book.store.trash(&scope).await?))
}

/// `PUT /recipes/{id}/favourite`
pub(super) async fn like(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
) -> Answer {
    book.store.set_favourite(&scope, id, true).await?;
    Ok(output::nothing())
}

/// `DELETE /recipes/{id}/favourite`
pub(super) async fn unlike(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
) -> Answer {
    book.store.set_favourite(&scope, id, false).await?;
    Ok(output::nothing())
}

/// `PUT` and `PATCH /recipes/{id}`: what is given changes, what is `null` becomes empty, the rest stays.
pub(super) async fn update(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
    Json(mut changes): Json<Changes>,
) -> Answer {
    changes.expected_version = expected(&headers)?.or(changes.expected_version);
    let recipe = book.store.update_recipe(&scope, id, changes).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// `DELETE /recipes/{id}`
pub(super) async fn remove(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
) -> Answer {
    book.store.delete_recipe(&scope, id, expected(&headers)?).await?;
    Ok(output::nothing())
}

/// `POST /recipes/{id}/undelete`
pub(super) async fn undelete(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
) -> Answer {
    let recipe = book.store.undelete_recipe(&scope, id).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// When it was cooked.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Cooked {
    /// Now, unless given.
    #[serde(default)]
    pub(crate) at: Option<Time>,
}

/// `POST /recipes/{id}/cooked`
pub(super) async fn cooked(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
    JsonOrNothing(cooked): JsonOrNothing<Cooked>,
) -> Answer {
    let at = cooked.at.unwrap_or_else(Time::now);
    let recipe = book.store.mark_cooked(&scope, id, at, expected(&headers)?).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// Tags to put on and to take off.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TagChanges {
    /// These are put on.
    #[serde(default)]
    pub(crate) add: Tags,
    /// These are taken off.
    #[serde(default)]
    pub(crate) remove: Tags,
}

/// `POST /recipes/{id}/tags`
pub(super) async fn tag(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
    Json(TagChanges { add, remove }): Json<TagChanges>,
) -> Answer {
    let (add, remove) = (Few::into_vec(add), Few::into_vec(remove));
    let recipe = book.store.tag_recipe(&scope, id, add, remove, expected(&headers)?).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}
