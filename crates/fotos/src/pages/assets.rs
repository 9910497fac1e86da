//! Styles and scripts, embedded. Their address holds a hash of all of them, so browsers may keep them for ever.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use web::axum::extract::Path;
use web::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// Name, media type and text of each.
const ALL: &[(&str, &str, &[u8])] = &[
    ("fotos.css", CSS, include_bytes!("../../assets/fotos.css")),
    ("panels.css", CSS, include_bytes!("../../assets/panels.css")),
    ("overlay.css", CSS, include_bytes!("../../assets/overlay.css")),
    ("editor.js", JS, include_bytes!("../../assets/editor.js")),
    ("app.js", JS, include_bytes!("../../assets/app.js")),
    ("api.js", JS, include_bytes!("../../assets/api.js")),
    ("stage.js", JS, include_bytes!("../../assets/stage.js")),
    ("shapes.js", JS, include_bytes!("../../assets/shapes.js")),
    ("tools.js", JS, include_bytes!("../../assets/tools.js")),
    ("style.js", JS, include_bytes!("../../assets/style.js")),
    ("keys.js", JS, include_bytes!("../../assets/keys.js")),
    ("capture.js", JS, include_bytes!("../../assets/capture.js")),
    ("region.js", JS, include_bytes!("../../assets/region.js")),
    ("gallery.js", JS, include_bytes!("../../assets/gallery.js")),
    ("panels.js", JS, include_bytes!("../../assets/panels.js")),
    ("redact.js", JS, include_bytes!("../../assets/redact.js")),
    ("saving.js", JS, include_bytes!("../../assets/saving.js")),
    ("settings.js", JS, include_bytes!("../../assets/settings.js")),
    ("ui.js", JS, include_bytes!("../../assets/ui.js")),
    ("overlay.js", JS, include_bytes!("../../assets/overlay.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../assets/icon.svg")),
];

/// A hash of everything that is here.
pub(super) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut hash = DefaultHasher::new();
        ALL.hash(&mut hash);
        format!("{:016x}", hash.finish())
    });
    &VERSION
}

/// `GET /fotos/assets/{version}/{name}`
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
