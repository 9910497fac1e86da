//! What each provider is sent.

use models::{Media, ModelError, OpenAiApi, Part, Provider, Request};
use models_stub::{Seen, Stub};
use serde_json::{Value, json};

use super::{ALL, models_at, picture, question};

const BASE64: &str = "iVBORyBwaWN0dXJl";

async fn sent(provider: Provider, api: OpenAiApi, request: &Request) -> Seen {
    let stub = Stub::start().expect("a stub");
    models_at(&stub, api, 0).ask(provider, request, None).await.expect("an answer");
    stub.seen().pop().expect("a request")
}

#[tokio::test]
async fn z_ai_gets_what_its_own_server_sends() {
    let seen = sent(Provider::Zai, OpenAiApi::Chat, &question()).await;
    assert_eq!(seen.path, "/api/paas/v4/chat/completions");
    let expected = json!({
        "model": "glm-4.6v",
        "messages": [
            { "role": "system", "content": "Be exact." },
            { "role": "user", "content": [
                { "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{BASE64}") } },
                { "type": "text", "text": "What is this?" },
            ] },
        ],
        "thinking": { "type": "enabled" },
        "stream": false,
        "temperature": 0.8,
        "top_p": 0.6,
        "max_tokens": 32_768,
    });
    assert_eq!(seen.body, expected);
}

#[tokio::test]
async fn the_others_get_their_own_words() {
    let url = format!("data:image/png;base64,{BASE64}");
    let user = json!([
        { "type": "image_url", "image_url": { "url": url } },
        { "type": "text", "text": "What is this?" },
    ]);
    let chat = |model: &str| {
        json!({
            "model": model,
            "messages": [{ "role": "system", "content": "Be exact." }, { "role": "user", "content": user }],
            "stream": false,
        })
    };
    let expected: [(Provider, OpenAiApi, &str, Value); 6] = [
        (Provider::OpenAi, OpenAiApi::Chat, "/v1/chat/completions", chat("gpt-5.6-terra")),
        (Provider::Compatible, OpenAiApi::Chat, "/v1/chat/completions", chat("default")),
        (
            Provider::OpenAi,
            OpenAiApi::Responses,
            "/v1/responses",
            json!({
                "model": "gpt-5.6-terra", "instructions": "Be exact.", "stream": false, "store": false,
                "input": [{ "role": "user", "content": [
                    { "type": "input_image", "image_url": url, "detail": "auto" },
                    { "type": "input_text", "text": "What is this?" },
                ] }],
            }),
        ),
        (
            Provider::Claude,
            OpenAiApi::Chat,
            "/v1/messages",
            json!({
                "model": "claude-sonnet-5-5", "max_tokens": 8192, "system": "Be exact.", "stream": false,
                "messages": [{ "role": "user", "content": [
                    { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": BASE64 } },
                    { "type": "text", "text": "What is this?" },
                ] }],
            }),
        ),
        (
            Provider::Gemini,
            OpenAiApi::Chat,
            "/v1beta/models/gemini-3.8-flash:generateContent",
            json!({
                "systemInstruction": { "parts": [{ "text": "Be exact." }] },
                "contents": [{ "role": "user", "parts": [
                    { "inlineData": { "mimeType": "image/png", "data": BASE64 } }, { "text": "What is this?" },
                ] }],
            }),
        ),
        (
            Provider::Ollama,
            OpenAiApi::Chat,
            "/api/chat",
            json!({
                "model": "qwen3-vl:8b", "stream": false,
                "messages": [
                    { "role": "system", "content": "Be exact." },
                    { "role": "user", "content": "What is this?", "images": [BASE64] },
                ],
            }),
        ),
    ];
    for (provider, api, path, body) in expected {
        let seen = sent(provider, api, &question()).await;
        assert_eq!((seen.path.as_str(), &seen.body), (path, &body), "{provider}");
    }
}

#[tokio::test]
async fn model_and_length_can_be_chosen_for_one_request() {
    let request = Request { model: Some("other".into()), max_tokens: Some(77), ..question() };
    for (provider, api) in ALL {
        let seen = sent(provider, api, &request).await;
        let (body, path) = (seen.body.to_string(), seen.path);
        assert!(
            body.contains("77") && (body.contains("other") || path.contains("other")),
            "{provider}: {body}"
        );
    }
}

#[tokio::test]
async fn a_model_cannot_lead_to_another_path() {
    let request = Request { model: Some("../../v1/files?x=".into()), ..question() };
    let seen = sent(Provider::Gemini, OpenAiApi::Chat, &request).await;
    assert_eq!(seen.path, "/v1beta/models/....v1filesx:generateContent");
}

#[tokio::test]
async fn a_video_goes_to_those_who_take_one() {
    let video = Media { mime: "video/mp4", ..picture() };
    let request = Request { parts: vec![Part::Video(video), Part::Text("?".into())], ..Request::default() };
    let seen = sent(Provider::Zai, OpenAiApi::Chat, &request).await;
    assert_eq!(
        seen.body["messages"],
        json!([{ "role": "user", "content": [
            { "type": "video_url", "video_url": { "url": format!("data:video/mp4;base64,{BASE64}") } },
            { "type": "text", "text": "?" },
        ] }])
    );
    let seen = sent(Provider::Gemini, OpenAiApi::Chat, &request).await;
    assert_eq!(seen.body["contents"][0]["parts"][0]["inlineData"]["mimeType"], "video/mp4");
    let stub = Stub::start().expect("a stub");
    for provider in [Provider::OpenAi, Provider::Claude, Provider::Ollama, Provider::Compatible] {
        let error =
            models_at(&stub, OpenAiApi::Chat, 0).ask(provider, &request, None).await.expect_err("no video");
        assert!(matches!(error, ModelError::NoVideo { .. }), "{error}");
    }
    assert!(stub.seen().is_empty());
}
