//! The meal plan: a week at a time.

use askama::Template;
use serde::Deserialize;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::error::Error;
use crate::id::{MealId, RecipeId};
use crate::listing::{ListQuery, PageSize};
use crate::pages::failure::Failure;
use crate::pages::form::SignedForm;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::recipe::put_on_list;
use crate::pages::visitor::SignedIn;
use crate::plan::{Days, Meal, NewMeal, Slot};
use crate::scale::{Scale, scale};
use crate::site::Book;
use crate::text::Text;
use crate::time::{Day, Time};

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "plan.html")]
struct Page {
    frame: Frame,
    days: Vec<Column>,
    first: Day,
    before: Day,
    after: Day,
    this_week: Day,
    recipes: Vec<Choice>,
    notice: Option<&'static str>,
}

struct Column {
    day: Day,
    name: &'static str,
    is_today: bool,
    meals: Vec<Meal>,
}

/// A recipe that can be planned.
#[derive(Deserialize)]
struct Choice {
    id: RecipeId,
    title: String,
}

const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The first day of 1970 was a Thursday.
fn weekday(day: Day) -> usize {
    usize::try_from((day.number() + 3).rem_euclid(7)).unwrap_or(0)
}

fn monday(day: Day) -> Day {
    day.plus(-i32::try_from(weekday(day)).unwrap_or(0))
}

/// `GET /plan`
pub(super) async fn show(State(book): State<Book>, visitor: SignedIn, pairs: Pairs) -> Answer {
    let today = Time::now().day();
    let first = monday(pairs.read("week")?.unwrap_or(today));
    let mut meals = book.store.plan(&visitor.scope, week(first)?).await?;
    let days = (0..7).map(|number| {
        let day = first.plus(number);
        let (of_day, rest): (Vec<Meal>, Vec<Meal>) =
            std::mem::take(&mut meals).into_iter().partition(|m| m.day == day);
        meals = rest;
        Column {
            day,
            name: NAMES.get(weekday(day)).copied().unwrap_or_default(),
            is_today: day == today,
            meals: of_day,
        }
    });
    let days = days.collect();
    let page = Page {
        frame: Frame::new(&book, &visitor, Here::Plan, "Meal plan"),
        days,
        first,
        before: first.plus(-7),
        after: first.plus(7),
        this_week: monday(today),
        recipes: choices(&book, &visitor).await?,
        notice: pairs.has("shopped").then_some("What this week needs is on your shopping list."),
    };
    Ok(frame::page(StatusCode::OK, &page))
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

fn back(book: &Book, form: &SignedForm, more: &str) -> Response {
    let week = form.fields.text("week").and_then(|week| week.parse::<Day>().ok());
    let week = week.unwrap_or_else(|| Time::now().day());
    Redirect::to(&format!("{}/plan?week={week}{more}", book.settings.base)).into_response()
}

/// `POST /plan`
pub(super) async fn add(State(book): State<Book>, form: SignedForm) -> Answer {
    let fields = &form.fields;
    let slot =
        Slot::ALL.into_iter().find(|slot| Some(slot.as_str()) == fields.text("slot")).unwrap_or_default();
    let text =
        fields.text("text").map(|text| Text::new(text).map_err(|reason| Problem::field("text", reason)));
    let meal = NewMeal {
        day: fields.read("day")?.ok_or_else(|| Problem::field("day", "choose a day"))?,
        slot,
        recipe_id: fields.read("recipe")?,
        text: text.transpose()?,
        servings: fields.whole("servings")?,
    };
    if meal.recipe_id.is_none() && meal.text.is_none() {
        return Err(Problem::field("recipe", "choose a recipe, or write what there is").into());
    }
    book.store.plan_meals(&form.visitor.scope, vec![meal]).await?;
    Ok(back(&book, &form, ""))
}

/// `POST /plan/remove`
pub(super) async fn remove(State(book): State<Book>, form: SignedForm) -> Answer {
    if let Some(meal) = form.fields.read::<MealId>("meal")? {
        book.store.unplan_meals(&form.visitor.scope, vec![meal]).await?;
    }
    Ok(back(&book, &form, ""))
}

/// `POST /plan/shop`: what the recipes of a week need goes on the shopping list.
pub(super) async fn shop(State(book): State<Book>, form: SignedForm) -> Answer {
    let first = monday(form.fields.read("week")?.unwrap_or_else(|| Time::now().day()));
    for meal in book.store.plan(&form.visitor.scope, week(first)?).await? {
        let Some(id) = meal.recipe_id else { continue };
        let mut recipe = book.store.recipe(&form.visitor.scope, id).await?;
        if let (Some(wanted), Some(_)) = (meal.servings, recipe.servings) {
            scale(&mut recipe, &Scale::Servings(wanted))
                .map_err(|reason| Problem::field("servings", reason))?;
        }
        put_on_list(&book, &form.visitor, recipe).await?;
    }
    Ok(back(&book, &form, "&shopped"))
}

#[cfg(test)]
mod tests {
    use super::{NAMES, monday, weekday};
    use crate::time::Day;

    #[test]
    fn weeks_begin_on_monday() {
        let day: Day = "2026-11-15".parse().expect("a day");
        assert_eq!(NAMES[weekday(day)], "Sunday");
        assert_eq!(monday(day).to_string(), "2026-11-09");
        assert_eq!(monday(monday(day)), monday(day));
        assert_eq!(NAMES[weekday("1969-12-29".parse().expect("a day"))], "Monday");
    }
}
