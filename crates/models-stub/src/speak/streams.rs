//! Answers bit by bit.

use serde_json::{Value, json};

use super::wholes::{candidate, chat_usage, response};
use super::{Dialect, Reply};

pub(super) fn pieces(reply: &Reply) -> Vec<String> {
    match reply.dialect {
        Dialect::Zai | Dialect::Chat => chat(reply),
        Dialect::Responses => responses(reply),
        Dialect::Messages => messages(reply),
        Dialect::Generate => generate(reply),
        Dialect::Ollama => ollama(reply),
    }
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

fn chat(reply: &Reply) -> Vec<String> {
    let chunk = |delta: Value, finish: Option<&str>, usage: Value| {
        data(&json!({
            "id": "stub", "object": "chat.completion.chunk", "created": 1, "model": reply.model,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }], "usage": usage,
        }))
    };
    let mut pieces = vec![chunk(json!({ "role": "assistant", "content": "" }), None, Value::Null)];
    if reply.dialect == Dialect::Zai {
        pieces.push(chunk(json!({ "reasoning_content": reply.thought }), None, Value::Null));
    }
    let words = reply.words();
    pieces.extend(words.iter().map(|word| chunk(json!({ "content": word }), None, Value::Null)));
    if let Some(message) = &reply.error {
        pieces.push(data(&reply.dialect.failure(500, "1234", message)));
        return pieces;
    }
    if let (Some(refusal), Dialect::Chat) = (&reply.refusal, reply.dialect) {
        pieces.push(chunk(json!({ "refusal": refusal }), None, Value::Null));
    }
    pieces.push(chunk(json!({}), Some(reply.finish()), chat_usage()));
    pieces.push("data: [DONE]\n\n".to_owned());
    pieces
}

fn responses(reply: &Reply) -> Vec<String> {
    let mut events = vec![json!({ "type": "response.created", "response": response(&empty(reply)) })];
    let place = json!({ "item_id": "msg_stub", "output_index": 1, "content_index": 0, "logprobs": [] });
    for word in reply.words() {
        let mut delta = place.clone();
        delta["type"] = json!("response.output_text.delta");
        delta["delta"] = json!(word);
        events.push(delta);
    }
    let end = match (&reply.error, reply.cut) {
        (Some(message), _) => {
            json!({ "type": "error", "code": "server_error", "message": message, "param": null })
        }
        (None, true) => json!({ "type": "response.incomplete", "response": response(reply) }),
        (None, false) => json!({ "type": "response.completed", "response": response(reply) }),
    };
    events.push(end);
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events.iter().map(named).collect()
}

fn empty(reply: &Reply) -> Reply {
    Reply {
        dialect: reply.dialect,
        model: reply.model.clone(),
        text: String::new(),
        thought: String::new(),
        refusal: None,
        cut: false,
        error: None,
    }
}

fn messages(reply: &Reply) -> Vec<String> {
    let mut events = vec![
        json!({ "type": "message_start", "message": {
            "id": "msg_stub", "type": "message", "role": "assistant", "model": reply.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 1200, "output_tokens": 1 },
        } }),
        json!({ "type": "ping" }),
        json!({ "type": "content_block_start", "index": 0,
            "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "thinking_delta", "thinking": reply.thought } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }),
    ];
    events.extend(reply.words().into_iter().map(|word| {
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": word } })
    }));
    if let Some(message) = &reply.error {
        events.push(json!({ "type": "error", "error": { "type": "overloaded_error", "message": message } }));
    } else {
        events.push(json!({ "type": "content_block_stop", "index": 1 }));
        events.push(json!({ "type": "message_delta",
            "delta": { "stop_reason": reply.finish(), "stop_sequence": null }, "usage": { "output_tokens": 42 } }));
        events.push(json!({ "type": "message_stop" }));
    }
    events.iter().map(named).collect()
}

fn generate(reply: &Reply) -> Vec<String> {
    let thought = json!({ "text": reply.thought, "thought": true });
    let mut pieces = vec![candidate(reply, &[thought], None)];
    pieces.extend(reply.words().into_iter().map(|word| candidate(reply, &[json!({ "text": word })], None)));
    pieces.push(match &reply.error {
        Some(message) => reply.dialect.failure(503, "UNAVAILABLE", message),
        None => candidate(reply, &[], Some(reply.finish())),
    });
    pieces.iter().map(data).collect()
}

fn ollama(reply: &Reply) -> Vec<String> {
    let line = |message: Value, end: Value| {
        let mut line = json!({
            "model": reply.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false,
        });
        if let (Some(line), Value::Object(end)) = (line.as_object_mut(), end) {
            line.extend(end);
        }
        format!("{line}\n")
    };
    let said = |content: &str| json!({ "role": "assistant", "content": content });
    let mut pieces =
        vec![line(json!({ "role": "assistant", "content": "", "thinking": reply.thought }), Value::Null)];
    pieces.extend(reply.words().into_iter().map(|word| line(said(word), Value::Null)));
    pieces.push(match &reply.error {
        Some(message) => format!("{}\n", json!({ "error": message })),
        None => line(
            said(""),
            json!({ "done": true, "done_reason": reply.finish(), "prompt_eval_count": 1200, "eval_count": 42 }),
        ),
    });
    pieces
}
