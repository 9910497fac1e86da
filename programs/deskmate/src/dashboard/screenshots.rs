//! The screenshots of this process, as its server `fotos` tells them.

use askama::Template;
use serde::Deserialize;
use serde_json::json;
use web::axum::extract::{Path, State};
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

use super::{Shared, html};
use crate::client;

/// How many are shown.
const MOST: usize = 12;

#[derive(Template)]
#[template(path = "screenshots.html")]
struct Gallery {
    below: &'static str,
    screenshots: Vec<Shot>,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(rename = "structuredContent")]
    content: Option<List>,
}

#[derive(Deserialize)]
struct List {
    screenshots: Vec<Shot>,
}

#[derive(Deserialize)]
struct Shot {
    screenshot_id: String,
    timestamp: String,
    width: u32,
    height: u32,
    #[serde(default)]
    subject: Option<String>,
}

#[derive(Deserialize)]
struct Read {
    contents: Vec<client::Resource>,
}

/// `GET /desk/screenshots`
pub(super) async fn gallery(State(dashboard): State<Shared>) -> Response {
    let arguments = json!({ "name": "list_screenshots", "arguments": { "limit": MOST } });
    let listed: Option<Listed> = dashboard.ask(fotos::NAME, "tools/call", arguments).await;
    let screenshots =
        listed.and_then(|listed| listed.content).map(|list| list.screenshots).unwrap_or_default();
    html(&Gallery { below: super::BELOW, screenshots })
}

/// `GET /desk/screenshots/{id}`: the PNG.
pub(super) async fn picture(State(dashboard): State<Shared>, Path(id): Path<String>) -> Response {
    let wanted = json!({ "uri": format!("screenshots://{id}") });
    let read: Option<Read> = dashboard.ask(fotos::NAME, "resources/read", wanted).await;
    let blob = read.and_then(|read| read.contents.into_iter().find_map(|item| item.blob));
    let Some(png) = blob.and_then(|blob| base64_simd::STANDARD.decode_to_vec(blob).ok()) else {
        return (StatusCode::NOT_FOUND, "This screenshot is gone.\n").into_response();
    };
    let mut response = png.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // No page of another site shows it, whoever looks at that page.
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}
