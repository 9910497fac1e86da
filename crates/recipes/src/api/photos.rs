//! Photos: the picture as the body, or as the part `photo` of a form. `/photo` is the one that cards show, `/photos` are all.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::axum::extract::{FromRequest, FromRequestParts, Multipart, Request, State};
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::request::Parts;
use web::axum::http::{HeaderMap, HeaderValue, StatusCode};
use web::axum::response::Response;

use crate::api::caller::{Caller, header};
use crate::api::exchange;
use crate::api::input::{self, At, Json, Named, Pairs};
use crate::api::output;
use crate::api::problem::Problem;
use crate::auth::Scope;
use crate::error::{Error, Thing};
use crate::family::Role;
use crate::id::{PhotoId, RecipeId, kind};
use crate::number::Whole;
use crate::photo::{Form, MOST_UPLOAD, NoPhoto, Photo, Picture, Place, Which};
use crate::site::Book;

type Answer = Result<Response, Problem>;

/// What a form adds to the picture in it.
pub(crate) const FRAME: usize = 2 * 1024 * 1024;

/// A form with a photo.
pub(crate) const MOST_WITH_PHOTO: usize = MOST_UPLOAD + FRAME;

/// `GET /recipes/{id}/photo`
pub(super) async fn read(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
    headers: HeaderMap,
) -> Answer {
    Ok(show(sized(&book, &scope, (id, Which::Cover), &pairs).await?, &headers))
}

/// The two ids in a path such as `/recipes/{id}/photos/{photo}`.
pub(crate) struct PhotoAt(pub(crate) RecipeId, pub(crate) PhotoId);

impl<S: Send + Sync> FromRequestParts<S> for PhotoAt {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PhotoAt, Problem> {
        let named = Named::from_request_parts(parts, state).await?;
        Ok(PhotoAt(named.get("id")?, named.get("photo")?))
    }
}

/// `GET /recipes/{id}/photos/{photo}`
pub(super) async fn read_one(
    State(book): State<Book>,
    Caller(scope): Caller,
    PhotoAt(id, photo): PhotoAt,
    pairs: Pairs,
    headers: HeaderMap,
) -> Answer {
    Ok(show(sized(&book, &scope, (id, Which::One(photo)), &pairs).await?, &headers))
}

/// The photo in the size that is asked for: `?size=small`, or whole.
pub(crate) async fn sized(
    book: &Book,
    scope: &Scope,
    (id, which): (RecipeId, Which),
    pairs: &Pairs,
) -> Result<Photo, Problem> {
    if pairs.text("size") == Some("small") {
        small(book, scope, id, which).await
    } else {
        whole(book, scope, id, which).await
    }
}

/// The photo itself. What an earlier version kept with more than its pixels is shown without that, and kept so from now on;
/// what cannot be read is not shown at all.
async fn whole(book: &Book, scope: &Scope, id: RecipeId, which: Which) -> Result<Photo, Problem> {
    let photo = book.store.photo(scope, id, which).await?;
    let Some(picture) = photo.picture.renewed().await.map_err(|_| Error::not_found(Thing::Photo, id))? else {
        return Ok(photo);
    };
    let photo = Photo { id: photo.id, picture };
    book.store.keep_form(scope, id, photo.clone(), Form::Whole).await?;
    Ok(photo)
}

