//! Styles and scripts, embedded. Their address holds a hash of all of them, so browsers may keep them for ever.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use web::axum::extract::Path;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

/// Name, media type and text of each.
const ALL: &[(&str, &str, &[u8])] = &[
    ("book.css", CSS, include_bytes!("../../assets/book.css")),
    ("book.js", JS, include_bytes!("../../assets/book.js")),
    ("swap.js", JS, include_bytes!("../../assets/swap.js")),
    ("form.js", JS, include_bytes!("../../assets/form.js")),
    ("offline.js", JS, include_bytes!("../../assets/offline.js")),
    ("cook.js", JS, include_bytes!("../../assets/cook.js")),
    ("timers.js", JS, include_bytes!("../../assets/timers.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../assets/icon.svg")),
    ("icon-192.png", "image/png", include_bytes!("../../assets/icon-192.png")),
    ("icon-512.png", "image/png", include_bytes!("../../assets/icon-512.png")),
];

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// A hash of everything that is here.
pub(crate) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut hash = Sha256::new();
        for (name, _, text) in ALL {
            hash.update(name);
            hash.update(text);
        }
        hex::encode(hash.finalize()).chars().take(12).collect()
    });
    &VERSION
}

/// What everything is called.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _, _)| *name)
}

/// `GET /assets/{version}/{name}`
pub(super) async fn serve(Path((given, name)): Path<(String, String)>) -> Response {
    let Some((_, kind, text)) = ALL.iter().find(|(known, _, _)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = (*text).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let cache = if given == version() { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}
