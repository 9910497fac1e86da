//! JSON, with comments where the client reads them.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{EditError, Fault, Field, Span, Spans, Style, check_letters, indentation, line_before, splice};

/// Some editors put it first; it is no part of the JSON.
const BOM: char = '\u{feff}';

fn parse(text: &str, comments: bool) -> Result<Option<Node<'_>>, EditError> {
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        EditError::Unreadable(Fault::at(text, error.range().start, lower(&error.kind().to_string())))
    })?;
    check_letters(text)?;
    if !comments && parsed.value.is_some() {
        check_strictly(text)?;
    }
    Ok(parsed.value)
}

/// What a client reads that knows JSON and nothing else.
fn check_strictly(text: &str) -> Result<(), EditError> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => Ok(()),
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            Err(EditError::Unreadable(Fault { line: error.line(), column: error.column(), reason }))
        }
    }
}

/// As our messages have it.
fn lower(reason: &str) -> String {
    let mut letters = reason.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Without the mark, and how long that was.
fn body(text: &str) -> (&str, usize) {
    text.strip_prefix(BOM).map_or((text, 0), |body| (body, BOM.len_utf8()))
}

pub(super) fn meaning(text: &str, comments: bool) -> Result<Value, EditError> {
    match parse(body(text).0, comments)? {
        None => Ok(Value::Null),
        Some(node) => value_of(&node),
    }
}

fn value_of(node: &Node<'_>) -> Result<Value, EditError> {
    Ok(match node {
        Node::StringLit(text) => Value::String(text.value.clone().into_owned()),
        // As it is written: two spellings of a number are two values to us.
        Node::NumberLit(number) => Value::String(format!("number {}", number.value)),
        Node::BooleanLit(boolean) => Value::Bool(boolean.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(array) => Value::Array(array.elements.iter().map(value_of).collect::<Result<_, _>>()?),
        Node::Object(object) => {
            let mut map = serde_json::Map::new();
            for property in &object.properties {
                let name = property.name.as_str().to_owned();
                if map.insert(name.clone(), value_of(&property.value)?).is_some() {
                    return Err(EditError::Twice(name));
                }
            }
            Value::Object(map)
        }
    })
}

/// What is under the key of the servers.
enum Servers<'o, 'a> {
    Missing,
    /// `null`, in place of an object. Its line begins where the key does.
    Null {
        key: usize,
        value: Range<usize>,
    },
    Object(&'o Object<'a>),
}

impl<'o, 'a> Servers<'o, 'a> {
    fn object(self) -> Option<&'o Object<'a>> {
        match self {
            Servers::Object(object) => Some(object),
            Servers::Missing | Servers::Null { .. } => None,
        }
    }
}

fn servers_in<'o, 'a>(root: &'o Node<'a>, key: &'static str) -> Result<Servers<'o, 'a>, EditError> {
    let Node::Object(root) = root else {
        return Err(EditError::NoObject);
    };
    let Some(property) = root.get(key) else { return Ok(Servers::Missing) };
    match &property.value {
        Node::Object(servers) => Ok(Servers::Object(servers)),
        Node::NullKeyword(null) => {
            Ok(Servers::Null { key: property.range.start, value: null.range.start..null.range.end })
        }
        _ => Err(EditError::Shape { key, expected: "an object with a key for each server" }),
    }
}

pub(super) fn spans(
    text: &str,
    comments: bool,
    servers: &'static str,
    name: &str,
) -> Result<Option<Spans>, EditError> {
    let (body, skipped) = body(text);
    let Some(root) = parse(body, comments)? else { return Ok(None) };
    let entry = servers_in(&root, servers)?.object().and_then(|servers| servers.get(name));
    let Some(Node::Object(entry)) = entry.map(|property| &property.value) else { return Ok(None) };
    Ok(Some(spans_in(entry, skipped)))
}

fn spans_in(object: &Object<'_>, skipped: usize) -> Spans {
    let span = |property: &ObjectProp<'_>| {
        let range = property.value.range();
        let inside = match &property.value {
            Node::Object(inside) => Some(spans_in(inside, skipped)),
            _ => None,
        };
        Span {
            key: property.name.as_str().to_owned(),
            start: property.range.start + skipped,
            value: range.start + skipped..range.end + skipped,
            inside,
        }
    };
    Spans { items: object.properties.iter().map(span).collect(), is_flow: true }
}

/// Behind another property: on a line of its own, if that has one.
pub(super) fn behind(text: &str, span: &Span, key: &str, value: &Value) -> (Range<usize>, String) {
    let before = line_before(text, span.start);
    let between = if before.trim().is_empty() && !before.is_empty() {
        format!("{}{before}", Style::of(text).newline)
    } else {
        " ".to_owned()
    };
    let end = span.value.end;
    (end..end, format!(",{between}{}: {}", quoted(key), on_one_line(value)))
}

pub(super) fn insert(
    text: &str,
    comments: bool,
    servers: &'static str,
    name: &str,
    fields: &[Field],
) -> Result<String, EditError> {
    let (body, skipped) = body(text);
    let mark = &text[..skipped];
    let style = Style::of(body);
    let entry = Shown::Fields(fields);
    let Some(root) = parse(body, comments)? else {
        // Nothing yet: comments and blank lines stay in front.
        let start = if body.is_empty() || body.ends_with('\n') { "" } else { style.newline };
        let all = Shown::Nested(servers, &Shown::Nested(name, &entry)).lines("", &style);
        return Ok(format!("{mark}{body}{start}{all}{}", style.newline));
    };
    let new = match (servers_in(&root, servers)?, &root) {
        (Servers::Object(object), _) => add(body, object, name, &entry, &style),
        (Servers::Null { key, value }, _) => {
            let all = Shown::Nested(name, &entry);
            let indent = indentation(line_before(body, key));
            let all = if body.contains('\n') { all.lines(indent, &style) } else { all.line() };
            splice(body, vec![(value, all)])
        }
        (Servers::Missing, Node::Object(object)) => {
            add(body, object, servers, &Shown::Nested(name, &entry), &style)
        }
        (Servers::Missing, _) => return Err(EditError::Unsafe),
    };
    Ok(format!("{mark}{new}"))
}

pub(super) fn remove(
    text: &str,
    comments: bool,
    servers: &'static str,
    name: &str,
) -> Result<String, EditError> {
    let (body, skipped) = body(text);
    let Some(root) = parse(body, comments)? else { return Ok(text.to_owned()) };
    let Some(object) = servers_in(&root, servers)?.object() else { return Ok(text.to_owned()) };
    let Some(at) = object.properties.iter().position(|property| property.name.as_str() == name) else {
        return Ok(text.to_owned());
    };
    let property = &object.properties[at];
    let start =
        at.checked_sub(1).map_or(object.range.start + 1, |before| object.properties[before].range.end);
    let end = object.properties.get(at + 1).map_or(object.range.end - 1, |after| after.range.start);
    let (before, after) = (gap(body, start..property.range.start), gap(body, property.range.end..end));
    let mut cuts = vec![(before.end..property.range.end, String::new())];
    // The comma behind it, or if it was the last one, the comma in front of it.
    if let Some(comma) = after.comma.or(before.comma) {
        if comma < before.end && comma + 1 == before.end {
            cuts[0].0.start = comma;
        } else {
            cuts.push((comma..comma + 1, String::new()));
        }
    }
    Ok(format!("{}{}", &text[..skipped], splice(body, cuts)))
}

/// Adds a property behind the last one, in the manner of the others.
fn add(body: &str, object: &Object<'_>, key: &str, value: &Shown<'_>, style: &Style) -> String {
    let close = object.range.end - 1;
    let (first, last) = (object.properties.first(), object.properties.last());
    let behind = last.map_or(object.range.start + 1, |last| last.range.end);
    let gap = gap(body, behind..close);
    let has_break = |range: Range<usize>| body[range].contains('\n');
    let on_lines = match first {
        Some(first) => has_break(object.range.start..first.range.start) || has_break(behind..close),
        None => body.contains('\n') || object.range.start == 0,
    };
    let trailing = if gap.comma.is_some() { "," } else { "" };
    let text = if on_lines {
        let own_line = first.map(|first| line_before(body, first.range.start));
        let indent = match own_line.filter(|line| line.trim().is_empty()) {
            Some(line) => line.to_owned(),
            None => format!("{}{}", indentation(line_before(body, object.range.start)), style.unit),
        };
        let close_line = if first.is_none() && !has_break(gap.end..close) {
            format!("{}{}", style.newline, indentation(line_before(body, object.range.start)))
        } else {
            String::new()
        };
        let value = value.lines(&indent, style);
        format!("{}{indent}{}: {value}{trailing}{close_line}", style.newline, quoted(key))
    } else {
        let space = if last.is_some() { " " } else { "" };
        format!("{space}{}: {}{trailing}", quoted(key), value.line())
    };
    let mut edits = vec![(gap.end..gap.end, text)];
    if let (Some(last), None) = (last, gap.comma) {
        if last.range.end == gap.end {
            edits[0].1.insert(0, ',');
        } else {
            edits.push((last.range.end..last.range.end, ",".to_owned()));
        }
    }
    splice(body, edits)
}

/// What is between two properties.
struct Gap {
    comma: Option<usize>,
    /// Where the last comma or comment ends: only white space follows.
    end: usize,
}

fn gap(body: &str, range: Range<usize>) -> Gap {
    let mut found = Gap { comma: None, end: range.start };
    let mut at = range.start;
    while at < range.end {
        let rest = &body[at..range.end];
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            let Some(letter) = rest.chars().next() else { break };
            if letter.is_whitespace() {
                at += letter.len_utf8();
                continue;
            }
            if letter == ',' && found.comma.is_none() {
                found.comma = Some(at);
            }
            letter.len_utf8()
        };
        at += length;
        found.end = at;
    }
    found
}

/// A value to be written.
enum Shown<'v> {
    Fields(&'v [Field]),
    Nested(&'v str, &'v Shown<'v>),
}

impl Shown<'_> {
    fn lines(&self, indent: &str, style: &Style) -> String {
        let deeper = format!("{indent}{}", style.unit);
        let inside: Vec<String> = match self {
            Shown::Nested(key, value) => vec![format!("{}: {}", quoted(key), value.lines(&deeper, style))],
            Shown::Fields(fields) => {
                fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), on_one_line(value))).collect()
            }
        };
        let newline = style.newline;
        let inside = inside.join(&format!(",{newline}{deeper}"));
        format!("{{{newline}{deeper}{inside}{newline}{indent}}}")
    }

    fn line(&self) -> String {
        match self {
            Shown::Nested(key, value) => format!("{{{}: {}}}", quoted(key), value.line()),
            Shown::Fields(fields) => {
                let one = |(key, value): &Field| format!("{}: {}", quoted(key), on_one_line(value));
                format!("{{{}}}", fields.iter().map(one).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// With a space behind commas and colons, as people write it.
pub(super) fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let one = |(key, value): (&String, &Value)| format!("{}: {}", quoted(key), on_one_line(value));
            format!("{{{}}}", map.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