/// A photo as an answer. It is only ever a picture, whatever its bytes would like to be.
pub(crate) fn show(photo: Photo, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}-{}\"", photo.id, photo.picture.bytes.len());
    if header(headers, IF_NONE_MATCH.as_str()).is_some_and(|known| output::has_tag(known, &tag)) {
        return output::unchanged(&tag);
    }
    let mut response = Response::new(web::axum::body::Body::from(photo.picture.bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(photo.picture.format.mime()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert("content-security-policy", HeaderValue::from_static("default-src 'none'; sandbox"));
    output::tagged(headers, &tag);
    response
}

/// `PUT` and `POST /recipes/{id}/photo`
pub(super) async fn set(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    request: Request,
) -> Answer {
    put(&book, &scope, id, Place::Cover, request).await
}

/// `POST /recipes/{id}/photos`
pub(super) async fn add(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
    request: Request,
) -> Answer {
    let place = pairs.whole("step")?.map_or(Place::Last, at_step);
    put(&book, &scope, id, place, request).await
}

/// The place of a photo that shows a step.
fn at_step(step: Whole<0, 299>) -> Place {
    u32::try_from(step.get()).map_or(Place::Last, Place::Step)
}

async fn put(book: &Book, scope: &Scope, id: RecipeId, place: Place, request: Request) -> Answer {
    // Who may not change the recipe sends nothing large.
    book.store.recipe(scope, id).await?;
    scope.may(Role::Editor)?;
    let _turn = exchange::photo_turn(book).await?;
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_form = kind.to_ascii_lowercase().starts_with("multipart/form-data");
    let bytes = exchange::in_time(async {
        if !is_form {
            return input::whole(request, MOST_UPLOAD).await;
        }
        let mut form = multipart(request, MOST_WITH_PHOTO).await?;
        let photo = part(&mut form, "photo").await?;
        photo.ok_or_else(|| Problem::field("photo", "the form has no file `photo`"))
    });
    let bytes = bytes.await??;
    let recipe = book.store.add_photo(scope, id, picture(bytes).await?, place).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// Where a photo is to be.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PhotoPlace")]
pub(crate) struct Wanted {
    /// First of the dish: the one that cards show.
    #[serde(default)]
    cover: bool,
    /// The position of the step it shows. Without one, it shows the dish.
    #[serde(default)]
    step: Option<Whole<0, 299>>,
}

/// `PUT /recipes/{id}/photos/{photo}`
pub(super) async fn shift(
    State(book): State<Book>,
    Caller(scope): Caller,
    PhotoAt(id, photo): PhotoAt,
    Json(wanted): Json<Wanted>,
) -> Answer {
    let place = match wanted {
        Wanted { cover: true, step: None } => Place::Cover,
        Wanted { cover: false, step } => step.map_or(Place::Last, at_step),
        Wanted { cover: true, step: Some(_) } => {
            return Err(Problem::field("cover", "give one of `cover` and `step`"));
        }
    };
    let recipe = book.store.move_photo(&scope, id, photo, place).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// `DELETE /recipes/{id}/photos/{photo}`
pub(super) async fn remove_one(
    State(book): State<Book>,
    Caller(scope): Caller,
    PhotoAt(id, photo): PhotoAt,
) -> Answer {
    let recipe = book.store.remove_photo(&scope, id, Which::One(photo)).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// `DELETE /recipes/{id}/photo`
pub(super) async fn remove(
    State(book): State<Book>,
    Caller(scope): Caller,
    At(id): At<kind::Recipe>,
) -> Answer {
    let recipe = book.store.remove_photo(&scope, id, Which::Cover).await?;
    Ok(output::recipe(StatusCode::OK, &recipe, &book.settings.base))
}

/// A form with files in it, no longer than this.
pub(crate) async fn multipart(request: Request, most: usize) -> Result<Multipart, Problem> {
    let (parts, body) = request.into_parts();
    let body = input::whole(Request::new(body), most).await?;
    let request = Request::from_parts(parts, web::axum::body::Body::from(body));
    // Read whole and measured, the body may pass the limit that axum sets on every form.
    let request = {
        let mut request = request;
        web::axum::extract::DefaultBodyLimit::disable().apply(&mut request);
        request
    };
    Multipart::from_request(request, &()).await.map_err(|_| bad_form())
}

/// One part of a form.
pub(crate) async fn part(form: &mut Multipart, name: &str) -> Result<Option<Bytes>, Problem> {
    while let Some(field) = form.next_field().await.map_err(|_| bad_form())? {
        if field.name() == Some(name) {
            return field.bytes().await.map(Some).map_err(|_| bad_form());
        }
    }
    Ok(None)
}

/// The picture that somebody sent.
pub(crate) async fn picture(bytes: Bytes) -> Result<Picture, Problem> {
    Picture::prepared(bytes).await.map_err(|reason| match reason {
        NoPhoto::TooLarge(size) => too_large(size),
        NoPhoto::Unreadable(reason) => Problem::field("photo", reason),
    })
}

/// The small form of a photo, made when somebody asks for it the first time.
async fn small(book: &Book, scope: &Scope, id: RecipeId, which: Which) -> Result<Photo, Problem> {
    if let Some(small) = book.store.small_photo(scope, id, which).await? {
        return Ok(small);
    }
    let Photo { id: photo, picture } = whole(book, scope, id, which).await?;
    match picture.clone().small().await {
        Ok(picture) => {
            let small = Photo { id: photo, picture };
            book.store.keep_form(scope, id, small.clone(), Form::Small).await?;
            Ok(small)
        }
        // What cannot be made smaller is shown as it is.
        Err(_) => Ok(Photo { id: photo, picture }),
    }
}

fn too_large(size: usize) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", NoPhoto::TooLarge(size).to_string())
}

fn bad_form() -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "bad_form", "the body is not a form of type `multipart/form-data`")
}
