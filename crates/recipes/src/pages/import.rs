//! Recipes from elsewhere: an address, pasted text or a file; then a look at what was found; then it is kept.

mod previews;

use std::collections::HashSet;

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::exchange;
use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::family::Role;
use crate::id::RecipeId;
use crate::import::{Import, Imported, Keep, OnDuplicate, Outcome, Report};
use crate::pages::amount::{System, amount, duration};
use crate::pages::failure::Failure;
use crate::pages::form::{LargeForm, SignedForm};
use crate::pages::frame::{self, Frame, Here};
use crate::pages::language::Language;
use crate::pages::visitor::SignedIn;
use crate::secret::Secret;
use crate::site::Book;

pub(crate) use previews::Previews;

type Answer = Result<Response, Failure>;

/// How many recipes of a preview can be opened; the rest are titles.
const OPENED: usize = 50;

#[derive(Template)]
#[template(path = "import.html")]
struct Page {
    frame: Frame,
    url: String,
    text: String,
    complaint: Option<String>,
}

#[derive(Template)]
#[template(path = "preview.html")]
struct Preview {
    frame: Frame,
    token: String,
    recipes: Vec<Seen>,
    problems: Vec<String>,
    /// How many of the titles are taken.
    doubles: usize,
}

/// A recipe that was found.
struct Seen {
    at: usize,
    title: String,
    description: String,
    facts: Vec<String>,
    /// Amount, name and notes of each ingredient.
    ingredients: Vec<(String, String, String)>,
    steps: Vec<String>,
    remarks: Vec<String>,
    existing: Option<RecipeId>,
    is_opened: bool,
}

#[derive(Template)]
#[template(path = "imported.html")]
struct Done {
    frame: Frame,
    report: Report,
    new: usize,
}

impl Done {
    /// How an outcome is told.
    fn told(outcome: Option<&Outcome>) -> &'static str {
        match outcome {
            Some(Outcome::Created) | None => "new",
            Some(Outcome::Renamed) => "new, under another title",
            Some(Outcome::Replaced) => "replaced the one you had",
            Some(Outcome::Skipped) => "you had it already",
            Some(Outcome::Failed) => "could not be kept",
        }
    }
}

fn form(book: &Book, visitor: &SignedIn, fields: &Pairs, complaint: Option<String>) -> Response {
    let text = |name| fields.text(name).unwrap_or_default().to_owned();
    let status = if complaint.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let frame = Frame::new(book, visitor, Here::Recipes, visitor.language.t("Import"));
    frame::page(status, &Page { frame, url: text("url"), text: text("text"), complaint })
}

/// `GET /import`
pub(super) async fn show(State(book): State<Book>, visitor: SignedIn, pairs: Pairs) -> Answer {
    visitor.scope.may(Role::Editor)?;
    // What another app shares: an address, or a text with one in it, or a recipe.
    let shared = pairs.text("shared").unwrap_or_default();
    let address =
        shared.split_whitespace().find(|word| word.starts_with("https://") || word.starts_with("http://"));
    let given = match (pairs.text("url").or(address), shared) {
        (Some(url), _) => vec![("url".to_owned(), url.to_owned())],
        (None, text) => vec![("text".to_owned(), text.to_owned())],
    };
    Ok(form(&book, &visitor, &Pairs(given), None))
}

/// `POST /import`: shows what was found, and keeps it in mind for a while.
pub(super) async fn look(State(book): State<Book>, sent: LargeForm) -> Answer {
    let SignedForm { visitor, fields, files, .. } = sent.form;
    let found = match (fields.text("url"), fields.text("text"), files.into_iter().next()) {
        (Some(url), _, _) => book.web.page(url.trim()).await.map_err(Problem::from),
        (None, Some(text), _) => exchange::read_text(text.to_owned()).await,
        (None, None, Some(file)) => exchange::read_file(file.name, file.bytes).await,
        (None, None, None) => Err(Problem::field("url", "give an address, a text or a file")),
    };
    match found {
        Ok(found) => preview(&book, &visitor, found).await,
        // What is wrong with what they gave is said beside it; the database's troubles have a page of their own.
        Err(problem) if problem.status().is_client_error() => {
            Ok(form(&book, &visitor, &fields, Some(visitor.language.says(problem.reason()))))
        }
        Err(problem) => Err(problem.into()),
    }
}

