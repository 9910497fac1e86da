//! Settings and API keys.

use bytes::Bytes;
use models::{Key, Provider};
use serde::Deserialize;
use serde_json::json;
use web::axum::extract::{Path, State};
use web::axum::response::Response;

use super::Shared;
use super::failure::{self, Answer, Failure, json};

/// `GET settings`
pub(super) async fn read(State(site): Shared) -> Response {
    json(&*site.host.settings())
}

/// `PATCH settings`: a JSON merge patch.
pub(super) async fn change(State(site): Shared, patch: String) -> Answer {
    let done = site.host.work(move |host| host.patch_settings(&patch)).await?;
    Ok(json(&*done))
}

/// `POST settings/reset`: everything as it was at first. Agents that are paused stay so: the dialog speaks of settings.
pub(super) async fn reset(State(site): Shared) -> Answer {
    let patch = json!({ "capture": null, "annotation": null, "ai": null, "ui": null, "privacy": null, "agents": { "shareNew": null }, "history": null });
    let done = site.host.work(move |host| host.patch_settings(&patch.to_string())).await?;
    Ok(json(&*done))
}

/// `GET keys`
pub(super) async fn keys(State(site): Shared) -> Answer {
    Ok(json(&site.host.work(|host| Ok(host.keys())).await?))
}

#[derive(Deserialize)]
struct Given {
    key: String,
}

fn provider(text: &str) -> Result<Provider, Failure> {
    text.parse().map_err(|error: models::UnknownProvider| Failure::bad(error.to_string()))
}

/// `PUT keys/{provider}`
pub(super) async fn save_key(State(site): Shared, Path(name): Path<String>, bytes: Bytes) -> Answer {
    let provider = provider(&name)?;
    let Given { key } = failure::read(&bytes)?;
    let key = Key::new(&key).ok_or_else(|| Failure::bad("the key is empty"))?;
    Ok(json(&site.host.work(move |host| host.save_key(provider, &key)).await?))
}

/// `DELETE keys/{provider}`
pub(super) async fn delete_key(State(site): Shared, Path(name): Path<String>) -> Answer {
    let provider = provider(&name)?;
    let deleted = site.host.work(move |host| host.delete_key(provider)).await?;
    Ok(json(&json!({ "deleted": deleted })))
}

/// `POST keys/{provider}/test`
pub(super) async fn test_key(State(site): Shared, Path(name): Path<String>) -> Answer {
    let model = site.host.test_key(provider(&name)?).await?;
    Ok(json(&json!({ "model": model })))
}

/// `POST quit`: ends the program, once the person does not mind what is not saved.
pub(super) async fn quit(State(site): Shared) -> Answer {
    site.desktop.quit()?;
    Ok(json(&json!({})))
}
