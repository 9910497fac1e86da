//! The shopping list.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::id::ItemId;
use crate::pages::amount;
use crate::pages::failure::{Failure, encoded};
use crate::pages::form::SignedForm;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::visitor::SignedIn;
use crate::shopping::{DEFAULT_LIST, Item, ListChange, ListName, NewItem};
use crate::site::Book;
use crate::text::Text;

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "shopping.html")]
struct Page {
    frame: Frame,
    list: String,
    others: Vec<(String, String)>,
    open: Vec<Line>,
    bought: Vec<Line>,
}

struct Line {
    id: ItemId,
    amount: String,
    name: String,
}

impl Line {
    fn of(item: Item) -> Line {
        Line { id: item.id, amount: amount::bought(item.quantity, item.unit.as_deref()), name: item.name }
    }
}

fn named(pairs: &Pairs) -> Result<ListName, Problem> {
    ListName::new(pairs.text("list").unwrap_or(DEFAULT_LIST)).map_err(|reason| Problem::field("list", reason))
}

/// `GET /shopping`
pub(super) async fn show(State(book): State<Book>, visitor: SignedIn, pairs: Pairs) -> Answer {
    let name = named(&pairs)?;
    let list = book.store.shopping_list(&visitor.scope, name).await?;
    let (bought, open): (Vec<Item>, Vec<Item>) = list.items.into_iter().partition(|item| item.checked);
    let others =
        book.store.shopping_lists(&visitor.scope).await?.into_iter().filter(|other| *other != list.name);
    let others =
        others.map(|other| (format!("{}/shopping?list={}", book.settings.base, encoded(&other)), other));
    let page = Page {
        frame: Frame::new(&book, &visitor, Here::Shopping, "Shopping list"),
        others: others.collect(),
        list: list.name,
        open: open.into_iter().map(Line::of).collect(),
        bought: bought.into_iter().map(Line::of).collect(),
    };
    Ok(frame::page(StatusCode::OK, &page))
}

/// `POST /shopping`: the button says what becomes of the list.
pub(super) async fn change(State(book): State<Book>, form: SignedForm) -> Answer {
    let fields = &form.fields;
    let list = named(fields)?;
    let item = |name: &str| -> Result<Option<ItemId>, Problem> { fields.read(name) };
    let change = if let Some(item) = item("check")? {
        ListChange::Check { items: vec![item], checked: true }
    } else if let Some(item) = item("uncheck")? {
        ListChange::Check { items: vec![item], checked: false }
    } else if let Some(item) = item("remove")? {
        ListChange::Remove(vec![item])
    } else if fields.has("clear") {
        ListChange::ClearChecked
    } else {
        let name = fields.text("name").ok_or_else(|| Problem::field("name", "write what to buy"))?;
        let name = Text::new(name).map_err(|reason| Problem::field("name", reason))?;
        ListChange::Add(vec![NewItem { name, quantity: None, unit: None, recipe_id: None }])
    };
    let list = book.store.change_shopping_list(&form.visitor.scope, list, change).await?;
    let at = format!("{}/shopping?list={}", book.settings.base, encoded(&list.name));
    Ok(Redirect::to(&at).into_response())
}
