//! One recipe: other servings, other units, and what can be done with it.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::HeaderMap;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::{At, Pairs};
use crate::api::problem::Problem;
use crate::api::shares;
use crate::id::{PhotoId, RecipeId, kind};
use crate::number::{Rating, Servings, Whole};
use crate::pages::amount::{System, amount, duration, temperature};
use crate::pages::failure::{Failure, encoded};
use crate::pages::form::SignedForm;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::language::Language;
use crate::pages::placeholder::Placeholder;
use crate::pages::visitor::SignedIn;
use crate::recipe::Recipe;
use crate::scale::{Scale, scale};
use crate::shopping::{DEFAULT_LIST, ListChange, ListName, needed};
use crate::site::{Book, NOT_SHARED};
use crate::text::Text;
use crate::time::{Day, Time};
use crate::zone::{self, Zone};

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "recipe.html")]
struct Page {
    frame: Frame,
    view: View,
    /// A link that was just made, and what to do so that others can open it.
    link: Option<(String, Option<String>)>,
    notice: Option<&'static str>,
    is_favourite: bool,
    /// The days it can be planned for.
    days: Vec<(Day, String)>,
}

/// A recipe as its page shows it, for members and for guests.
pub(crate) struct View {
    pub(crate) id: RecipeId,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) prep: Option<String>,
    pub(crate) cook: Option<String>,
    pub(crate) difficulty: Option<i64>,
    pub(crate) rating: Option<Stars>,
    pub(crate) yield_text: Option<String>,
    pub(crate) servings: Option<ServingsView>,
    pub(crate) system: System,
    pub(crate) systems: Vec<(&'static str, &'static str, bool)>,
    pub(crate) ingredients: Vec<Line>,
    pub(crate) steps: Vec<StepLine>,
    /// The tags, and what a query calls them.
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) notes: Option<String>,
    pub(crate) nutrition: Option<String>,
    /// Only an address a browser may follow.
    pub(crate) source: Option<String>,
    pub(crate) photo: Option<String>,
    /// Where its photos are, below the base.
    pub(crate) album: String,
    /// The other photos of the dish.
    pub(crate) gallery: Vec<PhotoId>,
    pub(crate) placeholder: Placeholder,
    pub(crate) times_cooked: u32,
    pub(crate) last_cooked: Option<String>,
}

/// How much it was liked.
pub(crate) struct Stars {
    pub(crate) count: i64,
    pub(crate) signs: &'static str,
}

impl Stars {
    pub(crate) fn of(rating: Rating) -> Stars {
        let signs = match rating.get() {
            1 => "★",
            2 => "★★",
            3 => "★★★",
            4 => "★★★★",
            _ => "★★★★★",
        };
        Stars { count: rating.get(), signs }
    }
}

pub(crate) struct ServingsView {
    pub(crate) now: i64,
    pub(crate) less: Option<i64>,
    pub(crate) more: Option<i64>,
}

/// A line of the ingredients, perhaps with a heading above it.
pub(crate) struct Line {
    pub(crate) heading: Option<String>,
    pub(crate) amount: String,
    pub(crate) name: String,
    pub(crate) notes: String,
}

pub(crate) struct StepLine {
    pub(crate) heading: Option<String>,
    pub(crate) text: String,
    pub(crate) duration: Option<String>,
    pub(crate) temperature: Option<String>,
    pub(crate) photo: Option<PhotoId>,
}

/// The photo of a step.
pub(crate) fn photo_of(recipe: &Recipe, step: u32) -> Option<PhotoId> {
    recipe.photos.iter().find(|photo| photo.step == Some(step)).map(|photo| photo.id)
}

/// A heading where it differs from the one before.
fn headings<'a>(sections: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
    let mut last = String::new();
    sections
        .map(|section| {
            let section = section.unwrap_or_default();
            let is_new = section != last;
            section.clone_into(&mut last);
            (is_new && !section.is_empty()).then(|| section.to_owned())
        })
        .collect()
}

