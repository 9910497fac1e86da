//! Configuration as text: our entry goes in and comes out, and every other byte stays.

mod json;
mod style;
mod toml;
mod yaml;

use std::ops::Range;

use serde_json::{Map, Value};

use crate::client::Client;
use crate::entry::{Entry, Field};

use style::{Style, indentation, line_before};

/// How a client writes down its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// An object of servers in a JSON object.
    Json {
        /// The key the servers are under.
        servers: &'static str,
        /// Whether the client reads comments and trailing commas.
        comments: bool,
        /// What an entry has besides the command.
        extra: Extra,
    },
    /// Codex: tables below `mcp_servers`.
    Toml,
    /// Goose: a mapping below `extensions`.
    YamlMap,
    /// Continue: a list below `mcpServers`.
    YamlList,
}

/// What an entry in JSON has besides command, arguments and variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Nothing.
    Nothing,
    /// `"type": "stdio"`.
    Type,
    /// `"tools": ["*"]`, and the type.
    Tools,
}

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EditError {
    /// It is not what the client expects there.
    #[error("line {}, column {}: {}", .0.line, .0.column, .0.reason)]
    Unreadable(Fault),
    /// What should hold the servers holds something else.
    #[error("`{key}` is not {expected}")]
    Shape {
        /// Under which key.
        key: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// It is a list or a single value.
    #[error("it is not an object with keys")]
    NoObject,
    /// Two values for one key: clients differ in which they take.
    #[error("`{0}` is there twice; remove one of them")]
    Twice(String),
    /// Somebody else's server has our name.
    #[error("`{0}` is already the name of another server; choose another with `--name`")]
    Taken(String),
    /// The result would not have been the same and our entry.
    #[error(
        "it is written in a way that cannot be changed safely; change it by hand: `deskmate connect --print` shows the entry"
    )]
    Unsafe,
}

/// Where a file stops being readable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub reason: String,
}

impl Fault {
    fn at(text: &str, offset: usize, reason: impl Into<String>) -> Fault {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Fault {
            line: before.matches('\n').count() + 1,
            // As editors count: they do not show the byte order mark.
            column: before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1,
            reason: reason.into(),
        }
    }
}

/// An entry as it is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What is started; empty where there is no command, as for a server by its URL.
    pub command: String,
    /// With these arguments.
    pub arguments: Vec<String>,
    /// And these variables.
    pub variables: Vec<(String, String)>,
    /// Where it is, for a server by its URL.
    pub address: Option<String>,
}

/// What apps call the URL of a server.
const ADDRESS_KEYS: [&str; 4] = ["url", "httpUrl", "serverUrl", "uri"];

impl Found {
    /// Whether it starts a program of this name, in whatever folder.
    pub fn starts(&self, program: &str) -> bool {
        let name = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        name.strip_suffix(".exe").unwrap_or(name) == program
    }
}

/// Where the items of an entry, or of the variables in it, are in the text.
struct Spans {
    items: Vec<Span>,
    /// Whether they are between brackets, with commas between them.
    is_flow: bool,
}

/// A key and its value, as byte ranges.
struct Span {
    key: String,
    /// Where the key begins.
    start: usize,
    value: Range<usize>,
    /// What is in the value, if that has keys.
    inside: Option<Spans>,
}

impl Spans {
    fn get(&self, key: &str) -> Option<&Span> {
        self.items.iter().find(|span| span.key == key)
    }
}

