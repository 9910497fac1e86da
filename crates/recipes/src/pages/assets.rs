//! Styles and scripts, embedded.

use web::axum::extract::Path;
use web::axum::response::Response;
use web::{Asset, Assets};

static ALL: Assets = Assets::new(&[
    Asset::css("book.css", include_bytes!("../../assets/book.css")),
    Asset::js("book.js", include_bytes!("../../assets/book.js")),
    Asset::js("swap.js", include_bytes!("../../assets/swap.js")),
    Asset::js("form.js", include_bytes!("../../assets/form.js")),
    Asset::js("offline.js", include_bytes!("../../assets/offline.js")),
    Asset::js("cook.js", include_bytes!("../../assets/cook.js")),
    Asset::js("timers.js", include_bytes!("../../assets/timers.js")),
    Asset::svg("icon.svg", include_bytes!("../../assets/icon.svg")),
    Asset::png("icon-192.png", include_bytes!("../../assets/icon-192.png")),
    Asset::png("icon-512.png", include_bytes!("../../assets/icon-512.png")),
]);

/// A hash of everything that is here.
pub(crate) fn version() -> &'static str {
    ALL.version()
}

/// What everything is called.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.names()
}

/// `GET /assets/{version}/{name}`
pub(super) async fn serve(Path((version, name)): Path<(String, String)>) -> Response {
    ALL.serve(&version, &name)
}
