//! The first recipes of the cookbook, as its server `recipe-vault` lists them.

use askama::Template;
use serde::Deserialize;
use serde_json::json;
use web::axum::extract::State;
use web::axum::response::Response;

use super::{Shared, html};
use crate::client::{Answer, Block};

/// The server they come from.
pub(super) const SERVER: &str = "recipe-vault";

/// How many are shown.
const MOST: usize = 12;

#[derive(Template)]
#[template(path = "recipes.html")]
struct List {
    /// Where the pages of the cookbook are, where they are served here.
    cookbook: Option<&'static str>,
    recipes: Vec<Recipe>,
    /// Whether there are more than these.
    more: bool,
    /// Why there is no list, in the server's words.
    error: Option<String>,
}

#[derive(Deserialize)]
struct Recipe {
    id: String,
    title: String,
    #[serde(default)]
    description: Option<String>,
}

/// `GET /desk/recipes`
pub(super) async fn list(State(dashboard): State<Shared>) -> Response {
    let call = json!({ "name": "list_recipes", "arguments": { "limit": MOST } });
    let answer: Option<Answer> = dashboard.ask(SERVER, "tools/call", call).await;
    let cookbook = dashboard.setting.cookbook.as_ref().map(|(path, _)| *path);
    html(&shown(answer.as_ref(), cookbook))
}

fn shown(answer: Option<&Answer>, cookbook: Option<&'static str>) -> List {
    let blocks = answer.map_or(&[][..], |answer| answer.content.as_slice());
    let text = |block: &'_ Block| if let Block::Text { text } = block { Some(text.clone()) } else { None };
    let texts: Vec<String> = blocks.iter().filter_map(text).collect();
    let first = texts.first().map_or("", String::as_str);
    let has_failed = answer.is_none_or(|answer| answer.is_error);
    match serde_json::from_str(first) {
        Ok(recipes) if !has_failed => List { cookbook, recipes, more: texts.len() > 1, error: None },
        _ => List { cookbook, recipes: Vec::new(), more: false, error: Some(first.to_owned()) },
    }
}
