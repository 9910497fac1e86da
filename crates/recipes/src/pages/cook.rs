//! Cook mode: one step at a time, in big type, with what it needs.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::input::{At, Pairs};
use crate::api::problem::Problem;
use crate::id::{RecipeId, kind};
use crate::number::Whole;
use crate::pages::amount::{System, amount, duration, temperature};
use crate::pages::failure::Failure;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::visitor::SignedIn;
use crate::recipe::Recipe;
use crate::scale::{Scale, scale};
use crate::site::Book;
use crate::title::Key;

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
    let step = shown(&recipe, number, system);
    let title = recipe.title.into_string();
    let frame = Frame::new(&book, &visitor, Here::Recipes, &format!("Cooking {title}"));
    Ok(frame::page(StatusCode::OK, &Page { frame, id, title, number, count, step, with }))
}

fn shown(recipe: &Recipe, number: usize, system: System) -> Option<Shown> {
    let step = &recipe.steps.get(number.checked_sub(1)?)?.what;
    let minutes = step.duration_minutes.map(Whole::get).filter(|minutes| *minutes > 0);
    let text = step.instruction.to_string();
    let needed = recipe.ingredients.iter().filter(|placed| names(&text, placed.what.name.as_str()));
    Some(Shown {
        minutes,
        duration: minutes.map(duration).unwrap_or_default(),
        temperature: temperature(step, system),
        needs: needed.map(|placed| (amount(&placed.what, system), placed.what.name.to_string())).collect(),
        text,
    })
}

/// Whether a step speaks of an ingredient: by its whole name, or by the last word of it, as in "the onions" for "red
/// onion".
fn names(text: &str, ingredient: &str) -> bool {
    let (text, name) = (Key::of(text), Key::of(ingredient.split(',').next().unwrap_or(ingredient)));
    let stem = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word).to_owned()
    };
    let last = name.as_str().split(' ').next_back().map(stem).unwrap_or_default();
    let words = || text.as_str().split(|c: char| !c.is_alphanumeric()).map(stem);
    last.chars().count() > 2 && words().any(|word| word == last) || text.as_str().contains(name.as_str())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_step_needs_what_it_speaks_of() {
        for (text, ingredient, expected) in [
            ("Fry the onions until golden.", "red onion, diced", true),
            ("Add tomatoes.", "tomato", true),
            ("Whisk the eggs.", "Egg", true),
            ("Melt the butter.", "Peanut butter", true),
            ("Boil water.", "flour", false),
            ("Stir in the crème fraîche.", "CRÈME FRAÎCHE", true),
        ] {
            assert_eq!(names(text, ingredient), expected, "{text} / {ingredient}");
        }
    }
}
