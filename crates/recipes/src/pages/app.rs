//! What makes the pages an app: a manifest, and a service worker that keeps what was looked at.

use web::axum::extract::State;
use web::axum::http::HeaderValue;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::response::{IntoResponse, Response};

use crate::pages::assets;
use crate::pages::language::Language;
use crate::site::Book;

const WORKER: &str = include_str!("../../assets/worker.js");

/// `GET /app.webmanifest`
pub(super) async fn manifest(State(book): State<Book>, language: Language) -> Response {
    let base = &book.settings.base;
    let icon = |name: &str| format!("{base}/assets/{}/{name}", assets::version());
    let manifest = serde_json::json!({
        "id": format!("{base}/"),
        "name": "Recipe Vault",
        "short_name": language.t("Cookbook"),
        "description": language.t("The family cookbook"),
        "lang": language.code(),
        "start_url": format!("{base}/"),
        "scope": format!("{base}/"),
        "display": "standalone",
        "background_color": "#fbf6ee",
        "theme_color": "#9c3d22",
        "icons": [
            { "src": icon("icon-192.png"), "sizes": "192x192", "type": "image/png", "purpose": "any maskable" },
            { "src": icon("icon-512.png"), "sizes": "512x512", "type": "image/png", "purpose": "any maskable" },
            { "src": icon("icon.svg"), "sizes": "any", "type": "image/svg+xml" },
        ],
        "share_target": {
            "action": format!("{base}/import"),
            "method": "GET",
            "params": { "title": "title", "text": "shared", "url": "url" },
        },
        "shortcuts": [
            { "name": language.t("Shopping list"), "url": format!("{base}/shopping") },
            { "name": language.t("Meal plan"), "url": format!("{base}/plan") },
        ],
    });
    served("application/manifest+json", manifest.to_string())
}

/// `GET /worker.js`: below the first page, since a worker reaches what is below it.
pub(super) async fn worker(State(book): State<Book>) -> Response {
    let base = serde_json::Value::from(book.settings.base.as_str());
    let version = serde_json::Value::from(assets::version());
    let files: Vec<String> = assets::names()
        .map(|name| format!("{}/assets/{}/{name}", book.settings.base, assets::version()))
        .collect();
    let files = serde_json::Value::from(files);
    served(
        "text/javascript; charset=utf-8",
        format!("const BASE = {base}, VERSION = {version}, FILES = {files};\n{WORKER}"),
    )
}

fn served(kind: &'static str, text: String) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
