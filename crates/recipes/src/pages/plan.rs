//! The meal plan: a week at a time, by the family's own calendar.

use askama::Template;
use serde::Deserialize;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::auth;
use crate::error::Error;
use crate::id::{MealId, RecipeId};
use crate::listing::{ListQuery, PageSize};
use crate::number::Whole;
use crate::pages::failure::Failure;
use crate::pages::form::SignedForm;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::visitor::SignedIn;
use crate::plan::{Days, Meal, MealText, NewMeal, Slot, ToShop};
use crate::shopping::{DEFAULT_LIST, ListName};
use crate::site::Book;
use crate::time::Day;
use crate::title::Title;

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "plan.html")]
struct Page {
    frame: Frame,
    heading: String,
    days: Vec<Column>,
    first: Day,
    before: Day,
    after: Day,
    this_week: Day,
    /// The day that a meal is added to.
    chosen: Day,
    is_choosing: bool,
    /// Titles to choose from.
    recipes: Vec<Choice>,
    notices: Vec<String>,
    can_repeat: bool,
}

struct Column {
    day: Day,
    name: &'static str,
    date: String,
    is_today: bool,
    meals: Vec<Meal>,
}

impl Page {
    /// The time of day of a meal.
    fn slot(frame: &Frame, meal: &Meal) -> &'static str {
        frame.t(match meal.slot {
            Slot::Breakfast => "Breakfast",
            Slot::Lunch => "Lunch",
            Slot::Dinner => "Dinner",
            Slot::Snack => "Snack",
        })
    }
}

/// A recipe that can be planned.
#[derive(Deserialize)]
struct Choice {
    title: String,
}

/// `GET /plan`
pub(super) async fn show(State(book): State<Book>, visitor: SignedIn, pairs: Pairs) -> Answer {
    let language = visitor.language;
    let today = auth::today(&*book.store, &visitor.scope).await?;
    let chosen: Option<Day> = pairs.read("day")?;
    let first = pairs.read("week")?.or(chosen).unwrap_or(today).monday();
    let mut meals = book.store.plan(&visitor.scope, week(first)?).await?;
    let days = (0..7).map(|number| {
        let day = first.plus(number);
        let (of_day, rest): (Vec<Meal>, Vec<Meal>) =
            std::mem::take(&mut meals).into_iter().partition(|m| m.day == day);
        meals = rest;
        Column {
            day,
            name: language.weekday(day.weekday()),
            date: language.day(day),
            is_today: day == today,
            meals: of_day,
        }
    });
    let days = days.collect();
    let this_week = today.monday();
    let heading = match first.number() - this_week.number() {
        0 => language.t("This week").to_owned(),
        7 => language.t("Next week").to_owned(),
        -7 => language.t("Last week").to_owned(),
        _ => format!("{} – {}", language.day(first), language.day(first.plus(6))),
    };
    let in_week = (first..=first.plus(6)).contains(&today);
    let page = Page {
        frame: Frame::new(&book, &visitor, Here::Plan, language.t("Meal plan")),
        heading,
        days,
        first,
        before: first.plus(-7),
        after: first.plus(7),
        this_week,
        chosen: chosen.unwrap_or(if in_week { today } else { first }),
        is_choosing: chosen.is_some(),
        recipes: choices(&book, &visitor).await?,
        notices: notices(&visitor, &pairs)?,
        can_repeat: pairs.has("before"),
    };
    Ok(frame::page(StatusCode::OK, &page))
}

/// What shopping for the week did.
fn notices(visitor: &SignedIn, pairs: &Pairs) -> Result<Vec<String>, Problem> {
    let language = visitor.language;
    let number = |name: &str| Ok::<i64, Problem>(pairs.whole::<0, 10_000>(name)?.map_or(0, Whole::get));
    let mut notices = Vec::new();
    if pairs.has("added") {
        notices.push(match (number("added")?, number("before")?) {
            (0, 0) => language.t("No recipe is planned for this week.").to_owned(),
            (0, _) => language.t("What this week needs was put on your shopping list before.").to_owned(),
            _ => language.t("What this week needs is on your shopping list.").to_owned(),
        });
    }
    if number("missing")? > 0 {
        notices
            .push(language.t("A planned recipe is in the trash; its ingredients were left out.").to_owned());
    }
    Ok(notices)
}

