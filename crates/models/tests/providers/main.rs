//! Every provider against a stub that speaks its wire format.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod answers;
mod failures;
mod secrets;
mod wire;

use std::sync::Arc;

use bytes::Bytes;
use models::{
    Answer, EnvironmentKeys, Heard, Media, ModelError, Models, OpenAiApi, Part, Provider, Request, Settings,
};
use models_stub::Stub;

const KEY: &str = "sk-live-0123456789abcdef";

/// All providers; OpenAI by both of its interfaces.
const ALL: [(Provider, OpenAiApi); 7] = [
    (Provider::Zai, OpenAiApi::Chat),
    (Provider::OpenAi, OpenAiApi::Chat),
    (Provider::OpenAi, OpenAiApi::Responses),
    (Provider::Claude, OpenAiApi::Chat),
    (Provider::Gemini, OpenAiApi::Chat),
    (Provider::Ollama, OpenAiApi::Chat),
    (Provider::Compatible, OpenAiApi::Chat),
];

/// Models that ask a stub, whoever is meant.
fn models_at(stub: &Stub, openai_api: OpenAiApi, retries: u32) -> Models {
    let base = |provider| match provider {
        Provider::Zai => "/api/paas/v4",
        Provider::OpenAi | Provider::Compatible => "/v1",
        Provider::Claude | Provider::Gemini | Provider::Ollama => "",
    };
    let mut settings = Settings::from_environment(|_| None).expect("settings");
    for provider in Provider::ALL {
        let url = format!("{}{}", stub.url(), base(provider));
        settings = settings.place(provider, url.parse().expect("a URL"));
    }
    settings.openai_api = openai_api;
    settings.retries = retries;
    Models::new(settings, Arc::new(EnvironmentKeys(|_: &str| Some(KEY.to_owned()))))
}

fn picture() -> Media {
    Media { mime: "image/png", bytes: Bytes::from_static(b"\x89PNG picture") }
}

fn question() -> Request {
    Request {
        system: Some("Be exact.".to_owned()),
        parts: vec![Part::Picture(picture()), Part::Text("What is this?".to_owned())],
        ..Request::default()
    }
}

/// Asks at once, or bit by bit.
async fn ask(models: &Models, provider: Provider, streams: bool) -> Result<Answer, ModelError> {
    let mut listener = |_: Heard<'_>| {};
    models.ask(provider, &question(), if streams { Some(&mut listener) } else { None }).await
}
