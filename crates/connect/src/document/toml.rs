//! TOML, as Codex has it: a table below `mcp_servers` for each server.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, TableLike, Value as Node};

use super::{EditError, Fault, Field, Span, Spans, Style, indentation, line_before, splice};

const SERVERS: &str = "mcp_servers";

/// Some editors put it first; it is no part of the TOML, but the parser knows it.
fn parse(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        EditError::Unreadable(Fault::at(text, offset, error.message().trim().replace('\n', ", ")))
    })
}

pub(super) fn meaning(text: &str) -> Result<Value, EditError> {
    Ok(table_value(parse(text)?.as_table()))
}

fn table_value(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), item_value(item))).collect())
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_value(value),
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|table| table_value(table)).collect()),
    }
}

fn value_value(value: &Node) -> Value {
    match value {
        Node::String(text) => Value::String(text.value().clone()),
        Node::Boolean(boolean) => Value::Bool(*boolean.value()),
        Node::Integer(number) => Value::from(*number.value()),
        Node::Float(number) => Value::String(format!("float {}", number.value())),
        Node::Datetime(time) => Value::String(format!("time {}", time.value())),
        Node::Array(items) => Value::Array(items.iter().map(value_value).collect()),
        Node::InlineTable(table) => table_value(table),
    }
}

fn entry_of<'d>(document: &'d Document<&str>, name: &str) -> Option<&'d Item> {
    document.get(SERVERS)?.as_table_like()?.get(name)
}

pub(super) fn spans(text: &str, name: &str) -> Result<Option<Spans>, EditError> {
    let document = parse(text)?;
    Ok(entry_of(&document, name).and_then(spans_in))
}

fn spans_in(item: &Item) -> Option<Spans> {
    let table = item.as_table_like()?;
    let span = |(key, item): (&str, &Item)| {
        let (name, _) = table.get_key_value(key)?;
        Some(Span {
            key: key.to_owned(),
            start: name.span()?.start,
            value: item.span()?,
            inside: spans_in(item),
        })
    };
    Some(Spans { items: table.iter().filter_map(span).collect(), is_flow: item.is_inline_table() })
}

/// Behind another value: on the next line, or behind a comma.
pub(super) fn behind(
    text: &str,
    span: &Span,
    is_inline: bool,
    (name, value): (&str, &Value),
) -> (Range<usize>, String) {
    let new = format!("{} = {}", key(name), written(value));
    let end = span.value.end;
    if is_inline {
        return (end..end, format!(", {new}"));
    }
    let end = text[end..].find(['\n', '\r']).map_or(text.len(), |at| end + at);
    let indent = indentation(line_before(text, span.start));
    (end..end, format!("{}{indent}{new}", Style::of(text).newline))
}

pub(super) fn insert(text: &str, name: &str, fields: &[Field]) -> String {
    let newline = Style::of(text).newline;
    let mut new = text.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(newline);
    }
    if !new.trim_start_matches('\u{feff}').is_empty() {
        new.push_str(newline);
    }
    let _ = write!(new, "[{SERVERS}.{}]{newline}", key(name));
    for (name, value) in fields {
        let _ = write!(new, "{} = {}{newline}", key(name), written(value));
    }
    new
}

pub(super) fn remove(text: &str, name: &str) -> Result<String, EditError> {
    let document = parse(text)?;
    let Some(item) = document.get(SERVERS).and_then(Item::as_table_like).and_then(|table| table.get(name))
    else {
        return Ok(text.to_owned());
    };
    let Item::Table(table) = item else {
        // On one line, or as dotted keys: nothing we ever wrote.
        return Err(EditError::Unsafe);
    };
    let mut ranges = Vec::new();
    collect(table, &mut ranges);
    let start = ranges.iter().map(|range| range.start).min().ok_or(EditError::Unsafe)?;
    let end = ranges.iter().map(|range| range.end).max().ok_or(EditError::Unsafe)?;
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    // The blank line in front of it goes with it.
    let before = &text[..start];
    let start = ["\r\n", "\n"]
        .iter()
        .find(|newline| before.strip_suffix(**newline).is_some_and(|rest| rest.ends_with('\n')))
        .map_or(start, |newline| start - newline.len());
    Ok(splice(text, vec![(start..end, String::new())]))
}

/// The ranges of a table's header, its values and the tables below it.
fn collect(table: &toml_edit::Table, ranges: &mut Vec<Range<usize>>) {
    ranges.extend(table.span());
    for (_, item) in table {
        match item {
            Item::Table(table) => collect(table, ranges),
            other => ranges.extend(other.span()),
        }
    }
}

fn key(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_bare { name.to_owned() } else { Value::from(name).to_string() }
}

/// The escapes of JSON strings are escapes of TOML strings, too.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let one = |(name, value): (&String, &Value)| format!("{} = {}", key(name), written(value));
            format!("{{ {} }}", map.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
