//! Styles and scripts, embedded.

use web::axum::extract::Path;
use web::axum::response::Response;
use web::{Asset, Assets};

static ALL: Assets = Assets::new(&[
    Asset::css("fotos.css", include_bytes!("../../assets/fotos.css")),
    Asset::css("panels.css", include_bytes!("../../assets/panels.css")),
    Asset::css("overlay.css", include_bytes!("../../assets/overlay.css")),
    Asset::js("editor.js", include_bytes!("../../assets/editor.js")),
    Asset::js("app.js", include_bytes!("../../assets/app.js")),
    Asset::js("api.js", include_bytes!("../../assets/api.js")),
    Asset::js("stage.js", include_bytes!("../../assets/stage.js")),
    Asset::js("shapes.js", include_bytes!("../../assets/shapes.js")),
    Asset::js("tools.js", include_bytes!("../../assets/tools.js")),
    Asset::js("style.js", include_bytes!("../../assets/style.js")),
    Asset::js("keys.js", include_bytes!("../../assets/keys.js")),
    Asset::js("capture.js", include_bytes!("../../assets/capture.js")),
    Asset::js("region.js", include_bytes!("../../assets/region.js")),
    Asset::js("loupe.js", include_bytes!("../../assets/loupe.js")),
    Asset::js("gallery.js", include_bytes!("../../assets/gallery.js")),
    Asset::js("panels.js", include_bytes!("../../assets/panels.js")),
    Asset::js("redact.js", include_bytes!("../../assets/redact.js")),
    Asset::js("saving.js", include_bytes!("../../assets/saving.js")),
    Asset::js("settings.js", include_bytes!("../../assets/settings.js")),
    Asset::js("ui.js", include_bytes!("../../assets/ui.js")),
    Asset::js("pin.js", include_bytes!("../../assets/pin.js")),
    Asset::js("overlay.js", include_bytes!("../../assets/overlay.js")),
    Asset::svg("chevron.svg", include_bytes!("../../assets/chevron.svg")),
    Asset::svg("icon.svg", include_bytes!("../../assets/icon.svg")),
]);

/// A hash of everything that is here.
pub(super) fn version() -> &'static str {
    ALL.version()
}

/// `GET /fotos/assets/{version}/{name}`
pub(super) async fn serve(Path((version, name)): Path<(String, String)>) -> Response {
    ALL.serve(&version, &name)
}
