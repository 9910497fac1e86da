//! YAML, as Goose (a mapping of servers) and Continue (a list of them) have it.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::Value;

use super::json::on_one_line;
use super::{EditError, Fault, Field, Span, Spans, Style, check_letters, indentation, line_before, splice};

/// What introduces an entry.
pub(super) enum Item<'n> {
    Key(&'n str),
    Dash,
}

/// Deeper than any configuration is.
const MOST_DEPTH: usize = 64;

/// A part of the document, and where it is, in bytes.
struct Node {
    range: Range<usize>,
    kind: Kind,
}

enum Kind {
    Scalar { text: String, is_plain: bool },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    Alias(usize),
}

impl Node {
    /// Where the last thing in it ends.
    fn end(&self) -> usize {
        match &self.kind {
            Kind::Scalar { .. } | Kind::Alias(_) => self.range.end,
            Kind::List(items) => items.last().map_or(self.range.end, Node::end),
            Kind::Map(pairs) => {
                pairs.last().map_or(self.range.end, |(key, value)| value.end().max(key.end()))
            }
        }
    }

    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            Kind::List(_) | Kind::Map(_) | Kind::Alias(_) => None,
        }
    }

    fn get(&self, key: &str) -> Option<&(Node, Node)> {
        match &self.kind {
            Kind::Map(pairs) => pairs.iter().find(|(name, _)| name.text() == Some(key)),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Alias(_) => None,
        }
    }

    fn value(&self) -> Result<Value, EditError> {
        Ok(match &self.kind {
            Kind::Scalar { text, is_plain: true } => match text.as_str() {
                "" | "~" | "null" | "Null" | "NULL" => Value::Null,
                // As it is written: two spellings are two values to us.
                other => Value::String(other.to_owned()),
            },
            Kind::Scalar { text, is_plain: false } => Value::String(text.clone()),
            Kind::Alias(anchor) => Value::String(format!("alias {anchor}")),
            Kind::List(items) => Value::Array(items.iter().map(Node::value).collect::<Result<_, _>>()?),
            Kind::Map(pairs) => {
                let mut map = serde_json::Map::new();
                for (key, value) in pairs {
                    let name = key.value()?;
                    let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
                    if map.insert(name.clone(), value.value()?).is_some() {
                        return Err(EditError::Twice(name));
                    }
                }
                Value::Object(map)
            }
        })
    }
}

/// Something that is being read, outside in.
enum Open {
    List(usize, Vec<Node>),
    Map(usize, Vec<(Node, Node)>, Option<Node>),
}

fn parse(text: &str) -> Result<Option<Node>, EditError> {
    // Places are counted in characters there.
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let byte = |index: usize| starts.get(index).copied().unwrap_or(text.len());
    let fault = |at: usize, reason: &str| EditError::Unreadable(Fault::at(text, at, reason));
    let mut parser = Parser::new_from_str(text);
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| fault(byte(error.marker().index()), error.info()))?;
        let range = byte(span.start.index())..byte(span.end.index());
        let done = match event {
            Event::Scalar(value, style, _, _) => {
                let kind = Kind::Scalar { text: value.into_owned(), is_plain: style == ScalarStyle::Plain };
                Node { range, kind }
            }
            Event::Alias(anchor) => Node { range, kind: Kind::Alias(anchor) },
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == MOST_DEPTH {
                    return Err(fault(range.start, "nested too deep"));
                }
                open.push(match event {
                    Event::SequenceStart(..) => Open::List(range.start, Vec::new()),
                    _ => Open::Map(range.start, Vec::new(), None),
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(start, items)) => Node { range: start..range.end, kind: Kind::List(items) },
                Some(Open::Map(start, pairs, _)) => Node { range: start..range.end, kind: Kind::Map(pairs) },
                None => return Err(EditError::Unsafe),
            },
            Event::DocumentStart(_) if root.is_some() => {
                return Err(fault(range.start, "a second document begins; only one is expected"));
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => continue,
        };
        match open.last_mut() {
            None => root = Some(done),
            Some(Open::List(_, items)) => items.push(done),
            Some(Open::Map(_, pairs, key)) => match key.take() {
                None => *key = Some(done),
                Some(key) => pairs.push((key, done)),
            },
        }
    }
    check_letters(text)?;
    // A document of comments alone is an empty scalar to the parser.
    Ok(root.filter(|root| root.text().is_none_or(|text| !text.is_empty())))
}