impl View {
    /// The recipe as it is asked for: `?servings=` and `?units=`.
    pub(crate) fn of(
        mut recipe: Recipe,
        pairs: &Pairs,
        zone: Option<&Zone>,
        language: Language,
    ) -> Result<View, Problem> {
        if let (Some(wanted), Some(_)) = (pairs.whole("servings")?, recipe.servings) {
            scale(&mut recipe, &Scale::Servings(wanted))
                .map_err(|reason| Problem::field("servings", reason))?;
        }
        let system = System::named(pairs.text("units"));
        let over = headings(recipe.ingredients.iter().map(|i| i.what.section.as_ref().map(AsRef::as_ref)));
        let ingredients = recipe.ingredients.iter().zip(over).map(|(placed, heading)| Line {
            heading,
            amount: amount(&placed.what, system, language),
            name: placed.what.name.to_string(),
            notes: placed.what.notes.as_ref().map(ToString::to_string).unwrap_or_default(),
        });
        let ingredients = ingredients.collect();
        let over = headings(recipe.steps.iter().map(|s| s.what.section.as_ref().map(AsRef::as_ref)));
        let steps = recipe.steps.iter().zip(over).map(|(placed, heading)| StepLine {
            heading,
            text: placed.what.instruction.to_string(),
            duration: placed.what.duration_minutes.filter(|m| m.get() > 0).map(|m| duration(m.get())),
            temperature: temperature(&placed.what, system),
            photo: photo_of(&recipe, placed.position),
        });
        let steps = steps.collect();
        let others = recipe.photos.iter().filter(|photo| photo.step.is_none());
        let gallery = others.map(|photo| photo.id).filter(|id| Some(*id) != recipe.photo_id).collect();
        let minutes = |minutes: Option<crate::number::Minutes>| {
            minutes.filter(|m| m.get() > 0).map(|m| duration(m.get()))
        };
        let is_address = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
        Ok(View {
            id: recipe.id,
            placeholder: Placeholder::of(recipe.title.as_str()),
            description: recipe.description.map(Text::into_string).unwrap_or_default(),
            prep: minutes(recipe.prep_time_minutes),
            cook: minutes(recipe.cook_time_minutes),
            difficulty: recipe.difficulty.map(Whole::get),
            rating: recipe.rating.map(Stars::of),
            yield_text: recipe.yield_text.map(Text::into_string).filter(|text| !text.is_empty()),
            servings: recipe.servings.map(servings),
            system,
            systems: [(System::Written, "As written"), (System::Metric, "Metric"), (System::Us, "US")]
                .map(|(one, label)| (one.name(), label, one == system))
                .to_vec(),
            ingredients,
            steps,
            tags: recipe.tags.into_iter().map(|tag| (encoded(&tag), tag)).collect(),
            notes: recipe.notes.map(Text::into_string).filter(|text| !text.is_empty()),
            nutrition: recipe.nutrition.map(Text::into_string).filter(|text| !text.is_empty()),
            source: recipe.source_url.as_ref().map(AsRef::as_ref).filter(is_address).map(str::to_owned),
            photo: recipe.photo_id.map(|photo| photo.to_string()),
            album: format!("/recipes/{}/photos", recipe.id),
            gallery,
            times_cooked: recipe.times_cooked,
            last_cooked: recipe.last_cooked_at.map(|at| language.date(zone::day(at, zone))),
            title: recipe.title.into_string(),
        })
    }
}

fn servings(now: Servings) -> ServingsView {
    let near = |step: i64| Servings::new(now.get() + step).ok().map(Servings::get);
    ServingsView { now: now.get(), less: near(-1), more: near(1) }
}

/// `GET /recipes/{id}`
pub(super) async fn show(
    State(book): State<Book>,
    visitor: SignedIn,
    At(id): At<kind::Recipe>,
    pairs: Pairs,
) -> Answer {
    page(&book, &visitor, id, &pairs, None).await
}

