//! Answers at once.

use serde_json::{Value, json};

use super::{Dialect, Reply};

pub(super) fn whole(reply: &Reply) -> Value {
    match reply.dialect {
        Dialect::Zai | Dialect::Chat => chat(reply),
        Dialect::Responses => response(reply),
        Dialect::Messages => json!({
            "id": "msg_stub", "type": "message", "role": "assistant", "model": reply.model,
            "content": content(reply), "stop_reason": reply.finish(), "stop_sequence": null,
            "usage": { "input_tokens": 1200, "output_tokens": 42, "cache_read_input_tokens": 3 },
        }),
        Dialect::Generate => candidate(reply, &parts(reply), Some(reply.finish())),
        Dialect::Ollama => json!({
            "model": reply.model, "created_at": "2026-01-01T00:00:00Z",
            "message": { "role": "assistant", "content": reply.text, "thinking": reply.thought },
            "done": true, "done_reason": reply.finish(),
            "total_duration": 1, "load_duration": 1, "prompt_eval_count": 1200, "prompt_eval_duration": 1,
            "eval_count": 42, "eval_duration": 1,
        }),
    }
}

fn chat(reply: &Reply) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if reply.dialect == Dialect::Zai {
        message["reasoning_content"] = json!(reply.thought);
    } else {
        message["refusal"] = json!(reply.refusal);
    }
    json!({
        "id": "stub", "object": "chat.completion", "created": 1, "model": reply.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": reply.finish() }],
        "usage": chat_usage(),
    })
}

pub(super) fn chat_usage() -> Value {
    json!({
        "prompt_tokens": 1200, "completion_tokens": 42, "total_tokens": 1242,
        "prompt_tokens_details": { "cached_tokens": 3 }, "completion_tokens_details": { "reasoning_tokens": 7 },
    })
}

pub(super) fn response(reply: &Reply) -> Value {
    let said = match &reply.refusal {
        Some(refusal) => json!({ "type": "refusal", "refusal": refusal }),
        None => json!({ "type": "output_text", "text": reply.text, "annotations": [] }),
    };
    let mut output = vec![json!({ "type": "reasoning", "id": "rs_stub", "summary": [] })];
    if reply.refusal.is_some() || !reply.text.is_empty() {
        output.push(json!({
            "type": "message", "id": "msg_stub", "status": "completed", "role": "assistant", "content": [said],
        }));
    }
    let incomplete = reply.cut.then(|| json!({ "reason": "max_output_tokens" }));
    json!({
        "id": "resp_stub", "object": "response", "created_at": 1, "model": reply.model, "status": reply.finish(),
        "output": output, "error": null, "incomplete_details": incomplete, "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": 1200, "output_tokens": 42, "total_tokens": 1242,
            "input_tokens_details": { "cached_tokens": 3 }, "output_tokens_details": { "reasoning_tokens": 7 },
        },
    })
}

fn content(reply: &Reply) -> Value {
    let mut blocks = vec![json!({ "type": "thinking", "thinking": reply.thought, "signature": "stub" })];
    if !reply.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": reply.text }));
    }
    json!(blocks)
}

fn parts(reply: &Reply) -> Vec<Value> {
    let mut parts = vec![json!({ "text": reply.thought, "thought": true })];
    if !reply.text.is_empty() {
        parts.push(json!({ "text": reply.text }));
    }
    parts
}

/// One answer of Gemini, or one piece of a stream.
pub(super) fn candidate(reply: &Reply, parts: &[Value], finish: Option<&str>) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({
        "candidates": [candidate], "modelVersion": reply.model,
        "usageMetadata": {
            "promptTokenCount": 1200, "candidatesTokenCount": 42, "thoughtsTokenCount": 7, "totalTokenCount": 1249,
            "cachedContentTokenCount": 3,
        },
    })
}
