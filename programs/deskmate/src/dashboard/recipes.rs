//! The first recipes of the cookbook, as its server `recipe-vault` lists them.

use askama::Template;
use recipes::inspect::{Inspected, inspect};
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
    let cookbook = dashboard.setting.cookbook.as_ref().map(|(path, _)| *path);
    if is_missing().await {
        return html(&List { cookbook, recipes: Vec::new(), more: false, error: None });
    }
    let call = json!({ "name": "list_recipes", "arguments": { "limit": MOST } });
    let answer: Option<Answer> = dashboard.ask(SERVER, "tools/call", call).await;
    html(&shown(answer.as_ref(), cookbook))
}

/// Whether there is no cookbook yet: looking at a page makes none.
async fn is_missing() -> bool {
    match recipes::Config::from_environment(crate::doctor::set).source {
        Ok(source) => matches!(inspect(&source).await, Ok(Inspected::Nothing { .. })),
        Err(_) => false,
    }
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