impl Dialect {
    /// The key the servers are under.
    pub fn servers(self) -> &'static str {
        match self {
            Dialect::Json { servers, .. } => servers,
            Dialect::Toml => "mcp_servers",
            Dialect::YamlMap => "extensions",
            Dialect::YamlList => "mcpServers",
        }
    }

    fn command_key(self) -> &'static str {
        match self {
            Dialect::YamlMap => "cmd",
            Dialect::Json { .. } | Dialect::Toml | Dialect::YamlList => "command",
        }
    }

    fn variables_key(self) -> &'static str {
        match self {
            Dialect::YamlMap => "envs",
            Dialect::Json { .. } | Dialect::Toml | Dialect::YamlList => "env",
        }
    }

    /// What is written for an entry, in order.
    fn fields(self, entry: &Entry) -> Vec<Field> {
        let text = |text: &str| Value::String(text.to_owned());
        let mut fields = Vec::new();
        match self {
            Dialect::Json { extra: Extra::Type | Extra::Tools, .. } => fields.push(("type", text("stdio"))),
            Dialect::YamlMap => fields.extend([("name", text(&entry.name)), ("type", text("stdio"))]),
            Dialect::YamlList => fields.push(("name", text(&entry.name))),
            Dialect::Json { extra: Extra::Nothing, .. } | Dialect::Toml => {}
        }
        fields.push((self.command_key(), text(&entry.command)));
        fields.push(("args", entry.arguments_value()));
        fields.extend(entry.variables_value().map(|variables| (self.variables_key(), variables)));
        match self {
            Dialect::Json { extra: Extra::Tools, .. } => fields.push(("tools", serde_json::json!(["*"]))),
            Dialect::YamlMap => {
                fields.extend([("enabled", Value::Bool(true)), ("timeout", Value::from(300))]);
            }
            Dialect::Json { .. } | Dialect::Toml | Dialect::YamlList => {}
        }
        fields
    }

    /// The whole document as a value, to compare what it means.
    fn meaning(self, text: &str) -> Result<Value, EditError> {
        match self {
            Dialect::Json { comments, .. } => json::meaning(text, comments),
            Dialect::Toml => toml::meaning(text),
            Dialect::YamlMap | Dialect::YamlList => yaml::meaning(text),
        }
    }

    fn spans(self, text: &str, name: &str) -> Result<Option<Spans>, EditError> {
        match self {
            Dialect::Json { servers, comments, .. } => json::spans(text, comments, servers, name),
            Dialect::Toml => toml::spans(text, name),
            Dialect::YamlMap | Dialect::YamlList => yaml::spans(text, self.servers(), name),
        }
    }

    /// The edit that puts a key and a value behind another of the same entry.
    fn behind(
        self,
        text: &str,
        span: &Span,
        is_flow: bool,
        (key, value): (&str, &Value),
    ) -> (Range<usize>, String) {
        match self {
            Dialect::Json { .. } => json::behind(text, span, key, value),
            Dialect::Toml => toml::behind(text, span, is_flow, (key, value)),
            Dialect::YamlMap | Dialect::YamlList => yaml::behind(text, span, is_flow, (key, value)),
        }
    }

    fn insert(self, text: &str, name: &str, fields: &[Field]) -> Result<String, EditError> {
        match self {
            Dialect::Json { servers, comments, .. } => json::insert(text, comments, servers, name, fields),
            Dialect::Toml => Ok(toml::insert(text, name, fields)),
            Dialect::YamlMap => yaml::insert(text, self.servers(), &yaml::Item::Key(name), fields),
            Dialect::YamlList => yaml::insert(text, self.servers(), &yaml::Item::Dash, fields),
        }
    }

    fn remove(self, text: &str, name: &str) -> Result<String, EditError> {
        match self {
            Dialect::Json { servers, comments, .. } => json::remove(text, comments, servers, name),
            Dialect::Toml => toml::remove(text, name),
            Dialect::YamlMap | Dialect::YamlList => yaml::remove(text, self.servers(), name),
        }
    }
}

/// The entry of this name, if there is one.
pub fn look(text: &str, dialect: Dialect, name: &str) -> Result<Option<Found>, EditError> {
    let meaning = dialect.meaning(text)?;
    Ok(entry_in(&meaning, dialect, name)?.map(|entry| found_in(entry, dialect)))
}

/// The entries that start a program of this name, whatever the app calls them.
pub fn look_for_program(
    text: &str,
    dialect: Dialect,
    program: &str,
) -> Result<Vec<(String, Found)>, EditError> {
    let meaning = dialect.meaning(text)?;
    // What should hold the servers and does not is refused in the same words.
    entry_in(&meaning, dialect, program)?;
    let entries: Vec<(&str, &Value)> = match meaning.get(dialect.servers()) {
        Some(Value::Object(servers)) => servers.iter().map(|(name, entry)| (name.as_str(), entry)).collect(),
        Some(Value::Array(servers)) => {
            servers.iter().filter_map(|entry| Some((entry.get("name")?.as_str()?, entry))).collect()
        }
        _ => Vec::new(),
    };
    let found = entries.into_iter().map(|(name, entry)| (name.to_owned(), found_in(entry, dialect)));
    Ok(found.filter(|(_, entry)| entry.starts(program)).collect())
}

