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

/// What may be collected: the text of a page is that of each property around it, and one element may have many names.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// What a value takes besides its text.
const VALUE: usize = 100;

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
    let mut left = Left(MOST_BYTES);
    for piece in pieces(html) {
        match piece {
            Piece::Text(text) => collect(&mut stack, &mut left, &text),
            Piece::Open { name, attributes, closed } => {
                if name == "br" || name == "li" || name == "p" {
                    collect(&mut stack, &mut left, "\n");
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
                    put(&mut stack, &mut left, property, Value::from(value.as_str()), value.len());
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
                        close(&mut stack, &mut top, &mut left);
                    }
                }
            }
        }
    }
    while !stack.is_empty() {
        close(&mut stack, &mut top, &mut left);
    }
    Value::from(top)
}

/// How much more may be collected.
struct Left(usize);

impl Left {
    /// Whether there is room for this many bytes, which is gone then.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Adds a text to every property around it.
fn collect(stack: &mut [Open], left: &mut Left, text: &str) {
    for collected in stack.iter_mut().filter_map(|open| open.text.as_mut()) {
        if !left.take(text.len()) {
            return;
        }
        collected.push_str(text);
    }
}

fn push(stack: &mut Vec<Open>, open: Open) {
    if stack.len() < MOST_DEPTH {
        stack.push(open);
    }
}

fn close(stack: &mut Vec<Open>, top: &mut Vec<Value>, left: &mut Left) {
    let Some(Open { property, item, text, .. }) = stack.pop() else { return };
    match (item, property, text) {
        (Some(item), Some(property), _) if stack.iter().any(|open| open.item.is_some()) => {
            // A thing has one name: copies of copies would double with every level.
            let property = property.split_whitespace().next().unwrap_or_default();
            put(stack, left, property, Value::from(item), 0);
        }
        (Some(item), _, _) => top.push(Value::from(item)),
        (None, Some(property), Some(text)) => {
            let size = text.len();
            put(stack, left, &property, Value::from(text), size);
        }
        (None, _, _) => {}
    }
}

/// Gives a property to the innermost item.
fn put(stack: &mut [Open], left: &mut Left, property: &str, value: Value, size: usize) {
    let Some(item) = stack.iter_mut().rev().find_map(|open| open.item.as_mut()) else { return };
    let mut names = property.split_whitespace().peekable();
    while let Some(name) = names.next() {
        if !left.take(size + VALUE) {
            return;
        }
        if names.peek().is_none() {
            return add(item, name, value);
        }
        add(item, name, value.clone());
    }
}

/// Several values become a list.
fn add(item: &mut Map<String, Value>, name: &str, value: Value) {
    // What the vocabulary was called before.
    let name = if name == "ingredients" { "recipeIngredient" } else { name };
    match item.get_mut(name) {
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = Value::from(vec![first.take(), value]),
        None => {
            item.insert(name.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{MOST_BYTES, read};

    /// How many bytes the texts in a value have.
    fn weight(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(weight).sum(),
            Value::Object(object) => object.values().map(weight).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }

    /// Each of these became gigabytes, or more.
    #[test]
    fn a_page_does_not_become_more_than_it_is() {
        let item = "<div itemscope itemtype='http://schema.org/Recipe'>";
        let text = "a".repeat(1 << 20);
        for page in [
            format!("{item}{}{text}", "<b itemprop=name>".repeat(200)),
            format!("{item}<meta itemprop='{}' content='{text}'>", "name ".repeat(10_000)),
            format!("{item}{}<b itemprop=name>{text}", "<div itemscope itemprop='a b'>".repeat(100)),
        ] {
            let found = read(&page);
            assert!(found.get(0).is_some() && weight(&found) <= MOST_BYTES, "{}", weight(&found));
        }
    }
}
