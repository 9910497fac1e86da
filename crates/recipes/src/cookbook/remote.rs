//! The REST API of another process: every call is one request.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use fetch::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use fetch::{Access, Client, HeaderName, HeaderValue, Limits, Method, Request, Response, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::families::Today;
use crate::api::plan::{MealsToPlan, MealsToRemove, ToBuy};
use crate::api::recipes::{Cooked, Found, TagChanges};
use crate::api::shares::{NewLink, Wanted};
use crate::api::shopping::{Added, Checked, Cleared, Removed};
use crate::card::Trashed;
use crate::draft::{Changes, Draft, OnceKey};
use crate::email::Email;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::few::Few;
use crate::id::{MealId, RecipeId};
use crate::listing::{ListQuery, Listing, Revision};
use crate::number::Whole;
use crate::photo::{Picture, Place};
use crate::plan::{Days, Meal, NewMeal, Shopped};
use crate::recipe::Recipe;
use crate::search::{Hits, SearchQuery};
use crate::shopping::{ListChange, ListName, ShoppingList};
use crate::store::Answer;
use crate::tag::Tag;
use crate::time::{Day, Time};

use super::refusal::refused;
use super::{Cookbook, Link};

/// A list of fifty thousand recipes has fifteen megabytes.
const MOST_BYTES: u64 = 256 << 20;

/// A cookbook behind a REST API.
pub struct Remote {
    base: String,
    key: Option<String>,
    person: Option<Email>,
    /// Made at the first call; what is wrong with the address is told then.
    client: OnceLock<Result<(Client, Url), String>>,
    /// The whole list as it was last, and its entity tag.
    list: Mutex<Option<(HeaderValue, Arc<String>)>>,
}

/// What is asked of the API: a path in pieces, so that nothing inside one can lead elsewhere.
struct Ask<'a> {
    method: Method,
    path: &'a [&'a str],
    query: Vec<(&'static str, String)>,
    about: About,
}

/// What is missing if the API finds nothing.
enum About {
    Recipe(RecipeId),
    Other(Thing, String),
}

impl<'a> Ask<'a> {
    fn new(method: Method, path: &'a [&'a str], about: About) -> Ask<'a> {
        Ask { method, path, query: Vec::new(), about }
    }
}

impl Remote {
    /// The API at this address, used with this key and for this person.
    pub fn new(base: String, key: Option<String>, person: Option<Email>) -> Remote {
        Remote { base, key, person, client: OnceLock::new(), list: Mutex::new(None) }
    }

    fn client(&self) -> Result<&(Client, Url), Error> {
        let made = self.client.get_or_init(|| connect(&self.base));
        made.as_ref().map_err(|reason| Error::Api(format!("`API_BASE_URL` cannot be used: {reason}")))
    }

