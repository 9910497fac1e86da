//! Styles and scripts, embedded. Their address holds a hash of all of them, so browsers may keep them for ever.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use web::axum::extract::Path;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

/// Name, media type and text of each.
const ALL: &[(&str, &str, &str)] = &[
    ("book.css", CSS, include_str!("../../assets/book.css")),
    ("book.js", JS, include_str!("../../assets/book.js")),
    ("swap.js", JS, include_str!("../../assets/swap.js")),
    ("rows.js", JS, include_str!("../../assets/rows.js")),
    ("cook.js", JS, include_str!("../../assets/cook.js")),
    ("timers.js", JS, include_str!("../../assets/timers.js")),
    ("icon.svg", "image/svg+xml", include_str!("../../assets/icon.svg")),
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
        crate::secret::hex(&hash.finalize()).chars().take(12).collect()
    });
    &VERSION
}

/// `GET /assets/{version}/{name}`
pub(super) async fn serve(Path((given, name)): Path<(String, String)>) -> Response {
    let Some((_, kind, text)) = ALL.iter().find(|(known, _, _)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let cache = if given == version() { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}
