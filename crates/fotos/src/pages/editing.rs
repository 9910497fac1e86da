//! Documents: what is drawn, and changes of it.

use bytes::Bytes;
use serde::Deserialize;
use web::axum::extract::{Path, Query, State};
use web::axum::http::HeaderValue;

use super::Shared;
use super::failure::{Answer, Failure, json, read, typed};
use super::shots::ids;
use crate::document::Edit;
use crate::screenshot::By;

/// `GET shots/{id}/document`
pub(super) async fn document(State(site): Shared, Path(id): Path<String>) -> Answer {
    Ok(json(&site.host.document(&id)?))
}

#[derive(Deserialize)]
struct Change {
    edit: Edit,
    revision: Option<u64>,
}

/// `POST shots/{id}/edit`
pub(super) async fn edit(State(site): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let Change { edit, revision } = read(&bytes)?;
    Ok(json(&site.host.edit(&id, edit, revision)?))
}

/// `POST shots/{id}/undo`
pub(super) async fn undo(State(site): Shared, Path(id): Path<String>) -> Answer {
    Ok(json(&site.host.undo(&id, By::Person)?))
}

/// `POST shots/{id}/redo`
pub(super) async fn redo(State(site): Shared, Path(id): Path<String>) -> Answer {
    Ok(json(&site.host.redo(&id, By::Person)?))
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    ids: Option<String>,
}

/// `GET shots/{id}/layer?ids=`: some annotations alone. `x-place` says where: left, top, width, height.
pub(super) async fn layer(
    State(site): Shared,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer {
    let wanted = ids(wanted.ids.as_deref())?;
    let layer = site.host.work(move |host| host.layer(&id, &wanted)).await.map_err(Failure::from)?;
    let place = layer.place;
    let mut response = typed("image/png", layer.png);
    let text = format!("{},{},{},{}", place.x, place.y, place.width, place.height);
    if let Ok(value) = HeaderValue::try_from(text) {
        response.headers_mut().insert("x-place", value);
    }
    Ok(response)
}
