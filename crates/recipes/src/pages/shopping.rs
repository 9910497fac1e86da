//! The shopping list.

use askama::Template;
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::{IntoResponse, Redirect, Response};

use crate::aisle::Aisle;
use crate::api::input::Pairs;
use crate::api::problem::Problem;
use crate::id::ItemId;
use crate::import::read_ingredient;
use crate::pages::amount;
use crate::pages::failure::{Failure, encoded};
use crate::pages::form::SignedForm;
use crate::pages::frame::{self, Frame, Here};
use crate::pages::language::Language;
use crate::pages::visitor::SignedIn;
use crate::shopping::{DEFAULT_LIST, Item, ListChange, ListName, NewItem};
use crate::site::Book;

type Answer = Result<Response, Failure>;

#[derive(Template)]
#[template(path = "shopping.html")]
struct Page {
    frame: Frame,
    list: String,
    others: Vec<(String, String)>,
    aisles: Vec<Shelf>,
    bought: Vec<Line>,
}

/// What stands together in a shop.
struct Shelf {
    name: &'static str,
    lines: Vec<Line>,
}

struct Line {
    id: ItemId,
    amount: String,
    name: String,
}

impl Line {
    fn of(item: Item, language: Language) -> Line {
        let amount = amount::bought(item.quantity, item.unit.as_deref(), language);
        Line { id: item.id, amount, name: item.name }
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
    let others = others.map(|other| {
        let link = format!("{}/shopping?list={}", book.settings.base, encoded(&other));
        (link, if other == DEFAULT_LIST { visitor.language.t("Shopping list").to_owned() } else { other })
    });
    let page = Page {
        frame: Frame::new(&book, &visitor, Here::Shopping, visitor.language.t("Shopping list")),
        others: others.collect(),
        list: list.name,
        aisles: shelves(open, visitor.language),
        bought: bought.into_iter().map(|item| Line::of(item, visitor.language)).collect(),
    };
    Ok(frame::page(StatusCode::OK, &page))
}

/// What is to be bought, in the order of a walk through a shop.
fn shelves(items: Vec<Item>, language: Language) -> Vec<Shelf> {
    let mut items: Vec<(Aisle, Item)> = items.into_iter().map(|item| (Aisle::of(&item.name), item)).collect();
    items.sort_by_key(|(aisle, _)| *aisle);
    let mut shelves: Vec<(Aisle, Shelf)> = Vec::new();
    for (aisle, item) in items {
        let line = Line::of(item, language);
        match shelves.last_mut() {
            Some((same, shelf)) if *same == aisle => shelf.lines.push(line),
            _ => shelves.push((aisle, Shelf { name: aisle.name(), lines: vec![line] })),
        }
    }
    shelves.into_iter().map(|(_, shelf)| shelf).collect()
}

/// Things to buy as people type or paste them, a line each: `2 kg potatoes`.
fn typed(text: &str) -> Result<Vec<NewItem>, Problem> {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(300);
    let items = lines.filter_map(|line| {
        let read = read_ingredient(line)?;
        let unit = read.unit.filter(|_| read.quantity.is_some());
        Some(NewItem {
            name: read.name,
            quantity: read.quantity_max.or(read.quantity),
            unit,
            recipe_id: None,
        })
    });
    let items: Vec<NewItem> = items.collect();
    if items.is_empty() { Err(Problem::field("name", "write what to buy")) } else { Ok(items) }
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
        ListChange::Add(typed(fields.text("name").unwrap_or_default())?)
    };
    let list = book.store.change_shopping_list(&form.visitor.scope, list, change).await?;
    let at = format!("{}/shopping?list={}", book.settings.base, encoded(&list.name));
    Ok(Redirect::to(&at).into_response())
}