pub(super) fn meaning(text: &str) -> Result<Value, EditError> {
    parse(text)?.map_or(Ok(Value::Null), |root| root.value())
}

/// The entry of a name, and the range of its introduction.
fn entry_of<'n>(root: &'n Node, servers: &str, name: &str) -> Option<(usize, &'n Node)> {
    let (_, servers) = root.get(servers)?;
    match &servers.kind {
        Kind::Map(_) => servers.get(name).map(|(key, value)| (key.range.start, value)),
        Kind::List(items) => {
            let named = |item: &&Node| item.get("name").and_then(|(_, name)| name.text()) == Some(name);
            items.iter().find(named).map(|item| (item.range.start, item))
        }
        Kind::Scalar { .. } | Kind::Alias(_) => None,
    }
}

pub(super) fn spans(text: &str, servers: &str, name: &str) -> Result<Option<Spans>, EditError> {
    let root = parse(text)?;
    let Some((_, entry)) = root.as_ref().and_then(|root| entry_of(root, servers, name)) else {
        return Ok(None);
    };
    Ok(spans_in(text, entry))
}

/// Where things are in a mapping.
fn spans_in(text: &str, node: &Node) -> Option<Spans> {
    let Kind::Map(pairs) = &node.kind else { return None };
    let span = |(key, value): &(Node, Node)| {
        let end = trimmed(text, value.end().max(flow_end(text, value)));
        Some(Span {
            key: key.text()?.to_owned(),
            start: key.range.start,
            value: value.range.start..end.max(value.range.start),
            inside: spans_in(text, value),
        })
    };
    let is_flow = text[node.range.start..].starts_with('{');
    Some(Spans { items: pairs.iter().filter_map(span).collect(), is_flow })
}

/// Behind another value: on the next line, or behind a comma.
pub(super) fn behind(
    text: &str,
    span: &Span,
    is_flow: bool,
    (key, value): (&str, &Value),
) -> (Range<usize>, String) {
    let end = span.value.end;
    if is_flow {
        return (end..end, format!(", {}: {}", Value::from(key), on_one_line(value)));
    }
    let end = line_end(text, end);
    // The first key of an item in a list is behind a dash; the others are below it.
    let column = line_before(text, span.start).chars().count();
    (
        end..end,
        format!("{}{:column$}{}: {}", Style::of(text).newline, "", plain(&Value::from(key)), plain(value)),
    )
}

/// Where something in brackets ends, which is behind the last thing in it.
fn flow_end(text: &str, node: &Node) -> usize {
    if text[node.range.start..].starts_with(['[', '{']) { node.range.end } else { 0 }
}

/// The end of the last thing that is not white space before a place.
fn trimmed(text: &str, end: usize) -> usize {
    text[..end].trim_end().len()
}

/// The end of the line a place is on, before the line break.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |found| at + found)
}

