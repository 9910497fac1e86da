//! A small server of which everything answers at once.

use std::sync::Arc;

use mcp::{
    About, Address, Completing, Completion, Cx, Features, Item, Json, Messages, Prompt, PromptAbout,
    PromptArgument, Resource, ResourceAbout, Role, Run, Server, Service, Stop, Tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) fn make() -> Arc<dyn Service> {
    let server = Server::new("fuzzed", "1", ())
        .features(Features { list_changes: true, resource_updates: true, logging: true })
        .tool(Echo)
        .tool(Strict)
        .bare_method::<Strict>("strict")
        .resource(Words)
        .prompt(Describe);
    Arc::new(server)
}

#[derive(Deserialize, JsonSchema)]
struct Anything {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    deep: Value,
}

struct Echo;

impl Tool<()> for Echo {
    type In = Anything;
    type Out = String;
    const ABOUT: About = About::new("echo", "Echo", "Repeats what it is given.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, (): &(), cx: &Cx, input: Anything) -> Result<String, Stop> {
        cx.progress(1.0, None, Some("here"));
        cx.log(mcp::Level::Info, "fuzzed", &input.deep);
        Ok(format!("{}{}", input.text.unwrap_or_default(), input.deep))
    }
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Numbers {
    a: i8,
    b: f64,
}

struct Strict;

impl Tool<()> for Strict {
    type In = Numbers;
    type Out = Json<Numbers>;
    const ABOUT: About = About::new("strict", "Strict", "Takes two numbers and nothing else.").read_only();
    const RUN: Run = Run::Inline;

    async fn call(&self, (): &(), _: &Cx, input: Numbers) -> Result<Json<Numbers>, Stop> {
        Ok(Json(input))
    }
}

struct Words;

impl Resource<()> for Words {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "screenshots://{id}/ocr",
        name: "words",
        title: "Words",
        description: "The words of a picture.",
        mime: "text/plain",
        completes: true,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, (): &(), _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        let words = at.variable("id").to_owned();
        Ok(vec![Item::text(at.uri, "text/plain", words)])
    }

    fn complete(&self, (): &(), typed: Completing<'_>) -> Completion {
        Completion::new([typed.value.to_owned()])
    }
}

#[derive(Deserialize)]
struct Which {
    screenshot_id: String,
}

struct Describe;

impl Prompt<()> for Describe {
    type In = Which;
    const ABOUT: PromptAbout = PromptAbout {
        name: "describe_ui",
        title: "Describe",
        description: "Describes a picture.",
        arguments: &[PromptArgument { name: "screenshot_id", description: "Which.", required: true }],
        completes: true,
    };
    const RUN: Run = Run::Inline;

    async fn get(&self, (): &(), _: &Cx, input: Which) -> Result<Messages, Stop> {
        let text = mcp::Content::Text(input.screenshot_id);
        Ok(Messages::user(text.clone()).and(Role::Assistant, text))
    }

    fn complete(&self, (): &(), typed: Completing<'_>) -> Completion {
        Completion::new([typed.argument.to_owned()])
    }
}
