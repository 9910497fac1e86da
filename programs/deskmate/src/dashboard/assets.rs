//! Styles and scripts, embedded. Their address holds the version of this build, so browsers may keep them.

use web::axum::extract::Path;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

/// Name, media type and text of each.
const ALL: &[(&str, &str, &str)] = &[
    ("dashboard.css", "text/css; charset=utf-8", include_str!("../../assets/dashboard.css")),
    ("dashboard.js", "text/javascript; charset=utf-8", include_str!("../../assets/dashboard.js")),
    ("try.js", "text/javascript; charset=utf-8", include_str!("../../assets/try.js")),
];

/// Where they are.
pub(super) fn path() -> String {
    format!("{}/assets/{}", super::BELOW, env!("CARGO_PKG_VERSION"))
}

/// `GET /desk/assets/{version}/{name}`
pub(super) async fn serve(Path((_, name)): Path<(String, String)>) -> Response {
    let Some((_, kind, text)) = ALL.iter().find(|(known, _, _)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = (*text).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Two builds may have the same version while somebody works on them.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
