//! Forms: whatever the person does with one is told back.

use mcp::{About, Cx, InputRequest, InputResponse, Run, Stop, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::Nothing;
use crate::State;

/// What the person did with a form, as the client said it.
#[derive(Deserialize)]
struct Done<'a> {
    action: &'a str,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

impl Done<'_> {
    fn content(&self) -> &str {
        self.content.map_or("{}", RawValue::get)
    }
}

fn done(answer: InputResponse<'_>) -> Result<Done<'_>, Stop> {
    answer.read().ok_or_else(|| "The client's answer says no `action`".into())
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Message {
    /// The message to show the user
    message: String,
}

#[derive(JsonSchema)]
#[allow(dead_code)] // only its schema is sent
struct User {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

pub(super) struct Elicitation;

impl Tool<State> for Elicitation {
    type In = Message;
    type Out = String;
    const ABOUT: About =
        About::new("test_elicitation", "Form", "Asks the person for a name and an address.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, input: Message) -> Result<String, Stop> {
        let done = done(cx.request_input("user", InputRequest::form::<User>(input.message))?)?;
        Ok(format!("User response: action: {}, content: {}", done.action, done.content()))
    }
}

/// Every primitive type with a default.
pub(super) struct Defaults;

impl Tool<State> for Defaults {
    type In = Nothing;
    type Out = String;
    const ABOUT: About = About::new(
        "test_elicitation_sep1034_defaults",
        "Form with defaults",
        "Shows a form that is filled in.",
    )
    .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "User name", "default": "John Doe" },
                "age": { "type": "integer", "description": "User age", "default": 30 },
                "score": { "type": "number", "description": "User score", "default": 95.5 },
                "status": {
                    "type": "string",
                    "description": "User status",
                    "enum": ["active", "inactive", "pending"],
                    "default": "active",
                },
                "verified": { "type": "boolean", "description": "Verification status", "default": true },
            },
        });
        completed(cx, "Please review and update the form fields with defaults", schema)
    }
}

/// Every form of a choice.
pub(super) struct Enums;

impl Tool<State> for Enums {
    type In = Nothing;
    type Out = String;
    const ABOUT: About =
        About::new("test_elicitation_sep1330_enums", "Form with choices", "Shows a form of choices.")
            .read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, _: &State, cx: &Cx, _: Nothing) -> Result<String, Stop> {
        let options = ["option1", "option2", "option3"];
        let titled = |last: &str| {
            json!([
                { "const": "value1", "title": format!("First {last}") },
                { "const": "value2", "title": format!("Second {last}") },
                { "const": "value3", "title": format!("Third {last}") },
            ])
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled("Option") },
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
            },
        });
        completed(cx, "Please select options from the enum fields", schema)
    }
}

fn completed(cx: &Cx, message: &str, schema: serde_json::Value) -> Result<String, Stop> {
    let question = InputRequest::Form { message: message.to_owned(), schema };
    let done = done(cx.request_input("form", question)?)?;
    Ok(format!("Elicitation completed: action={}, content={}", done.action, done.content()))
}
