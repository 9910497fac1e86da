//! Styles and scripts, embedded.

use web::axum::extract::Path;
use web::axum::response::Response;
use web::{Asset, Assets};

static ALL: Assets = Assets::new(&[
    Asset::css("dashboard.css", include_bytes!("../../assets/dashboard.css")),
    Asset::js("dashboard.js", include_bytes!("../../assets/dashboard.js")),
    Asset::js("try.js", include_bytes!("../../assets/try.js")),
]);

/// Where they are.
pub(super) fn path() -> String {
    format!("{}/assets/{}", super::BELOW, ALL.version())
}

/// `GET /desk/assets/{version}/{name}`
pub(super) async fn serve(Path((version, name)): Path<(String, String)>) -> Response {
    ALL.serve(&version, &name)
}
