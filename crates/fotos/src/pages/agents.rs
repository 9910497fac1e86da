//! What agents did, the switch that pauses them, and what happens, as it happens.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use web::axum::extract::State;
use web::axum::response::Response;

use super::Shared;
use super::failure::{Answer, Failure, json, read};
use super::stream::{Kind, open};
use crate::error::Error;

/// How many calls a page shows.
const SHOWN: usize = 200;

/// How often a quiet stream says that it is there.
const QUIET: Duration = Duration::from_secs(20);

/// `GET agents`
pub(super) async fn calls(State(site): Shared) -> Response {
    let activity = &site.host.activity;
    let calls: Vec<_> = activity.calls().into_iter().take(SHOWN).collect();
    json(&json!({ "paused": activity.is_paused(), "calls": calls }))
}

#[derive(Deserialize)]
struct Pause {
    paused: bool,
}

/// `POST agents/pause`
pub(super) async fn pause(State(site): Shared, bytes: Bytes) -> Answer {
    let Pause { paused } = read(&bytes)?;
    site.host.work(move |host| host.pause_agents(paused)).await?;
    Ok(json(&json!({ "paused": site.host.activity.is_paused() })))
}

/// `POST connect`: has the MCP clients of this person know Fotos.
pub(super) async fn connect(State(site): Shared) -> Answer {
    let site = Arc::clone(&site);
    let done = tokio::task::spawn_blocking(move || site.desktop.connect()).await;
    let said = done.map_err(|_| Failure::from(Error::Interrupted))??;
    Ok(json(&json!({ "said": said })))
}

/// `GET events`: what happens, as it happens. A page that reads too slowly is told to look at everything again.
pub(super) async fn events(State(site): Shared) -> Response {
    let (sink, response) = open(Kind::Events);
    let (tell, mut told) = mpsc::channel(128);
    let missed = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_missed = Arc::clone(&missed);
    let listening = site.host.events.listen(move |event| {
        if tell.try_send(*event).is_err() {
            is_missed.store(true, std::sync::atomic::Ordering::SeqCst);
        }
    });
    tokio::spawn(async move {
        let _listening = listening;
        let mut quiet = tokio::time::interval(QUIET);
        loop {
            let written = tokio::select! {
                event = told.recv() => match event {
                    Some(event) => sink.send(&event).await,
                    None => return,
                },
                _ = quiet.tick() => sink.keep_open().await,
                () = sink.closed() => return,
            };
            if written.is_err() {
                return;
            }
            if missed.swap(false, std::sync::atomic::Ordering::SeqCst)
                && sink.send(&json!({ "event": "missed" })).await.is_err()
            {
                return;
            }
        }
    });
    response
}