    fn request(&self, ask: &Ask<'_>) -> Result<Request, Error> {
        let mut url = self.client()?.1.clone();
        url.path_segments_mut()
            .map_err(|()| Error::Api("`API_BASE_URL` is not an address that has paths".to_owned()))?
            .pop_if_empty()
            .push("api")
            .extend(ask.path);
        if !ask.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&ask.query);
        }
        let mut request = Request::new(ask.method.clone(), url).limit(MOST_BYTES);
        if let Some(key) = &self.key {
            request =
                request.secret_header("x-api-key", key.as_bytes()).map_err(|error| self.lost(&error))?;
        }
        if let Some(person) = &self.person {
            let header = request.secret_header("x-user-email", person.as_str().as_bytes());
            request = header.map_err(|error| self.lost(&error))?;
        }
        Ok(request)
    }

    /// Nothing came back, or nothing that could be read.
    fn lost(&self, error: &fetch::FetchError) -> Error {
        Error::Api(format!("API unreachable at `{}`: {error}", self.base))
    }

    async fn send(&self, request: Request, about: &About) -> Result<Response, Error> {
        let (client, _) = self.client()?;
        let response = client.fetch(request).await.map_err(|error| self.lost(&error))?;
        if response.status.is_success() || response.status == StatusCode::NOT_MODIFIED {
            return Ok(response);
        }
        let missing = match about {
            About::Recipe(id) => (Thing::Recipe, id.to_string()),
            About::Other(thing, id) => (*thing, id.clone()),
        };
        Err(refused(response.status, &response.body, missing))
    }

    async fn get<T: DeserializeOwned>(&self, ask: Ask<'_>) -> Result<T, Error> {
        let response = self.send(self.request(&ask)?, &ask.about).await?;
        self.read(&response.body)
    }

    async fn post<T: DeserializeOwned>(&self, ask: Ask<'_>, body: &impl Serialize) -> Result<T, Error> {
        let request = self.request(&ask)?.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let response = self.send(request.body(json(body)?), &ask.about).await?;
        self.read(&response.body)
    }

    fn read<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(body).map_err(|error| {
            Error::Api(format!(
                "the API at `{}` answered with something else than was asked for: {error}",
                self.base
            ))
        })
    }

    async fn whole_list(&self) -> Result<Listing, Error> {
        let ask = Ask::new(Method::GET, &["recipes"], About::Other(Thing::Recipe, "all".to_owned()));
        let known = self.list.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut request = self.request(&ask)?;
        if let Some((tag, _)) = &known {
            request = request.header(IF_NONE_MATCH, tag.clone());
        }
        let response = self.send(request, &ask.about).await?;
        if let (StatusCode::NOT_MODIFIED, Some((_, json))) = (response.status, known) {
            return Ok(Listing { revision: Revision(0), json, next: None });
        }
        let json = Arc::new(owned_text(response.body)?);
        if let Some(tag) = response.headers.get(ETAG) {
            let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
            *list = Some((tag.clone(), Arc::clone(&json)));
        }
        Ok(Listing { revision: Revision(0), json, next: None })
    }
}

fn connect(base: &str) -> Result<(Client, Url), String> {
    let url =
        Url::parse(base.trim_end_matches('/').trim_end_matches("/api")).map_err(|error| error.to_string())?;
    let host = url.host_str().ok_or("it names no host")?.to_owned();
    let limits = Limits {
        connect: Duration::from_secs(2),
        retries: 1,
        first_wait: Duration::from_millis(100),
        redirects: 0,
        ..Limits::default()
    };
    let access = Access::public().allow_private(&host);
    let client = Client::builder(access).limits(limits).build().map_err(|error| error.to_string())?;
    Ok((client, url))
}

fn json(body: &impl Serialize) -> Result<Bytes, Error> {
    serde_json::to_vec(body).map(Bytes::from).map_err(|error| Error::Api(error.to_string()))
}

/// Text, without a copy where nobody else has the bytes.
fn owned_text(body: Bytes) -> Result<String, Error> {
    String::from_utf8(Vec::from(body))
        .map_err(|_| Error::Api("the API answered with something that is no text".to_owned()))
}

