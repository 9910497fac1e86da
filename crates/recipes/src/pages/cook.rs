//! Cook mode: one step at a time, in big type, with what it needs.

mod naming;

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::input::{At, Pairs};
use crate::api::problem::Problem;
use crate::id::{PhotoId, RecipeId, kind};
use crate::number::Whole;
use crate::pages::amount::{System, amount, duration, temperature};
use crate::pages::failure::Failure;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::language::Language;
use crate::pages::recipe::photo_of;
use crate::pages::visitor::SignedIn;
use crate::recipe::Recipe;
use crate::scale::{Scale, scale};
use crate::site::Book;

#[derive(Template)]
#[template(path = "cook.html")]
struct Page {
    frame: Frame,
    id: RecipeId,
    title: String,
    number: usize,
    count: usize,
    step: Option<Shown>,
    /// Servings and units, as part of every address.
    with: String,
}

struct Shown {
    text: String,
    minutes: Option<i64>,
    duration: String,
    temperature: Option<String>,
    needs: Vec<(String, String)>,
    photo: Option<PhotoId>,
}

/// `GET /recipes/{id}/cook`
pub(super) async fn show(
    State(book): State<Book>,
    visitor: SignedIn,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
) -> Result<Response, Failure> {
    let mut recipe = book.store.recipe(&visitor.scope, id).await?;
    let mut with = String::new();
    if let (Some(wanted), Some(_)) = (pairs.whole("servings")?, recipe.servings) {
        scale(&mut recipe, &Scale::Servings(wanted)).map_err(|reason| Problem::field("servings", reason))?;
        with = format!("&servings={wanted}");
    }
    let system = System::named(pairs.text("units"));
    with.push_str("&units=");
    with.push_str(system.name());
    let count = recipe.steps.len();
    let wanted = pairs.whole::<1, 300>("step")?.map_or(1, |step| usize::try_from(step.get()).unwrap_or(1));
    let number = wanted.min(count.max(1));
    let step = shown(&recipe, number, system, visitor.language);
    let title = recipe.title.into_string();
    let frame = Frame::new(&book, &visitor, Here::Recipes, &title);
    Ok(frame::page(StatusCode::OK, &Page { frame, id, title, number, count, step, with }))
}

fn shown(recipe: &Recipe, number: usize, system: System, language: Language) -> Option<Shown> {
    let placed = recipe.steps.get(number.checked_sub(1)?)?;
    let step = &placed.what;
    let minutes = step.duration_minutes.map(Whole::get).filter(|minutes| *minutes > 0);
    let text = step.instruction.to_string();
    let ingredients: Vec<&str> = recipe.ingredients.iter().map(|placed| placed.what.name.as_str()).collect();
    let named = naming::named(&text, &ingredients);
    let needed = recipe.ingredients.iter().zip(named).filter(|(_, named)| *named).map(|(placed, _)| placed);
    Some(Shown {
        minutes,
        duration: minutes.map(duration).unwrap_or_default(),
        temperature: temperature(step, system),
        photo: photo_of(recipe, placed.position),
        needs: needed
            .map(|placed| (amount(&placed.what, system, language), placed.what.name.to_string()))
            .collect(),
        text,
    })
}
