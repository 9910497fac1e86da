//! The pages at `/`: how to connect an app, what works, what can be done, and what is being done.
//!
//! Everything is rendered here and readable without script; `assets/dashboard.js` keeps the live parts fresh, copies text, and sends
//! the forms that try a tool to the same MCP endpoints that apps use.

mod assets;
mod calls;
mod connecting;
mod form;
mod recipes;
mod screenshots;
mod vault;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askama::Template;
use mcp::Service;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use web::axum::Router;
use web::axum::extract::State;
use web::axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use web::axum::http::{HeaderValue, StatusCode};
use web::axum::response::{IntoResponse, Response};
use web::axum::routing::{get, post};

use crate::asking;
use crate::client;
use crate::doctor::{self, Report, Status};
use crate::servers::{self, Chosen};

pub use calls::CallLog;

/// Where a server has its own endpoint.
pub fn endpoint(server: &str) -> String {
    format!("/mcp/{server}/mcp")
}

/// Where everything but the first page is.
const BELOW: &str = "/desk";

/// What the pages tell about.
pub struct Setting {
    /// Where we listen, as others reach it.
    pub address: SocketAddr,
    /// Whether a token is needed.
    pub token: bool,
    /// Where the cookbook is, and the path that lets the person at this machine in.
    pub cookbook: Option<(&'static str, Option<String>)>,
    /// The servers, unwatched.
    pub servers: Vec<Chosen>,
    /// What is called.
    pub calls: Arc<CallLog>,
}

struct Dashboard {
    setting: Setting,
    /// The last report, and when it was made.
    report: Mutex<Option<(Instant, Arc<Report>)>>,
}

type Shared = Arc<Dashboard>;

/// A report is made anew after this long: it starts programs.
const FRESH: Duration = Duration::from_secs(10);

/// The router for `/`.
pub fn router(setting: Setting) -> Router {
    let dashboard = Arc::new(Dashboard { setting, report: Mutex::default() });
    Router::new()
        .route("/", get(first_page))
        .route("/desk/health", get(|| async { concat!("Deskmate ", env!("CARGO_PKG_VERSION"), "\n") }))
        .route("/desk/readiness", get(readiness))
        .route("/desk/calls", get(called))
        .route("/desk/screenshots", get(screenshots::gallery))
        .route("/desk/screenshots/{id}", get(screenshots::picture))
        .route("/desk/recipes", get(recipes::list))
        .route("/desk/vault", post(vault::look))
        .route("/desk/assets/{version}/{name}", get(assets::serve))
        .fallback(nothing)
        .with_state(dashboard)
}

impl Dashboard {
    fn service(&self, server: &str) -> Option<Arc<dyn Service>> {
        let servers = self.setting.servers.iter();
        servers.clone().find(|chosen| chosen.entry.name == server).map(|chosen| Arc::clone(&chosen.service))
    }

    /// Asks a server in this process; nothing where it is not served, or answers with an error.
    async fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        server: &str,
        method: &'static str,
        params: serde_json::Value,
    ) -> Option<T> {
        let service = self.service(server)?;
        let asked = tokio::task::spawn_blocking(move || {
            let params = serde_json::value::to_raw_value(&params).ok()?;
            let result = client::request(service, method, &params).ok()?;
            serde_json::from_str(result.get()).ok()
        });
        asked.await.ok()?
    }

    /// What the doctor finds, not older than [`FRESH`].
    async fn report(self: Shared) -> Option<Arc<Report>> {
        // Whoever comes while one is being made waits for it.
        let mut last = self.report.lock().await;
        if let Some((_, report)) = last.as_ref().filter(|(made, _)| made.elapsed() < FRESH) {
            return Some(Arc::clone(report));
        }
        let port = self.setting.address.port();
        let made =
            tokio::task::spawn_blocking(move || doctor::examine(doctor::Options { port }, servers::ALL));
        let report = Arc::new(made.await.ok()?);
        *last = Some((Instant::now(), Arc::clone(&report)));
        Some(report)
    }
}

/// A server, as the page shows it.
struct Shown {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    ask: &'static [&'static str],
    url: String,
    path: String,
    ready: bool,
    tools: Vec<form::ToolForm>,
}

