//! The photos of a recipe: each as a picture, and the page where they are added, moved and removed.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::{HeaderMap, StatusCode};
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::{At, Pairs};
use crate::api::photos::{self, PhotoAt};
use crate::api::problem::Problem;
use crate::auth::Scope;
use crate::error::Error;
use crate::family::Role;
use crate::id::{PhotoId, RecipeId, kind};
use crate::pages::failure::Failure;
use crate::pages::form::{File, SignedForm};
use crate::pages::frame::{self, Frame, Here};
use crate::pages::visitor::SignedIn;
use crate::photo::{Place, Which};
use crate::recipe::Recipe;
use crate::site::Book;

type Answer = Result<Response, Failure>;

/// How many letters of a step say which one it is.
const MOST_OF_A_STEP: usize = 40;

#[derive(Template)]
#[template(path = "photos.html")]
struct Page {
    frame: Frame,
    id: RecipeId,
    title: String,
    photos: Vec<Shown>,
    /// The steps by their position, and how each begins.
    steps: Vec<(u32, String)>,
    notice: Option<&'static str>,
}

struct Shown {
    id: PhotoId,
    is_cover: bool,
    step: Option<u32>,
}

/// `GET /recipes/{id}/photos`
pub(super) async fn all(
    State(book): State<Book>,
    visitor: SignedIn,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
) -> Answer {
    let Recipe { title, photos, photo_id, steps, .. } = book.store.recipe(&visitor.scope, id).await?;
    visitor.scope.may(Role::Editor)?;
    let photos = photos.into_iter().map(|photo| {
        let is_cover = Some(photo.id) == photo_id;
        Shown { id: photo.id, is_cover, step: photo.step }
    });
    let steps = steps.into_iter().map(|step| {
        let text = step.what.instruction.as_str();
        let start: String = text.chars().take(MOST_OF_A_STEP).collect();
        (step.position, if start.len() < text.len() { format!("{start}…") } else { start })
    });
    let notice = match pairs.text("done") {
        Some("saved") => Some(visitor.language.t("Saved.")),
        Some("no-photo") => Some(visitor.language.t("A photo could not be used.")),
        _ => None,
    };
    let frame = Frame::new(&book, &visitor, Here::Recipes, visitor.language.t("Photos"));
    let (photos, steps) = (photos.collect(), steps.collect());
    let page = Page { frame, id, title: title.into_string(), photos, steps, notice };
    Ok(frame::page(StatusCode::OK, &page))
}

/// `GET /recipes/{id}/photo`
pub(super) async fn cover(
    State(book): State<Book>,
    visitor: SignedIn,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
    headers: HeaderMap,
) -> Answer {
    Ok(photos::show(photos::sized(&book, &visitor.scope, (id, Which::Cover), &pairs).await?, &headers))
}

/// `GET /recipes/{id}/photos/{photo}`
pub(super) async fn one(
    State(book): State<Book>,
    visitor: SignedIn,
    PhotoAt(id, photo): PhotoAt,
    pairs: Pairs,
    headers: HeaderMap,
) -> Answer {
    Ok(photos::show(photos::sized(&book, &visitor.scope, (id, Which::One(photo)), &pairs).await?, &headers))
}

/// `POST /recipes/{id}/photos`
pub(super) async fn add(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    // Who may not change the recipe has no pictures read.
    book.store.recipe(&form.visitor.scope, id).await?;
    form.visitor.scope.may(Role::Editor)?;
    if form.files.is_empty() {
        return Err(Problem::field("photo", "choose a picture first").into());
    }
    let done = keep(&book, &form.visitor.scope, id, form.files, place(&form.fields)?).await?;
    Ok(back(&book, id, done))
}

/// Keeps the photos of a form; the first one goes to the place that was chosen, the others show the dish. Says how the page
/// that follows calls the result: what is no picture is left out.
pub(super) async fn keep(
    book: &Book,
    scope: &Scope,
    id: RecipeId,
    files: Vec<File>,
    mut place: Place,
) -> Result<&'static str, Failure> {
    let mut done = "saved";
    for file in files {
        let Ok(picture) = photos::picture(file.bytes).await else {
            done = "no-photo";
            continue;
        };
        match book.store.add_photo(scope, id, picture, place).await {
            Ok(_) => place = Place::Last,
            Err(Error::Invalid { .. }) => done = "no-photo",
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done)
}

/// `POST /recipes/{id}/photos/{photo}`: to another place, or away.
pub(super) async fn change(
    State(book): State<Book>,
    PhotoAt(id, photo): PhotoAt,
    form: SignedForm,
) -> Answer {
    let scope = &form.visitor.scope;
    if form.fields.has("remove") {
        book.store.remove_photo(scope, id, Which::One(photo)).await?;
    } else {
        book.store.move_photo(scope, id, photo, place(&form.fields)?).await?;
    }
    Ok(back(&book, id, "saved"))
}

fn place(fields: &Pairs) -> Result<Place, Problem> {
    Ok(match fields.text("to") {
        Some("cover") => Place::Cover,
        Some("last") | None => Place::Last,
        Some(_) => fields.read("to")?.map_or(Place::Last, Place::Step),
    })
}

fn back(book: &Book, id: RecipeId, done: &str) -> Response {
    Redirect::to(&format!("{}/recipes/{id}/photos?done={done}", book.settings.base)).into_response()
}