fn found_in(entry: &Value, dialect: Dialect) -> Found {
    let strings = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let variables = entry.get(dialect.variables_key()).and_then(Value::as_object);
    Found {
        command: entry.get(dialect.command_key()).and_then(Value::as_str).unwrap_or_default().to_owned(),
        arguments: strings(entry.get("args")),
        variables: variables
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
        address: ADDRESS_KEYS.iter().find_map(|key| entry.get(key)?.as_str()).map(str::to_owned),
    }
}

/// The text with the entry. One of that name that starts the same program is brought up to date; what the person added to
/// it stays.
pub(crate) fn enter(text: &str, dialect: Dialect, entry: &Entry) -> Result<String, EditError> {
    let new = match look(text, dialect, &entry.name)? {
        None => dialect.insert(text, &entry.name, &dialect.fields(entry))?,
        Some(found) => {
            if !found.starts(entry.program()) {
                return Err(EditError::Taken(entry.name.clone()));
            }
            if is_current(&found, entry) {
                return Ok(text.to_owned());
            }
            let new = update(text, dialect, entry, &found)?;
            check_rest_of_entry(text, &new, dialect, entry)?;
            new
        }
    };
    check(text, &new, dialect, &entry.name)?;
    let written = look(&new, dialect, &entry.name)?;
    if written.is_some_and(|found| is_current(&found, entry)) { Ok(new) } else { Err(EditError::Unsafe) }
}

/// A file with the entry and nothing else, for those who write it themselves.
pub fn printed(client: &Client, entry: &Entry) -> String {
    let fields = client.dialect.fields(entry);
    client.dialect.insert("", &entry.name, &fields).unwrap_or_default()
}

/// The text without the entry.
pub(crate) fn leave(text: &str, dialect: Dialect, name: &str) -> Result<String, EditError> {
    let new = dialect.remove(text, name)?;
    check(text, &new, dialect, name)?;
    if look(&new, dialect, name)?.is_some() { Err(EditError::Unsafe) } else { Ok(new) }
}

/// Whether an entry starts what it should; further variables are the person's.
fn is_current(found: &Found, entry: &Entry) -> bool {
    let same = found.command == entry.command && found.arguments == entry.arguments;
    same && entry.variables.iter().all(|variable| found.variables.contains(variable))
}

/// Brings an entry up to date, one value at a time: whatever else is in it stays, to the byte.
fn update(text: &str, dialect: Dialect, entry: &Entry, found: &Found) -> Result<String, EditError> {
    let spans = dialect.spans(text, &entry.name)?.ok_or(EditError::Unsafe)?;
    let command = spans.get(dialect.command_key()).ok_or(EditError::Unsafe)?;
    let missing =
        |(name, value): &&(String, String)| !found.variables.contains(&(name.clone(), value.clone()));
    let mut edits = Vec::new();
    for (key, value) in dialect.fields(entry) {
        let is_variables = key == dialect.variables_key();
        if !is_variables && key != dialect.command_key() && key != "args" {
            continue;
        }
        match spans.get(key) {
            None => edits.push(dialect.behind(text, command, spans.is_flow, (key, &value))),
            Some(Span { inside: Some(inside), .. }) if is_variables && !inside.items.is_empty() => {
                for (name, value) in entry.variables.iter().filter(missing) {
                    let value = Value::from(value.as_str());
                    edits.push(set(text, dialect, inside, (name.as_str(), &value))?);
                }
            }
            Some(span) => edits.push((span.value.clone(), written(text, dialect, span, &value))),
        }
    }
    Ok(splice(text, edits))
}

/// Gives a key a value, among others.
fn set(
    text: &str,
    dialect: Dialect,
    spans: &Spans,
    (key, value): (&str, &Value),
) -> Result<(Range<usize>, String), EditError> {
    if let Some(span) = spans.get(key) {
        return Ok((span.value.clone(), written(text, dialect, span, value)));
    }
    let last = spans.items.last().ok_or(EditError::Unsafe)?;
    Ok(dialect.behind(text, last, spans.is_flow, (key, value)))
}

