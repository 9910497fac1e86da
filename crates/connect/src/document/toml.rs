//! TOML, as Codex has it: a table below `mcp_servers` for each server.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, TableLike, Value as Node};

use super::{EditError, Fault, Field, Span, Spans, Style, line_before, splice};

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
    // The white space in front of a key, or the other parts of a dotted one.
    let before = line_before(text, span.start);
    (end..end, format!("{}{before}{new}", Style::of(text).newline))
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
    let servers = document.get(SERVERS).and_then(Item::as_table_like);
    let Some((key, item)) = servers.and_then(|servers| servers.get_key_value(name)) else {
        return Ok(text.to_owned());
    };
    let (key, value) = (key.span(), item.span());
    match item {
        Item::Table(table) => {
            let blank = if table.is_dotted() { Blank::Stays } else { Blank::Goes };
            Ok(without_lines(text, ranges_of(table), blank))
        }
        // On one line, as a person writes it.
        Item::Value(_) => {
            let range = key.zip(value).map(|(key, value)| key.start..value.end).ok_or(EditError::Unsafe)?;
            if document.get(SERVERS).is_some_and(Item::is_inline_table) {
                return Ok(without_item(text, &range));
            }
            Ok(without_lines(text, vec![range], Blank::Stays))
        }
        Item::None | Item::ArrayOfTables(_) => Err(EditError::Unsafe),
    }
}

/// What happens to the blank line in front of an entry. We write one in front of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    Goes,
    Stays,
}

/// The text without the lines that these ranges touch. Comments between two of them go with them; anything else stays.
fn without_lines(text: &str, mut ranges: Vec<Range<usize>>, blank: Blank) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
        match cuts.last_mut() {
            Some(last) if start <= last.end || is_comment(&text[last.end..start]) => {
                last.end = last.end.max(end);
            }
            _ => cuts.push(start..end),
        }
    }
    if let (Blank::Goes, Some(first)) = (blank, cuts.first_mut()) {
        let before = &text[..first.start];
        let newline = ["\r\n", "\n"]
            .iter()
            .find(|newline| before.strip_suffix(**newline).is_some_and(|rest| rest.ends_with('\n')));
        first.start -= newline.map_or(0, |newline| newline.len());
    }
    splice(text, cuts.into_iter().map(|cut| (cut, String::new())).collect())
}

fn is_comment(lines: &str) -> bool {
    lines.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// Between braces: the item and the comma in front of it, or behind it if it was the first.
fn without_item(text: &str, range: &Range<usize>) -> String {
    let before = text[..range.start].trim_end();
    let behind = text[range.end..].trim_start();
    let cut = if before.ends_with(',') {
        before.len() - 1..range.end
    } else {
        let behind = behind.strip_prefix(',').unwrap_or(behind).trim_start();
        range.start..text.len() - behind.len()
    };
    splice(text, vec![(cut, String::new())])
}

/// The ranges of a table and of the tables below it. A header and its values are one range: what stands between them is part of
/// the entry.
fn ranges_of(table: &toml_edit::Table) -> Vec<Range<usize>> {
    let (mut own, mut below) = (Vec::new(), Vec::new());
    collect(table, &mut own, &mut below);
    match (table.span(), own.iter().map(|range| range.end).max()) {
        (Some(header), end) if !table.is_dotted() => below.push(header.start..end.unwrap_or(header.end)),
        _ => below.append(&mut own),
    }
    below
}

fn collect(table: &toml_edit::Table, own: &mut Vec<Range<usize>>, below: &mut Vec<Range<usize>>) {
    own.extend(table.span().filter(|_| !table.is_dotted()));
    for (_, item) in table {
        match item {
            Item::Table(table) if table.is_dotted() => collect(table, own, below),
            Item::Table(table) => below.append(&mut ranges_of(table)),
            other => own.extend(other.span()),
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