impl Cookbook for Remote {
    fn list(&self, query: ListQuery) -> Answer<'_, Listing> {
        Box::pin(async move {
            if query.is_whole() {
                return self.whole_list().await;
            }
            let mut ask = Ask::new(Method::GET, &["recipes"], About::Other(Thing::Recipe, "all".to_owned()));
            ask.query.extend(query.tags.iter().map(|tag| ("tags", tag.to_string())));
            ask.query.extend(query.limit.map(|limit| ("limit", limit.to_string())));
            ask.query.extend(query.after.map(|after| ("cursor", after.to_text())));
            let response = self.send(self.request(&ask)?, &ask.about).await?;
            let next = response.headers.get("x-next-cursor").and_then(|next| next.to_str().ok());
            let next = next.and_then(|next| next.parse().ok());
            Ok(Listing { revision: Revision(0), json: Arc::new(owned_text(response.body)?), next })
        })
    }

    fn recipe(&self, id: RecipeId) -> Answer<'_, Recipe> {
        Box::pin(async move {
            self.get(Ask::new(Method::GET, &["recipes", &id.to_string()], About::Recipe(id))).await
        })
    }

    fn create(&self, draft: Draft, once: OnceKey) -> Answer<'_, Recipe> {
        Box::pin(async move {
            let ask = Ask::new(Method::POST, &["recipes"], About::Other(Thing::Family, "yours".to_owned()));
            // The key makes it safe to send again what got no answer.
            let request = self.request(&ask)?.repeatable().body(json(&draft)?);
            let request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let key = HeaderValue::from_str(once.as_str()).map_err(|error| Error::Api(error.to_string()))?;
            let request = request.header(HeaderName::from_static("idempotency-key"), key);
            let response = self.send(request, &ask.about).await?;
            self.read(&response.body)
        })
    }

    fn update(&self, id: RecipeId, changes: Changes) -> Answer<'_, Recipe> {
        Box::pin(async move {
            self.post(Ask::new(Method::PATCH, &["recipes", &id.to_string()], About::Recipe(id)), &changes)
                .await
        })
    }

    fn delete(&self, id: RecipeId) -> Answer<'_, ()> {
        Box::pin(async move {
            let id_text = id.to_string();
            let path = ["recipes", &id_text];
            let ask = Ask::new(Method::DELETE, &path, About::Recipe(id));
            self.send(self.request(&ask)?, &ask.about).await.map(drop)
        })
    }

    fn trash(&self) -> Answer<'_, Vec<Trashed>> {
        Box::pin(async move {
            self.get(Ask::new(Method::GET, &["trash"], About::Other(Thing::Recipe, "all".to_owned()))).await
        })
    }

    fn undelete(&self, id: RecipeId) -> Answer<'_, Recipe> {
        Box::pin(async move {
            let path = ["recipes", &id.to_string(), "undelete"];
            self.post(Ask::new(Method::POST, &path, About::Recipe(id)), &serde_json::json!({})).await
        })
    }

    fn today(&self) -> Answer<'_, Day> {
        Box::pin(async move {
            let about = About::Other(Thing::Family, "yours".to_owned());
            let today: Today = self.get(Ask::new(Method::GET, &["today"], about)).await?;
            Ok(today.day)
        })
    }

    fn shop_for_meals(&self, days: Days, list: ListName) -> Answer<'_, Shopped> {
        Box::pin(async move {
            let about = About::Other(Thing::Meal, String::new());
            let asked = ToBuy { from: days.first, to: days.last, list: Some(list), again: false };
            self.post(Ask::new(Method::POST, &["plan", "shop"], about), &asked).await
        })
    }

    /// What the key may do, the API says when it is asked to do it; nothing is fetched on its machine before.
    fn may_write(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let about = About::Other(Thing::Family, "yours".to_owned());
            let today: Today = self.get(Ask::new(Method::GET, &["today"], about)).await?;
            if today.may_write { Ok(()) } else { Err(Error::Forbidden { needed: Role::Editor }) }
        })
    }

    fn search(&self, query: SearchQuery) -> Answer<'_, Hits> {
        Box::pin(async move {
            let mut ask = Ask::new(Method::GET, &["search"], About::Other(Thing::Recipe, "all".to_owned()));
            ask.query.push(("query", query.words.to_string()));
            ask.query.push(("limit", query.limit.to_string()));
            ask.query.push(("skip", query.skip.to_string()));
            let found: Found = self.get(ask).await?;
            Ok(Hits { more: found.next_skip.is_some(), hits: found.hits })
        })
    }

    fn tag(&self, id: RecipeId, add: Vec<Tag>, remove: Vec<Tag>) -> Answer<'_, Recipe> {
        Box::pin(async move {
            let few = |tags| Few::new(tags).map_err(|reason| Error::invalid("tags", reason));
            let changes = TagChanges { add: few(add)?, remove: few(remove)? };
            let path = ["recipes", &id.to_string(), "tags"];
            self.post(Ask::new(Method::POST, &path, About::Recipe(id)), &changes).await
        })
    }

    fn add_photo(&self, id: RecipeId, picture: Picture, place: Place) -> Answer<'_, Recipe> {
        Box::pin(async move {
            let id_text = id.to_string();
            let (method, end) = match place {
                Place::Cover => (Method::PUT, "photo"),
                Place::Last | Place::Step(_) => (Method::POST, "photos"),
            };
            let path = ["recipes", &id_text, end];
            let mut ask = Ask::new(method, &path, About::Recipe(id));
            if let Place::Step(step) = place {
                ask.query.push(("step", step.to_string()));
            }
            let kind = HeaderValue::from_static(picture.format.mime());
            let request = self.request(&ask)?.header(CONTENT_TYPE, kind).body(picture.bytes);
            let response = self.send(request, &ask.about).await?;
            self.read(&response.body)
        })
    }

    fn mark_cooked(&self, id: RecipeId, at: Time) -> Answer<'_, Recipe> {
        Box::pin(async move {
            let path = ["recipes", &id.to_string(), "cooked"];
            self.post(Ask::new(Method::POST, &path, About::Recipe(id)), &Cooked { at: Some(at) }).await
        })
    }

    fn plan_meals(&self, meals: Vec<NewMeal>) -> Answer<'_, Vec<Meal>> {
        Box::pin(async move {
            let recipe = meals.iter().find_map(|meal| meal.recipe_id);
            let about = recipe.map_or_else(|| About::Other(Thing::Meal, String::new()), About::Recipe);
            let meals = Few::new(meals).map_err(|reason| Error::invalid("meals", reason))?;
            self.post(Ask::new(Method::POST, &["plan"], about), &MealsToPlan { meals }).await
        })
    }

    fn unplan_meals(&self, meals: Vec<MealId>) -> Answer<'_, ()> {
        Box::pin(async move {
            let about = About::Other(Thing::Meal, meals.first().map(ToString::to_string).unwrap_or_default());
            let meals = Few::new(meals).map_err(|reason| Error::invalid("meals", reason))?;
            let ask = Ask::new(Method::POST, &["plan", "remove"], about);
            let request = self.request(&ask)?.body(json(&MealsToRemove { meals })?);
            let request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            self.send(request, &ask.about).await.map(drop)
        })
    }

    fn plan(&self, days: Days) -> Answer<'_, Vec<Meal>> {
        Box::pin(async move {
            let mut ask = Ask::new(Method::GET, &["plan"], About::Other(Thing::Meal, String::new()));
            ask.query = vec![("from", days.first.to_string()), ("to", days.last.to_string())];
            self.get(ask).await
        })
    }

    fn shopping_list(&self, name: ListName) -> Answer<'_, ShoppingList> {
        Box::pin(async move {
            let about = About::Other(Thing::ShoppingList, name.to_string());
            self.get(Ask::new(Method::GET, &["shopping-lists", name.as_str()], about)).await
        })
    }

    fn change_shopping_list(&self, name: ListName, change: ListChange) -> Answer<'_, ShoppingList> {
        Box::pin(async move {
            let list = name.as_str();
            let about = |id: Option<String>| About::Other(Thing::Item, id.unwrap_or_default());
            let of = |action: &'static str| ["shopping-lists", list, action];
            match change {
                ListChange::Add(items) => {
                    let items = Few::new(items).map_err(|reason| Error::invalid("items", reason))?;
                    let path = of("items");
                    self.post(Ask::new(Method::POST, &path, about(None)), &Added { items }).await
                }
                ListChange::Check { items, checked } => {
                    let first = items.first().map(ToString::to_string);
                    let items = Few::new(items).map_err(|reason| Error::invalid("items", reason))?;
                    let path = of("check");
                    self.post(Ask::new(Method::POST, &path, about(first)), &Checked { items, checked }).await
                }
                ListChange::Remove(items) => {
                    let first = items.first().map(ToString::to_string);
                    let items = Few::new(items).map_err(|reason| Error::invalid("items", reason))?;
                    let path = of("remove");
                    self.post(Ask::new(Method::POST, &path, about(first)), &Removed { items }).await
                }
                ListChange::ClearChecked | ListChange::Clear => {
                    let all = matches!(change, ListChange::Clear);
                    let path = of("clear");
                    self.post(Ask::new(Method::POST, &path, about(None)), &Cleared { all }).await
                }
            }
        })
    }

    fn share(&self, id: RecipeId, days: i64) -> Answer<'_, Link> {
        Box::pin(async move {
            let days = Whole::new(days).map_err(|reason| Error::invalid("days", reason))?;
            let path = ["recipes", &id.to_string(), "shares"];
            let wanted = Wanted { days: Some(days) };
            let made: NewLink = self.post(Ask::new(Method::POST, &path, About::Recipe(id)), &wanted).await?;
            Ok(Link {
                url: Some(made.url),
                path: made.path,
                advice: made.advice,
                expires_at: made.share.expires_at,
            })
        })
    }
}
