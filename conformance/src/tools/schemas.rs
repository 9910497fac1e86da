//! Schemas that must reach the client as they are written.

use mcp::{About, Cx, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::State;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Contact {
    #[serde(default)]
    name: Option<String>,
}

/// Its schema is the suite's own, word for word.
pub(super) struct EveryKeyword;

impl Tool<State> for EveryKeyword {
    type In = Contact;
    type Out = String;
    const ABOUT: About = About::new(
        "json_schema_2020_12_tool",
        "JSON Schema 2020-12",
        "Tool with JSON Schema 2020-12 features",
    )
    .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, input: Contact) -> Result<String, Stop> {
        Ok(format!("A contact called {}", input.name.as_deref().unwrap_or("nothing")))
    }

    fn input_schema() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
                },
            },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        })
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Region {
    /// Where to look; HTTP clients repeat it in `Mcp-Param-Region`
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

/// An argument that proxies can route by.
pub(super) struct CustomHeader;

impl Tool<State> for CustomHeader {
    type In = Region;
    type Out = String;
    const ABOUT: About =
        About::new("test_custom_header", "Custom header", "Repeats an argument that is in a header as well.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, _: &Cx, input: Region) -> Result<String, Stop> {
        Ok(format!("Region: {}", input.region))
    }
}