/// A value on one line, quoted as the one in its place is.
fn written(text: &str, dialect: Dialect, span: &Span, value: &Value) -> String {
    let quoted = text.get(span.value.clone()).is_some_and(|old| old.starts_with('"'));
    match dialect {
        Dialect::Toml => toml::written(value),
        Dialect::YamlMap | Dialect::YamlList if !quoted => yaml::plain(value),
        Dialect::Json { .. } | Dialect::YamlMap | Dialect::YamlList => json::on_one_line(value),
    }
}

/// Replaces ranges that do not overlap.
fn splice(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut new = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for (range, insert) in edits {
        new.push_str(&text[at..range.start]);
        new.push_str(&insert);
        at = range.end;
    }
    new.push_str(&text[at..]);
    new
}

/// Whatever was done to the text: everything but our entry must mean what it meant.
fn check(old: &str, new: &str, dialect: Dialect, name: &str) -> Result<(), EditError> {
    let rest = |text: &str| dialect.meaning(text).map(|meaning| without(meaning, dialect, name));
    match rest(new) {
        Ok(new) if new == rest(old)? => Ok(()),
        Ok(_) | Err(_) => Err(EditError::Unsafe),
    }
}

/// What the person added to an entry of ours must mean what it meant.
fn check_rest_of_entry(old: &str, new: &str, dialect: Dialect, entry: &Entry) -> Result<(), EditError> {
    let rest = |text: &str| -> Result<Value, EditError> {
        let meaning = dialect.meaning(text)?;
        let mut found = entry_in(&meaning, dialect, &entry.name)?.cloned().unwrap_or_default();
        if let Value::Object(fields) = &mut found {
            fields.remove(dialect.command_key());
            fields.remove("args");
            let mut has_others = true;
            if let Some(Value::Object(variables)) = fields.get_mut(dialect.variables_key()) {
                variables.retain(|name, _| !entry.variables.iter().any(|(ours, _)| ours == name));
                has_others = !variables.is_empty();
            }
            if !has_others {
                fields.remove(dialect.variables_key());
            }
        }
        Ok(found)
    };
    match rest(new) {
        Ok(new) if new == rest(old)? => Ok(()),
        Ok(_) | Err(_) => Err(EditError::Unsafe),
    }
}

/// The meaning without our entry; no servers is the same as an empty list of them.
fn without(meaning: Value, dialect: Dialect, name: &str) -> Value {
    let mut root = match meaning {
        Value::Object(root) => root,
        Value::Null => Map::new(),
        other => return other,
    };
    let is_empty = match root.get_mut(dialect.servers()) {
        Some(Value::Object(servers)) => {
            servers.remove(name);
            servers.is_empty()
        }
        Some(Value::Array(servers)) => {
            servers.retain(|server| server.get("name").and_then(Value::as_str) != Some(name));
            servers.is_empty()
        }
        Some(Value::Null) => true,
        _ => false,
    };
    if is_empty {
        root.remove(dialect.servers());
    }
    Value::Object(root)
}

fn entry_in<'v>(meaning: &'v Value, dialect: Dialect, name: &str) -> Result<Option<&'v Value>, EditError> {
    let key = dialect.servers();
    if !(meaning.is_object() || meaning.is_null()) {
        return Err(EditError::NoObject);
    }
    match (meaning.get(key), dialect) {
        (None | Some(Value::Null), _) => Ok(None),
        (Some(Value::Array(servers)), Dialect::YamlList) => {
            let is_named = |server: &&Value| server.get("name").and_then(Value::as_str) == Some(name);
            let mut named = servers.iter().filter(is_named);
            match (named.next(), named.next()) {
                (found, None) => Ok(found),
                (_, Some(_)) => Err(EditError::Twice(name.to_owned())),
            }
        }
        (Some(_), Dialect::YamlList) => Err(EditError::Shape { key, expected: "a list of servers" }),
        (Some(Value::Object(servers)), _) => Ok(servers.get(name)),
        (Some(_), _) => Err(EditError::Shape { key, expected: "an object with a key for each server" }),
    }
}

/// Some parsers take control characters, which no client does: a file with any is broken for the app, too.
fn check_letters(text: &str) -> Result<(), EditError> {
    let is_odd = |letter: char| letter < ' ' && !matches!(letter, '\t' | '\n' | '\r');
    match text.find(is_odd) {
        Some(at) => Err(EditError::Unreadable(Fault::at(text, at, "a control character"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