async fn page(
    book: &Book,
    visitor: &SignedIn,
    id: RecipeId,
    pairs: &Pairs,
    link: Option<(String, Option<String>)>,
) -> Answer {
    let zone = book.store.default_family(&visitor.scope).await?.time_zone;
    let language = visitor.language;
    let view = View::of(book.store.recipe(&visitor.scope, id).await?, pairs, zone.as_ref(), language)?;
    let is_favourite = book.store.is_favourite(&visitor.scope, id).await?;
    let today = zone::today(zone.as_ref());
    let days = (0..8).map(|number| today.plus(number)).map(|day| {
        let name = if day == today { language.t("Today") } else { language.weekday(day.weekday()) };
        (day, format!("{name}, {}", language.day(day)))
    });
    let notice = match pairs.text("done") {
        Some("cooked") => Some("Noted. Enjoy your meal!"),
        Some("shop") => Some("The ingredients are on your shopping list."),
        Some("saved") => Some("Saved."),
        Some("imported") => Some("It is in your cookbook."),
        Some("skipped") => Some("You have this recipe already. Nothing was changed."),
        Some("planned") => Some("It is on the plan."),
        Some("no-photo") => Some("Saved. The photo could not be used."),
        _ => None,
    };
    let notice = notice.map(|notice| language.t(notice));
    let frame = Frame::new(book, visitor, Here::Recipes, &view.title);
    let page = Page { frame, view, link, notice, is_favourite, days: days.collect() };
    Ok(frame::page(StatusCode::OK, &page))
}

fn to_recipe(book: &Book, id: RecipeId, done: &str) -> Response {
    Redirect::to(&format!("{}/recipes/{id}?done={done}", book.settings.base)).into_response()
}

/// `POST /recipes/{id}/cooked`
pub(super) async fn cooked(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    book.store.mark_cooked(&form.visitor.scope, id, Time::now(), None).await?;
    Ok(to_recipe(&book, id, "cooked"))
}

/// `POST /recipes/{id}/share`
pub(super) async fn share(
    State(book): State<Book>,
    At(id): At<kind::Recipe>,
    headers: HeaderMap,
    form: SignedForm,
) -> Answer {
    let days = form.fields.whole("days")?;
    let link = shares::make(&book, &form.visitor.scope, (id, days), &headers).await?;
    let advice = link.advice.map(|_| form.visitor.language.says(NOT_SHARED));
    page(&book, &form.visitor, id, &Pairs::default(), Some((link.url, advice))).await
}

/// `POST /recipes/{id}/favourite`
pub(super) async fn favourite(
    State(book): State<Book>,
    At(id): At<kind::Recipe>,
    form: SignedForm,
) -> Answer {
    book.store.set_favourite(&form.visitor.scope, id, form.fields.has("like")).await?;
    Ok(Redirect::to(&format!("{}/recipes/{id}", book.settings.base)).into_response())
}

/// `POST /recipes/{id}/shop`: its ingredients, for the servings that are shown, go on the shopping list.
pub(super) async fn shop(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    let mut recipe = book.store.recipe(&form.visitor.scope, id).await?;
    if let (Some(wanted), Some(_)) = (form.fields.whole("servings")?, recipe.servings) {
        scale(&mut recipe, &Scale::Servings(wanted)).map_err(|reason| Problem::field("servings", reason))?;
    }
    let list = ListName::new(DEFAULT_LIST).map_err(|reason| Problem::field("list", reason))?;
    let change = ListChange::Add(needed(recipe).collect());
    book.store.change_shopping_list(&form.visitor.scope, list, change).await?;
    Ok(to_recipe(&book, id, "shop"))
}

/// `POST /recipes/{id}/delete`
pub(super) async fn delete(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    book.store.delete_recipe(&form.visitor.scope, id, None).await?;
    Ok(Redirect::to(&format!("{}/?deleted={id}", book.settings.base)).into_response())
}

/// `POST /recipes/{id}/undelete`
pub(super) async fn undelete(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    book.store.undelete_recipe(&form.visitor.scope, id).await?;
    Ok(to_recipe(&book, id, "saved"))
}
