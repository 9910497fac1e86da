//! Work that takes a while: reading text, finding what is private, asking a model. Each answers with lines: `progress`, `text`
//! bit by bit, then `done` or `error`. It ends when nobody reads any more.

use std::ops::ControlFlow;

use bytes::Bytes;
use geometry::Rect;
use ocr::Progress;
use serde::Deserialize;
use serde_json::{Value, json};
use web::axum::extract::{Path, State};
use web::axum::response::Response;

use super::Shared;
use super::failure::{Answer, Failure, json, read};
use super::stream::{Kind, Sink, open};
use crate::error::Error;
use crate::host::Question;

fn watch(sink: &Sink) -> impl FnMut(Progress) -> ControlFlow<()> + use<> {
    let sink = sink.clone();
    move |Progress { done, of }| match sink.progress(&json!({ "progress": { "done": done, "of": of } })) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

fn ended(result: Result<Value, Error>) -> Value {
    match result {
        Ok(value) => json!({ "done": value }),
        Err(error) => json!({ "error": Failure::from(error).message() }),
    }
}

/// `POST shots/{id}/text`: its words, with their boxes in pixels of the view.
pub(super) async fn text(State(site): Shared, Path(id): Path<String>) -> Response {
    let (sink, response) = open(Kind::Lines);
    tokio::spawn(async move {
        let mut progress = watch(&sink);
        let language = site.host.settings().ai.ocr_language.clone();
        let read = site.host.work(move |host| {
            let page = host.read(&*host.view(&id)?, &language, &mut progress)?;
            let words = |line: &ocr::Line| -> Vec<Value> {
                line.words.iter().map(|word| json!({ "text": word.text, "box": word.area })).collect()
            };
            Ok(json!({ "lines": page.lines.iter().map(words).collect::<Vec<_>>() }))
        });
        let _ = sink.send(&ended(read.await)).await;
    });
    response
}

/// `POST shots/{id}/review`: what is private, with boxes in pixels of the base.
pub(super) async fn review(State(site): Shared, Path(id): Path<String>) -> Response {
    let (sink, response) = open(Kind::Lines);
    tokio::spawn(async move {
        let mut progress = watch(&sink);
        let found = site.host.work(move |host| {
            let found = host.review(&id, &mut progress)?;
            let told = found.iter().map(|one| json!({ "kind": one.kind, "box": one.place }));
            Ok(json!({ "found": told.collect::<Vec<_>>() }))
        });
        let _ = sink.send(&ended(found.await)).await;
    });
    response
}

#[derive(Deserialize)]
struct Boxes {
    boxes: Vec<Rect>,
}

/// `POST shots/{id}/redact`: covers boxes for good.
pub(super) async fn redact(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let Boxes { boxes } = read(&bytes)?;
    Ok(json(&site.host.work(move |host| host.commit_redaction(&id, &boxes)).await?))
}

#[derive(Deserialize)]
struct Asked {
    prompt: String,
    provider: String,
    #[serde(default)]
    redact: bool,
}

/// `POST shots/{id}/ask`: the answer of a model, as it comes.
pub(super) async fn ask(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let Asked { prompt, provider, redact } = read(&bytes)?;
    let provider =
        provider.parse().map_err(|error: models::UnknownProvider| Failure::bad(error.to_string()))?;
    let question = Question { prompt, provider, redact };
    let (sink, response) = open(Kind::Lines);
    tokio::spawn(async move {
        let heard = sink.clone();
        let mut listener = move |now: models::Heard<'_>| {
            let _ = heard.progress(&json!({ "text": now.text, "attempt": now.attempt }));
        };
        // Dropping the call ends it at the provider, too.
        tokio::select! {
            answered = site.host.ask(&id, question, Some(&mut listener)) => {
                let _ = sink.send(&ended(answered.map(|answered| json!(answered)))).await;
            }
            () = sink.closed() => {}
        }
    });
    Ok(response)
}
