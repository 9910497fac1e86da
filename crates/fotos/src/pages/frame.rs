//! The pages themselves.

use askama::Template;
use web::axum::extract::{Path, State};
use web::axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};

use super::{PATH, Shared, assets};

/// Nothing runs, loads or is sent but from and to ourselves; `blob:` is what the page made of our own answers.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
                      form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Template)]
#[template(path = "editor.html")]
struct Editor<'a> {
    base: &'a str,
    assets: String,
    theme: &'a str,
}

#[derive(Template)]
#[template(path = "overlay.html")]
struct Overlay<'a> {
    base: &'a str,
    assets: String,
}

#[derive(Template)]
#[template(path = "pin.html")]
struct Pinned<'a> {
    base: &'a str,
    assets: String,
    id: &'a str,
    width: u32,
    height: u32,
}

/// `GET /fotos`
pub(super) async fn editor(State(site): Shared) -> Response {
    let settings = site.host.settings();
    page(&Editor { base: PATH, assets: assets(), theme: &settings.ui.theme })
}

/// `GET /fotos/overlay`
pub(super) async fn overlay() -> Response {
    page(&Overlay { base: PATH, assets: assets() })
}

/// `GET /fotos/pin/{id}`
pub(super) async fn pinned(State(site): Shared, Path(id): Path<String>) -> Response {
    let Ok(view) = site.host.view(&id) else { return StatusCode::NOT_FOUND.into_response() };
    let (width, height) = view.size();
    page(&Pinned { base: PATH, assets: assets(), id: &view.id().to_string(), width, height })
}

fn assets() -> String {
    format!("{PATH}/assets/{}", assets::version())
}

fn page(template: &impl Template) -> Response {
    let Ok(html) = template.render() else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let mut response = html.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