pub(super) fn insert(
    text: &str,
    servers: &str,
    item: &Item<'_>,
    fields: &[Field],
) -> Result<String, EditError> {
    let style = Style::of(text);
    let newline = style.newline;
    let Some(root) = parse(text)? else {
        let start = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return Ok(format!(
            "{text}{start}{servers}:{newline}{}{newline}",
            block(item, fields, "  ", "  ", newline)
        ));
    };
    let Some((key, value)) = root.get(servers) else {
        if !matches!(root.kind, Kind::Map(_)) || text[root.range.start..].starts_with('{') {
            return Err(EditError::Unsafe);
        }
        let end = line_end(text, trimmed(text, root.end()));
        let new = format!("{newline}{servers}:{newline}{}", block(item, fields, "  ", "  ", newline));
        let last = if end == text.len() { newline } else { "" };
        return Ok(splice(text, vec![(end..end, format!("{new}{last}"))]));
    };
    let unit = if style.unit.contains('\t') { "  " } else { style.unit.as_str() };
    let is_flow = text[value.range.start..].starts_with(['[', '{']);
    let mut edits = Vec::new();
    let (at, indent) = match &value.kind {
        Kind::Scalar { is_plain: true, .. } if value.value()?.is_null() && !value.range.is_empty() => {
            let null = trimmed(text, value.range.start)..trimmed(text, value.range.end);
            edits.push((null.clone(), String::new()));
            (line_end(text, null.end), unit.to_owned())
        }
        Kind::Scalar { .. } if value.range.is_empty() => (line_end(text, key.range.end), unit.to_owned()),
        Kind::List(_) | Kind::Map(_) if is_flow => {
            let close = trimmed(text, value.range.end).checked_sub(1).ok_or(EditError::Unsafe)?;
            let inside = text[value.range.start + 1..close].trim();
            let comma = if inside.is_empty() || inside.ends_with(',') { "" } else { ", " };
            return Ok(splice(text, vec![(close..close, format!("{comma}{}", flow(item, fields)))]));
        }
        Kind::List(_) => {
            let line = line_before(text, value.range.start);
            (line_end(text, trimmed(text, value.end())), indentation(line).to_owned())
        }
        Kind::Map(_) => {
            let line = line_before(text, value.range.start);
            (line_end(text, trimmed(text, value.end())), line.to_owned())
        }
        Kind::Scalar { .. } | Kind::Alias(_) => return Err(EditError::Unsafe),
    };
    if !indent.bytes().all(|byte| byte == b' ') {
        return Err(EditError::Unsafe);
    }
    let new = format!("{newline}{}", block(item, fields, &indent, unit, newline));
    edits.push((at..at, new));
    Ok(splice(text, edits))
}

pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, EditError> {
    let root = parse(text)?;
    let Some((start, entry)) = root.as_ref().and_then(|root| entry_of(root, servers, name)) else {
        return Ok(text.to_owned());
    };
    let container = root.as_ref().and_then(|root| root.get(servers)).map(|(_, value)| value.range.start);
    if container.is_some_and(|at| text[at..].starts_with(['[', '{'])) {
        return remove_flow(text, start, entry);
    }
    let end = line_end(text, trimmed(text, entry.end().max(flow_end(text, entry))));
    let start = start - line_before(text, start).len();
    let rest = &text[end..];
    let after = end + if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    Ok(splice(text, vec![(start..after, String::new())]))
}

/// Between brackets: the entry and the comma in front of it, or behind it if it was the first.
fn remove_flow(text: &str, start: usize, entry: &Node) -> Result<String, EditError> {
    let end = trimmed(text, entry.range.end);
    let before = text[..start].trim_end();
    let rest = text[end..].trim_start();
    let range = if before.ends_with(',') {
        before.len() - 1..end
    } else if rest.starts_with(',') {
        start..text.len() - rest.len() + 1
    } else {
        start..end
    };
    if range.start > range.end {
        Err(EditError::Unsafe)
    } else {
        Ok(splice(text, vec![(range, String::new())]))
    }
}

/// An entry on lines of its own, without the last line break.
fn block(item: &Item<'_>, fields: &[Field], indent: &str, unit: &str, newline: &str) -> String {
    let lines = |indent: &str| -> Vec<String> {
        fields.iter().map(|(key, value)| format!("{indent}{key}: {}", plain(value))).collect()
    };
    match item {
        Item::Key(name) => {
            let lines = lines(&format!("{indent}{unit}")).join(newline);
            format!("{indent}{}:{newline}{lines}", plain(&Value::from(*name)))
        }
        Item::Dash => {
            let mut lines = lines(&format!("{indent}  "));
            if let Some(first) = lines.first_mut() {
                *first = format!("{indent}- {}", first.trim_start());
            }
            lines.join(newline)
        }
    }
}

fn flow(item: &Item<'_>, fields: &[Field]) -> String {
    let one = |(key, value): &Field| format!("{}: {}", Value::from(*key), on_one_line(value));
    let map = format!("{{{}}}", fields.iter().map(one).collect::<Vec<_>>().join(", "));
    match item {
        Item::Key(name) => format!("{}: {map}", Value::from(*name)),
        Item::Dash => map,
    }
}

/// A word stands for itself; anything else is written as in JSON, which YAML reads.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(word) if is_word(word) => word.clone(),
        other => on_one_line(other),
    }
}

fn is_word(text: &str) -> bool {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-/.".contains(&byte))
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
}