fn week(first: Day) -> Result<Days, Problem> {
    Days::new(first, first.plus(6)).map_err(|reason| Problem::field("week", reason))
}

async fn choices(book: &Book, visitor: &SignedIn) -> Result<Vec<Choice>, Failure> {
    let limit = PageSize::new(1_000).map_err(|reason| Problem::field("limit", reason))?;
    let query = ListQuery { limit: Some(limit), ..ListQuery::default() };
    let listing = book.store.list_recipes(&visitor.scope, query).await?;
    Ok(serde_json::from_str(&listing.json).map_err(Error::unavailable)?)
}

fn to_week(book: &Book, day: Day, more: &str) -> Response {
    Redirect::to(&format!("{}/plan?week={}{more}", book.settings.base, day.monday())).into_response()
}

/// The week of the form's page.
async fn week_of(book: &Book, form: &SignedForm) -> Result<Day, Failure> {
    Ok(match form.fields.read::<Day>("week")? {
        Some(week) => week,
        None => auth::today(&*book.store, &form.visitor.scope).await?,
    })
}

/// `POST /plan`: a title of the cookbook is a recipe; anything else is what there is instead.
pub(super) async fn add(State(book): State<Book>, form: SignedForm) -> Answer {
    let fields = &form.fields;
    let slot =
        Slot::ALL.into_iter().find(|slot| Some(slot.as_str()) == fields.text("slot")).unwrap_or_default();
    let (recipe_id, text) = match fields.read::<RecipeId>("recipe")? {
        Some(id) => (Some(id), None),
        None => what(&book, &form).await?,
    };
    let day: Day = fields.read("day")?.ok_or_else(|| Problem::field("day", "choose a day"))?;
    let meal = NewMeal { day, slot, recipe_id, text, servings: fields.whole("servings")? };
    book.store.plan_meals(&form.visitor.scope, vec![meal]).await?;
    match (fields.has("back"), recipe_id) {
        (true, Some(id)) => {
            Ok(Redirect::to(&format!("{}/recipes/{id}?done=planned", book.settings.base)).into_response())
        }
        _ => Ok(to_week(&book, day, "")),
    }
}

async fn what(book: &Book, form: &SignedForm) -> Result<(Option<RecipeId>, Option<MealText>), Failure> {
    let what = form.fields.text("what").map(str::trim).filter(|what| !what.is_empty());
    let what = what.ok_or_else(|| Problem::field("what", "choose a recipe, or write what there is"))?;
    if let Ok(title) = Title::new(what)
        && let Some(Some(id)) = book.store.titled(&form.visitor.scope, vec![title]).await?.first()
    {
        return Ok((Some(*id), None));
    }
    Ok((None, Some(MealText::new(what).map_err(|reason| Problem::field("what", reason))?)))
}

/// `POST /plan/remove`
pub(super) async fn remove(State(book): State<Book>, form: SignedForm) -> Answer {
    if let Some(meal) = form.fields.read::<MealId>("meal")? {
        book.store.unplan_meals(&form.visitor.scope, vec![meal]).await?;
    }
    Ok(to_week(&book, week_of(&book, &form).await?, ""))
}

/// `POST /plan/shop`: what the recipes of a week need goes on the shopping list, each meal once.
pub(super) async fn shop(State(book): State<Book>, form: SignedForm) -> Answer {
    let first = week_of(&book, &form).await?.monday();
    let list = ListName::new(DEFAULT_LIST).map_err(|reason| Problem::field("list", reason))?;
    let which = if form.fields.has("again") { ToShop::All } else { ToShop::New };
    let done = book.store.shop_for_meals(&form.visitor.scope, week(first)?, list, which).await?;
    let before = if done.before > 0 { format!("&before={}", done.before) } else { String::new() };
    let more = format!("&added={}{before}&missing={}", done.added, done.without_recipe);
    Ok(to_week(&book, first, &more))
}
