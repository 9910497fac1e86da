//! Writing and changing a recipe: one form, which works without script. With script, what is typed is kept in the browser
//! until it is saved.

mod fields;
mod reading;

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::{At, Pairs};
use crate::api::problem::Problem;
use crate::auth::Scope;
use crate::error::Error;
use crate::family::Role;
use crate::id::{RecipeId, kind};
use crate::pages::failure::Failure;
use crate::pages::form::{File, SignedForm};
use crate::pages::frame::{self, Frame, Here};
use crate::pages::photo;
use crate::pages::recipe::View;
use crate::pages::visitor::SignedIn;
use crate::photo::Place;
use crate::recipe::Recipe;
use crate::site::Book;

pub(crate) use fields::Fields;
pub(crate) use reading::Complaint;

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "edit.html")]
struct Page {
    frame: Frame,
    /// The recipe that is changed; none for a new one.
    id: Option<RecipeId>,
    fields: Fields,
    complaints: Vec<Complaint>,
    /// What the recipe became while this form was open.
    theirs: Option<View>,
}

impl Page {
    /// Whether something is wrong with a field that is folded away.
    fn complains_of_more(&self) -> bool {
        ["yield", "source", "nutrition"].iter().any(|field| self.complaint(field).is_some())
    }

    /// What is wrong with a field.
    fn complaint(&self, field: &str) -> Option<String> {
        let complaint = self.complaints.iter().find(|complaint| complaint.field == field);
        complaint.map(|complaint| self.frame.language.says(&complaint.message))
    }
}

struct Shown {
    id: Option<RecipeId>,
    fields: Fields,
    complaints: Vec<Complaint>,
    theirs: Option<View>,
}

impl Shown {
    fn of(id: Option<RecipeId>, fields: Fields) -> Shown {
        Shown { id, fields, complaints: Vec::new(), theirs: None }
    }
}

fn page(book: &Book, visitor: &SignedIn, status: StatusCode, shown: Shown) -> Response {
    let Shown { id, fields, complaints, theirs } = shown;
    let title = visitor.language.t(if id.is_some() { "Edit recipe" } else { "New recipe" });
    let frame = Frame::new(book, visitor, Here::Recipes, title);
    frame::page(status, &Page { frame, id, fields, complaints, theirs })
}

/// `GET /recipes/new`
pub(super) async fn new(State(book): State<Book>, visitor: SignedIn) -> Answer {
    Ok(page(&book, &visitor, StatusCode::OK, Shown::of(None, Fields::default())))
}

/// `GET /recipes/{id}/edit`
pub(super) async fn show(State(book): State<Book>, visitor: SignedIn, At(id): At<kind::Recipe>) -> Answer {
    let recipe = book.store.recipe(&visitor.scope, id).await?;
    Ok(page(&book, &visitor, StatusCode::OK, Shown::of(Some(id), Fields::of(&recipe))))
}

/// `POST /recipes`
pub(super) async fn create(State(book): State<Book>, form: SignedForm) -> Answer {
    form.visitor.scope.may(Role::Editor)?;
    let fields = Fields::sent(&form.fields);
    let draft = match fields.read(None) {
        Ok(draft) => draft,
        Err(complaints) => return Ok(complain(&book, &form.visitor, None, fields, complaints)),
    };
    match book.store.create_recipe(&form.visitor.scope, draft, None).await {
        Ok(recipe) => saved(&book, &form.visitor.scope, &recipe, form.files).await,
        Err(error) => refused(&book, &form.visitor, None, fields, error),
    }
}

/// `POST /recipes/{id}`
pub(super) async fn update(State(book): State<Book>, At(id): At<kind::Recipe>, form: SignedForm) -> Answer {
    let mut fields = Fields::sent(&form.fields);
    let now = book.store.recipe(&form.visitor.scope, id).await?;
    form.visitor.scope.may(Role::Editor)?;
    let draft = match fields.read(Some(&now)) {
        Ok(draft) => draft,
        Err(complaints) => return Ok(complain(&book, &form.visitor, Some(id), fields, complaints)),
    };
    let opened = Fields::of(&now);
    // Nothing that is in the form was changed meanwhile, whatever else was.
    let expected = if fields.base == opened.base { Some(now.version) } else { fields.version() };
    let before = match opened.read(Some(&now)) {
        Ok(before) => before,
        Err(complaints) => return Ok(complain(&book, &form.visitor, Some(id), fields, complaints)),
    };
    let changes = reading::changes(&before, draft, expected);
    match book.store.update_recipe(&form.visitor.scope, id, changes).await {
        Ok(recipe) => saved(&book, &form.visitor.scope, &recipe, form.files).await,
        Err(Error::Stale { current }) => {
            let theirs = book.store.recipe(&form.visitor.scope, id).await?;
            (fields.version, fields.base) = (current.0.to_string(), Fields::of(&theirs).base);
            let theirs = Some(View::of(theirs, &Pairs::default(), None, form.visitor.language)?);
            let shown = Shown { theirs, ..Shown::of(Some(id), fields) };
            Ok(page(&book, &form.visitor, StatusCode::CONFLICT, shown))
        }
        Err(error) => refused(&book, &form.visitor, Some(id), fields, error),
    }
}

/// The recipe is kept; a photo that came along may still be none.
async fn saved(book: &Book, scope: &Scope, recipe: &Recipe, files: Vec<File>) -> Answer {
    let done = photo::keep(book, scope, recipe.id, files, Place::Last).await?;
    Ok(Redirect::to(&format!("{}/recipes/{}?done={done}", book.settings.base, recipe.id)).into_response())
}

fn complain(
    book: &Book,
    visitor: &SignedIn,
    id: Option<RecipeId>,
    fields: Fields,
    complaints: Vec<Complaint>,
) -> Response {
    let shown = Shown { complaints, ..Shown::of(id, fields) };
    page(book, visitor, StatusCode::UNPROCESSABLE_ENTITY, shown)
}

/// What the store does not take is said beside the field it is about.
fn refused(book: &Book, visitor: &SignedIn, id: Option<RecipeId>, fields: Fields, error: Error) -> Answer {
    let complaint = match &error {
        Error::TitleTaken { .. } => Complaint::new("title", &error),
        Error::Invalid { field, reason } => Complaint::new(field, reason),
        _ => return Err(Problem::from(error).into()),
    };
    Ok(complain(book, visitor, id, fields, vec![complaint]))
}