async fn preview(book: &Book, visitor: &SignedIn, found: Import) -> Answer {
    let titles = found.recipes.iter().map(|recipe| recipe.draft.title.clone()).collect();
    let existing = book.store.titled(&visitor.scope, titles).await?;
    let doubles = existing.iter().flatten().count();
    let recipes = found.recipes.iter().zip(existing).enumerate();
    let language = visitor.language;
    let recipes = recipes.map(|(at, (recipe, existing))| seen(language, at, recipe, existing)).collect();
    let problems = found.problems.iter().take(20).map(|problem| language.says(problem)).collect();
    let token = Secret::new()?;
    book.previews.put(&token, &visitor.scope, found).map_err(|reason| Problem::field("file", reason))?;
    let frame = Frame::new(book, visitor, Here::Recipes, language.t("Import"));
    let token = token.reveal().to_owned();
    Ok(frame::page(StatusCode::OK, &Preview { frame, token, recipes, problems, doubles }))
}

fn seen(language: Language, at: usize, recipe: &Imported, existing: Option<RecipeId>) -> Seen {
    let Imported { draft, picture, remarks } = recipe;
    let is_opened = at < OPENED;
    let ingredients = draft.ingredients.as_deref().unwrap_or_default();
    let steps = draft.steps.as_deref().unwrap_or_default();
    let minutes = |label: &str, minutes: Option<crate::number::Minutes>| {
        minutes.filter(|m| m.get() > 0).map(|m| format!("{label} {}", duration(m.get())))
    };
    let counted = |count: usize, one: &'static str, several: &'static str| {
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { several }))
    };
    let facts = [
        counted(ingredients.len(), language.t("ingredient"), language.t("ingredients")),
        counted(steps.len(), language.t("step"), language.t("steps")),
        draft.servings.map(|servings| format!("{} {servings}", language.t("serves"))),
        minutes(language.t("prepare"), draft.prep_time_minutes),
        minutes(language.t("cook"), draft.cook_time_minutes),
        picture.as_ref().map(|_| language.t("with a photo").to_owned()),
    ];
    let line = |what: &crate::ingredient::Ingredient| {
        let notes = what.notes.as_ref().map(ToString::to_string).unwrap_or_default();
        (amount(what, System::Written, language), what.name.to_string(), notes)
    };
    Seen {
        at,
        title: draft.title.to_string(),
        description: draft.description.as_ref().map(ToString::to_string).unwrap_or_default(),
        facts: facts.into_iter().flatten().collect(),
        ingredients: if is_opened { ingredients.iter().map(line).collect() } else { Vec::new() },
        steps: if is_opened { steps.iter().map(|s| s.instruction.to_string()).collect() } else { Vec::new() },
        remarks: remarks.iter().take(20).map(|remark| language.says(remark)).collect(),
        existing,
        is_opened,
    }
}

/// `POST /import/keep`
pub(super) async fn keep(State(book): State<Book>, form: SignedForm) -> Answer {
    let token = Secret::given(form.fields.text("preview").unwrap_or_default());
    let found = book.previews.take(&token, &form.visitor.scope).ok_or_else(too_old)?;
    let wanted: HashSet<usize> = form.fields.all("take").filter_map(|at| at.parse().ok()).collect();
    let on_duplicate = match form.fields.text("on_duplicate") {
        Some("rename") => OnDuplicate::Rename,
        Some("replace") => OnDuplicate::Replace,
        _ => OnDuplicate::Skip,
    };
    let recipes = found.recipes.into_iter().enumerate().filter(|(at, _)| wanted.contains(at));
    let found = Import { recipes: recipes.map(|(_, recipe)| recipe).collect(), problems: Vec::new() };
    let scope = form.visitor.scope.clone();
    let report = exchange::keep(&book, scope, found, Keep::All(on_duplicate)).await?;
    if let [entry] = report.recipes.as_slice()
        && let (Some(id), true) = (entry.id, entry.remarks.is_empty())
    {
        let done = if entry.outcome == Some(Outcome::Skipped) { "skipped" } else { "imported" };
        let place = format!("{}/recipes/{id}?done={done}", book.settings.base);
        return Ok(Redirect::to(&place).into_response());
    }
    let is_in = |outcome: Option<Outcome>| !matches!(outcome, Some(Outcome::Skipped | Outcome::Failed));
    let new = report.recipes.iter().filter(|entry| is_in(entry.outcome)).count();
    let frame = Frame::new(&book, &form.visitor, Here::Recipes, form.visitor.language.t("Imported"));
    Ok(frame::page(StatusCode::OK, &Done { frame, report, new }))
}

fn too_old() -> Problem {
    Problem::new(
        StatusCode::GONE,
        "gone",
        "this preview was used already or is too old; import once more to see what there is",
    )
}