#[derive(Template)]
#[template(path = "dashboard.html")]
#[expect(clippy::struct_excessive_bools, reason = "what the template asks for")]
struct FirstPage<'a> {
    version: &'static str,
    assets: String,
    mcp: String,
    token: bool,
    apps: Vec<connecting::App>,
    lines: Vec<connecting::Line>,
    servers: Vec<Shown>,
    readiness: Readiness<'a>,
    calls: calls::Calls,
    has_screenshots: bool,
    has_vault: bool,
    has_recipes: bool,
    cookbook: Option<String>,
}

#[derive(Template)]
#[template(path = "readiness.html")]
struct Readiness<'a> {
    report: &'a Report,
    problems: usize,
}

impl<'a> Readiness<'a> {
    fn of(report: &'a Report) -> Readiness<'a> {
        Readiness { report, problems: report.with(Status::Problem).count() }
    }
}

impl crate::doctor::Check {
    /// For a class of the page.
    fn kind(&self) -> &'static str {
        match self.status {
            Status::Ok => "ok",
            Status::NotSetUp => "open",
            Status::Problem => "bad",
        }
    }

    /// What was found, for a page.
    fn found_in_pieces(&self) -> Vec<(bool, &str)> {
        pieces(&self.found)
    }

    /// What to do, for a page.
    fn fix_in_pieces(&self) -> Vec<(bool, &str)> {
        pieces(self.fix.as_deref().unwrap_or_default())
    }

    /// For people.
    fn word(&self) -> &'static str {
        match self.status {
            Status::Ok => "works",
            Status::NotSetUp => "not set up",
            Status::Problem => "problem",
        }
    }
}

/// A message in pieces, and whether each is code: what is between backticks, which a terminal shows as they are.
fn pieces(text: &str) -> Vec<(bool, &str)> {
    let pieces = text.split('`').enumerate().map(|(at, piece)| (at % 2 == 1, piece));
    pieces.filter(|(_, piece)| !piece.is_empty()).collect()
}

async fn first_page(State(dashboard): State<Shared>) -> Response {
    let Some(report) = Arc::clone(&dashboard).report().await else { return failed() };
    let setting = &dashboard.setting;
    let base = format!("http://{}", setting.address);
    let show = |chosen: &Chosen| {
        let name = chosen.entry.name;
        let ability = asking::about(name);
        let path = endpoint(name);
        Shown {
            name,
            title: ability.map_or("About Deskmate", |ability| ability.title),
            about: ability
                .map_or("Says what Deskmate offers here, and what is missing.", |ability| ability.good_for),
            ask: ability.map_or(&["What can Deskmate do on this machine?"], |ability| ability.ask),
            url: format!("{base}{path}"),
            ready: report.servers.iter().all(|server| server.name != name || server.ready),
            tools: form::forms(&chosen.service.surface()),
            path,
        }
    };
    let page = FirstPage {
        version: env!("CARGO_PKG_VERSION"),
        assets: assets::path(),
        mcp: format!("{base}/mcp"),
        token: setting.token,
        apps: connecting::apps(&report),
        lines: connecting::lines(&base, setting.token),
        servers: setting.servers.iter().map(show).collect(),
        readiness: Readiness::of(&report),
        calls: setting.calls.shown(),
        has_screenshots: dashboard.service(fotos::NAME).is_some(),
        has_vault: dashboard.service("authy").is_some(),
        has_recipes: dashboard.service(recipes::SERVER).is_some(),
        cookbook: setting
            .cookbook
            .as_ref()
            .map(|(path, home)| home.clone().unwrap_or_else(|| (*path).to_owned())),
    };
    html(&page)
}

async fn readiness(State(dashboard): State<Shared>) -> Response {
    match dashboard.report().await {
        Some(report) => html(&Readiness::of(&report)),
        None => failed(),
    }
}

async fn called(State(dashboard): State<Shared>) -> Response {
    html(&dashboard.setting.calls.shown())
}

async fn nothing() -> Response {
    let text = "There is nothing here; `/` says what there is.\n";
    (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

fn failed() -> Response {
    let text = "This page could not be made; try again.\n";
    (StatusCode::INTERNAL_SERVER_ERROR, [(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// Scripts and styles of our own and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn html(page: &impl Template) -> Response {
    let Ok(text) = page.render() else { return failed() };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Without any, a form of this page would be sent as if it came from nowhere, and be refused.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
