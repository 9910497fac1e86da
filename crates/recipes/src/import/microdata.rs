//! Microdata of a page, as the JSON-LD it could have been: one reader understands both.

use serde_json::{Map, Value};

use super::html::{Piece, pieces};

/// Elements that have no end.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Elements deeper than this are not looked at.
const MOST_DEPTH: usize = 256;

struct Open {
    name: String,
    property: Option<String>,
    /// Set for an item; its properties go here.
    item: Option<Map<String, Value>>,
    /// Set for a property whose value is its text.
    text: Option<String>,
}

/// The items at the top of a page.
pub(super) fn read(html: &str) -> Value {
    let (mut stack, mut top): (Vec<Open>, Vec<Value>) = (Vec::new(), Vec::new());
    for piece in pieces(html) {
        match piece {
            Piece::Text(text) => {
                for open in &mut stack {
                    if let Some(collected) = &mut open.text {
                        collected.push_str(&text);
                    }
                }
            }
            Piece::Open { name, attributes, closed } => {
                if name == "br" || name == "li" || name == "p" {
                    stack.iter_mut().filter_map(|open| open.text.as_mut()).for_each(|text| text.push('\n'));
                }
                let property = attributes.get("itemprop").cloned();
                let item = attributes.contains_key("itemscope").then(|| {
                    let kind = attributes.get("itemtype").and_then(|kind| kind.rsplit('/').next());
                    Map::from_iter(kind.map(|kind| ("@type".to_owned(), Value::from(kind))))
                });
                let attribute = ["content", "datetime", "src", "href"].iter().find_map(|key| {
                    // A link's text is the property of a span; its address that of an image or a link.
                    let counts = *key != "href" || matches!(name.as_str(), "a" | "link");
                    attributes.get(*key).filter(|_| counts).cloned()
                });
                let ends = closed || VOID.contains(&name.as_str());
                if item.is_none()
                    && let (Some(property), Some(value)) = (&property, &attribute)
                {
                    put(&mut stack, property, &Value::from(value.as_str()));
                    if !ends {
                        push(&mut stack, Open { name, property: None, item: None, text: None });
                    }
                    continue;
                }
                if !ends {
                    let text = (property.is_some() && item.is_none()).then(String::new);
                    push(&mut stack, Open { name, property, item, text });
                }
            }
            Piece::Close(name) => {
                // An end without a start is nothing; one further out ends what is inside it.
                if let Some(at) = stack.iter().rposition(|open| open.name == name) {
                    while stack.len() > at {
                        close(&mut stack, &mut top);
                    }
                }
            }
        }
    }
    while !stack.is_empty() {
        close(&mut stack, &mut top);
    }
    Value::from(top)
}

fn push(stack: &mut Vec<Open>, open: Open) {
    if stack.len() < MOST_DEPTH {
        stack.push(open);
    }
}

fn close(stack: &mut Vec<Open>, top: &mut Vec<Value>) {
    let Some(Open { property, item, text, .. }) = stack.pop() else { return };
    match (item, property, text) {
        (Some(item), Some(property), _) if stack.iter().any(|open| open.item.is_some()) => {
            put(stack, &property, &Value::from(item));
        }
        (Some(item), _, _) => top.push(Value::from(item)),
        (None, Some(property), Some(text)) => put(stack, &property, &Value::from(text)),
        (None, _, _) => {}
    }
}

/// Gives a property to the innermost item; several values become a list.
fn put(stack: &mut [Open], property: &str, value: &Value) {
    let Some(item) = stack.iter_mut().rev().find_map(|open| open.item.as_mut()) else { return };
    for name in property.split_whitespace() {
        // What the vocabulary was called before.
        let name = if name == "ingredients" { "recipeIngredient" } else { name };
        match item.get_mut(name) {
            Some(Value::Array(values)) => values.push(value.clone()),
            Some(first) => *first = Value::from(vec![first.clone(), value.clone()]),
            None => {
                item.insert(name.to_owned(), value.clone());
            }
        }
    }
}
