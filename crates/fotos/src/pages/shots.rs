//! Screenshots: the list, one of them, its pictures.

use std::sync::Arc;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use picture::{Effort, encode_png};
use serde::Deserialize;
use serde_json::json;
use web::axum::extract::{Path, Query, State};
use web::axum::http::HeaderMap;
use web::axum::response::Response;

use super::Shared;
use super::failure::{Answer, Failure, json, read, typed};
use crate::error::Error;

/// `GET state`: everything a page begins with.
pub(super) async fn state(State(site): Shared) -> Response {
    let host = &site.host;
    let problems = host.settings_problems();
    json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "application": host.is_application(),
        "desktop": site.desktop.abilities(),
        "settings": *host.settings(),
        "problems": problems,
        "historyTrouble": host.history_trouble(),
        "paused": host.activity.is_paused(),
        "shots": host.shots(),
    }))
}

#[derive(Deserialize)]
pub(super) struct Search {
    q: Option<String>,
}

/// `GET shots?q=`
pub(super) async fn list(State(site): Shared, Query(search): Query<Search>) -> Response {
    match search.q.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => json(&site.host.search(text)),
        None => json(&site.host.shots()),
    }
}

/// `GET shots/{id}`
pub(super) async fn one(State(site): Shared, Path(id): Path<String>) -> Answer {
    Ok(json(&site.host.shot(&id)?))
}

/// `POST shots`: a picture from a file or from the clipboard.
pub(super) async fn open(State(site): Shared, headers: HeaderMap, bytes: Bytes) -> Answer {
    let name = headers.get("x-name").and_then(|name| name.to_str().ok()).and_then(decoded);
    let shot = site.host.add_picture(name, bytes).await?;
    Ok(json(&site.host.shot(&shot.id().to_string())?))
}

/// `POST paste`: the picture in the clipboard of the desktop.
pub(super) async fn paste(State(site): Shared) -> Answer {
    let desktop = Arc::clone(&site);
    let pasted = tokio::task::spawn_blocking(move || desktop.desktop.paste()).await;
    let pasted = pasted.map_err(|_| Failure::from(Error::Interrupted))??;
    let bytes = pasted.ok_or_else(|| Failure::bad("there is no picture in the clipboard"))?;
    let shot = site.host.add_picture(Some("Clipboard".to_owned()), bytes).await?;
    Ok(json(&site.host.shot(&shot.id().to_string())?))
}

/// A header carries only ASCII: names come with `%` in them.
fn decoded(name: &str) -> Option<String> {
    let name = percent_decode_str(name).decode_utf8().ok()?;
    let name: String = name.chars().filter(|letter| !letter.is_control()).take(200).collect();
    (!name.trim().is_empty()).then_some(name)
}

/// `DELETE shots/{id}`
pub(super) async fn delete(State(site): Shared, Path(id): Path<String>) -> Answer {
    Ok(json(&site.host.delete(&id)?.summary()))
}

#[derive(Deserialize)]
struct Sharing {
    shared: bool,
}

/// `POST shots/{id}/share`
pub(super) async fn share(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    site.host.share(&id, read::<Sharing>(&bytes)?.shared)?;
    Ok(json(&site.host.shot(&id)?))
}

#[derive(Deserialize)]
pub(super) struct Small {
    edge: Option<u32>,
}

/// `GET shots/{id}/thumbnail`
pub(super) async fn thumbnail(
    State(site): Shared,
    Path(id): Path<String>,
    Query(small): Query<Small>,
) -> Answer {
    let edge = small.edge.unwrap_or(320);
    let png = site.host.work(move |host| host.thumbnail(&id, edge)).await?;
    Ok(typed("image/png", png))
}

#[derive(Deserialize)]
pub(super) struct Hidden {
    hide: Option<String>,
}

/// `GET shots/{id}/picture?hide=`: as it looks, by the one renderer, without some annotations.
pub(super) async fn picture(
    State(site): Shared,
    Path(id): Path<String>,
    Query(hidden): Query<Hidden>,
) -> Answer {
    let hide = ids(hidden.hide.as_deref())?;
    let png = site.host.work(move |host| {
        if hide.is_empty() {
            return host.view(&id)?.png();
        }
        let pixels = host.flattened(&id, &hide)?;
        Ok(encode_png(pixels.picture(), Effort::Fast)?.bytes.into())
    });
    Ok(typed("image/png", png.await.map_err(Failure::from)?))
}

/// Names, as JSON: agents choose those of their annotations, and may put any sign into them.
pub(super) fn ids(text: Option<&str>) -> Result<Vec<String>, Failure> {
    text.map_or_else(|| Ok(Vec::new()), |text| read(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn names_of_files_are_read_as_browsers_write_them() {
        assert_eq!(decoded("a%20b.png").as_deref(), Some("a b.png"));
        assert_eq!(decoded("Gr%C3%BC%C3%9Fe.png").as_deref(), Some("Grüße.png"));
        for wrong in ["", "%ff", "%0a"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
