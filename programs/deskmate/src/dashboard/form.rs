//! A form for each tool, made from the schema of its arguments.

use mcp::{Surface, ToolEntry};
use serde_json::Value;

use super::pieces;

/// A tool, as the page shows it.
pub(super) struct ToolForm {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) fields: Vec<Field>,
    /// Whether it changes something, which the button says.
    pub(super) changes: bool,
}

/// One argument.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) required: bool,
    pub(super) kind: Kind,
}

impl ToolForm {
    /// The description, for a page.
    pub(super) fn description_in_pieces(&self) -> Vec<(bool, &str)> {
        pieces(&self.description)
    }
}

impl Field {
    /// What it is, for a page.
    pub(super) fn about_in_pieces(&self) -> Vec<(bool, &str)> {
        pieces(&self.about)
    }
}

/// How an argument is entered.
pub(super) enum Kind {
    Text,
    Number,
    Switch,
    Choice(Vec<String>),
    /// Lists and objects, as JSON.
    Json,
}

impl Kind {
    /// For the script that reads the form.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Kind::Text | Kind::Choice(_) => "text",
            Kind::Number => "number",
            Kind::Switch => "switch",
            Kind::Json => "json",
        }
    }
}

/// The core tools of a server; all of them if it has none.
pub(super) fn forms(surface: &Surface) -> Vec<ToolForm> {
    let core = surface.tools().iter().any(|tool| tool.core);
    surface.tools().iter().filter(|tool| !core || tool.core).map(form).collect()
}

fn form(tool: &ToolEntry) -> ToolForm {
    ToolForm {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        fields: fields(tool.input_schema.get()),
        changes: !tool.hints.read_only,
    }
}

fn fields(schema: &str) -> Vec<Field> {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let is_required = |name: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|required| required.iter().any(|one| one.as_str() == Some(name)))
    };
    let field = |(name, about): (&String, &Value)| Field {
        name: name.clone(),
        about: about["description"].as_str().unwrap_or_default().to_owned(),
        required: is_required(name),
        kind: kind(about),
    };
    let mut fields: Vec<Field> = schema["properties"].as_object().into_iter().flatten().map(field).collect();
    fields.sort_by_key(|field| !field.required);
    fields
}

fn kind(schema: &Value) -> Kind {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if !values.is_empty() {
            return Kind::Choice(values);
        }
    }
    // A type that may also be null is that type.
    let word = match &schema["type"] {
        Value::String(word) => Some(word.as_str()),
        Value::Array(words) => words.iter().filter_map(Value::as_str).find(|word| *word != "null"),
        _ => None,
    };
    match word {
        Some("string") => Kind::Text,
        Some("integer" | "number") => Kind::Number,
        Some("boolean") => Kind::Switch,
        _ => Kind::Json,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, fields};

    #[test]
    fn arguments_become_fields_the_required_ones_first() {
        let fields = fields(
            r#"{"type":"object","required":["path"],"properties":{
                "count":{"type":["integer","null"]},"deep":{"type":"boolean"},"how":{"enum":["a","b"]},
                "list":{"type":"array"},"path":{"type":"string","description":"Where."}}}"#,
        );
        let seen: Vec<(&str, bool, &str)> =
            fields.iter().map(|field| (field.name.as_str(), field.required, field.kind.word())).collect();
        assert_eq!(
            seen,
            [
                ("path", true, "text"),
                ("count", false, "number"),
                ("deep", false, "switch"),
                ("how", false, "text"),
                ("list", false, "json")
            ]
        );
        assert!(matches!(&fields[3].kind, Kind::Choice(values) if values == &["a", "b"]));
        assert_eq!(fields[0].about, "Where.");
    }
}
