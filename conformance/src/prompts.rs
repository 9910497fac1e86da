//! What can be got as a prompt.

use mcp::{
    Completing, Completion, Content, Cx, Elicited, Item, Messages, Prompt, PromptAbout, PromptArgument, Role,
    Run, Server, Stop,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{State, samples};

pub(crate) fn add(server: Server<State>) -> Server<State> {
    server.prompt(Simple).prompt(WithArguments).prompt(WithResource).prompt(WithImage).prompt(Asking)
}

#[derive(Deserialize)]
struct Nothing {}

struct Simple;

impl Prompt<State> for Simple {
    type In = Nothing;
    const ABOUT: PromptAbout = PromptAbout {
        name: "test_simple_prompt",
        title: "Simple prompt",
        description: "A prompt without arguments.",
        arguments: &[],
        completes: false,
    };
    const RUN: Run = Run::Inline;

    async fn get(&self, _: &State, _: &Cx, _: Nothing) -> Result<Messages, Stop> {
        Ok(Messages::user(Content::Text("This is a simple prompt for testing.".into())))
    }
}

#[derive(Deserialize)]
struct TwoWords {
    arg1: String,
    arg2: String,
}

struct WithArguments;

impl Prompt<State> for WithArguments {
    type In = TwoWords;
    const ABOUT: PromptAbout = PromptAbout {
        name: "test_prompt_with_arguments",
        title: "Prompt with arguments",
        description: "A prompt that repeats its two arguments.",
        arguments: &[
            PromptArgument { name: "arg1", description: "First test argument", required: true },
            PromptArgument { name: "arg2", description: "Second test argument", required: true },
        ],
        completes: true,
    };
    const RUN: Run = Run::Inline;

    async fn get(&self, _: &State, _: &Cx, TwoWords { arg1, arg2 }: TwoWords) -> Result<Messages, Stop> {
        let text = format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'");
        Ok(Messages::user(Content::Text(text)))
    }

    fn complete(&self, _: &State, typed: Completing<'_>) -> Completion {
        let words = ["paris", "park", "party", "test", "testing"];
        Completion::new(words.into_iter().filter(|word| word.starts_with(typed.value)).map(str::to_owned))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Embedded {
    resource_uri: String,
}

struct WithResource;

impl Prompt<State> for WithResource {
    type In = Embedded;
    const ABOUT: PromptAbout = PromptAbout {
        name: "test_prompt_with_embedded_resource",
        title: "Prompt with a resource",
        description: "A prompt with a resource inside.",
        arguments: &[PromptArgument {
            name: "resourceUri",
            description: "URI of the resource to embed",
            required: true,
        }],
        completes: false,
    };
    const RUN: Run = Run::Inline;

    async fn get(&self, _: &State, _: &Cx, input: Embedded) -> Result<Messages, Stop> {
        let resource = Item::text(input.resource_uri, "text/plain", "Embedded resource content for testing.");
        let request = Content::Text("Please process the embedded resource above.".into());
        Ok(Messages::user(Content::Resource(resource)).and(Role::User, request))
    }
}

struct WithImage;

impl Prompt<State> for WithImage {
    type In = Nothing;
    const ABOUT: PromptAbout = PromptAbout {
        name: "test_prompt_with_image",
        title: "Prompt with a picture",
        description: "A prompt with a picture inside.",
        arguments: &[],
        completes: false,
    };
    const RUN: Run = Run::Inline;

    async fn get(&self, _: &State, _: &Cx, _: Nothing) -> Result<Messages, Stop> {
        let request = Content::Text("Please analyze the image above.".into());
        Ok(Messages::user(samples::picture()).and(Role::User, request))
    }
}

#[derive(Deserialize, JsonSchema)]
struct Context {
    context: String,
}

/// A prompt may ask as a tool may.
struct Asking;

impl Prompt<State> for Asking {
    type In = Nothing;
    const ABOUT: PromptAbout = PromptAbout {
        name: "test_input_required_result_prompt",
        title: "Prompt that asks",
        description: "A prompt that asks the person for its context first.",
        arguments: &[],
        completes: false,
    };
    const RUN: Run = Run::Inline;

    async fn get(&self, _: &State, cx: &Cx, _: Nothing) -> Result<Messages, Stop> {
        let text = match cx.elicit::<Context>("user_context", "What context should the prompt use?")? {
            Elicited::Accepted(Context { context }) => format!("Use this context: {context}"),
            Elicited::Declined | Elicited::Cancelled => "Use no context.".to_owned(),
        };
        Ok(Messages::user(Content::Text(text)))
    }
}
