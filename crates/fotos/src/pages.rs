//! The pages of the application, for its window and for a browser. The window is that of the desktop program; the browser comes
//! through `deskmate serve`. What only a desktop can do is [`Desktop`].
//!
//! ```text
//! GET  /fotos              the editor          GET /fotos/overlay    choosing a region      GET /fotos/pin/{id}    a pinned picture
//! *    /fotos/api/…        JSON, pictures as they are, streams of lines
//! ```
//!
//! The router asks for no credential: mount it where only the person's own browser gets in.

mod agents;
mod assets;
mod capturing;
mod desktop;
mod editing;
mod failure;
mod frame;
mod reading;
mod saving;
mod setting;
mod shots;
mod stream;

use std::sync::{Arc, Mutex};

use geometry::Rect;
use web::axum::Router;
use web::axum::extract::DefaultBodyLimit;
use web::axum::routing::{get, post, put};

use crate::host::Host;
use crate::screenshot::Screenshot;

pub use desktop::{Abilities, Browser, Desktop, DesktopError};

/// Where the pages are.
pub const PATH: &str = "/fotos";

/// The largest file that can be opened.
pub const MOST_BYTES: usize = 64 << 20;

/// What the pages work with.
pub(crate) struct Site {
    host: Arc<Host>,
    desktop: Arc<dyn Desktop>,
    /// What a region is being chosen on. It is no screenshot yet, and nobody else sees it.
    frozen: Mutex<Option<Arc<Screenshot>>>,
    /// Held while the screen is frozen or captured from outside: a key that is pressed twice must not show the first picture in the
    /// second.
    taking: tokio::sync::Mutex<()>,
    /// The region that was chosen last, from the upper left corner of all monitors.
    last: Mutex<Option<Rect>>,
}

impl Site {
    fn new(host: Arc<Host>, desktop: Arc<dyn Desktop>) -> Site {
        let (frozen, taking, last) = (Mutex::default(), tokio::sync::Mutex::default(), Mutex::default());
        Site { host, desktop, frozen, taking, last }
    }
}

type Shared = web::axum::extract::State<Arc<Site>>;

/// What is begun from outside of the pages: by a shortcut or from the tray.
#[derive(Clone)]
pub struct Remote(Arc<Site>);

impl Remote {
    /// Freezes the screen for a region to be chosen. The message says why that cannot be.
    pub async fn choose_region(&self) -> Result<(), String> {
        capturing::freeze_all(&self.0).await.map_err(|failure| failure.message().to_owned())
    }

    /// No region is wanted any more.
    pub fn leave_region(&self) {
        capturing::thaw(&self.0);
    }

    /// Takes a picture of all monitors. The message says why that cannot be.
    pub async fn capture_all(&self) -> Result<(), String> {
        capturing::take_all(&self.0).await.map_err(|failure| failure.message().to_owned())
    }
}

/// The pages of this host, at [`PATH`].
pub fn router(host: Arc<Host>, desktop: Arc<dyn Desktop>) -> Router {
    open(host, desktop).0
}

/// The same, and what is begun from outside of them.
pub fn open(host: Arc<Host>, desktop: Arc<dyn Desktop>) -> (Router, Remote) {
    let site = Arc::new(Site::new(host, desktop));
    let remote = Remote(Arc::clone(&site));
    let api = Router::new()
        .route("/state", get(shots::state))
        .route("/events", get(agents::events))
        .route("/agents", get(agents::calls))
        .route("/agents/pause", post(agents::pause))
        .route("/connect", post(agents::connect))
        .route("/capture", post(capturing::capture))
        .route("/capture/repeat", post(capturing::repeat))
        .route("/monitors", get(capturing::monitors))
        .route("/windows", get(capturing::windows))
        .route("/windows/picture", get(capturing::window_picture))
        .route("/frozen", get(capturing::frozen_info).post(capturing::freeze))
        .route("/frozen/picture", get(capturing::frozen_picture))
        .route("/frozen/choose", post(capturing::choose))
        .route("/frozen/cancel", post(capturing::cancel))
        .route("/paste", post(shots::paste))
        .route("/quit", post(setting::quit))
        .route("/shots", get(shots::list).post(shots::open))
        .route("/shots/{id}", get(shots::one).delete(shots::delete))
        .route("/shots/{id}/share", post(shots::share))
        .route("/shots/{id}/thumbnail", get(shots::thumbnail))
        .route("/shots/{id}/picture", get(shots::picture))
        .route("/shots/{id}/layer", get(editing::layer))
        .route("/shots/{id}/document", get(editing::document))
        .route("/shots/{id}/edit", post(editing::edit))
        .route("/shots/{id}/undo", post(editing::undo))
        .route("/shots/{id}/redo", post(editing::redo))
        .route("/shots/{id}/text", post(reading::text))
        .route("/shots/{id}/review", post(reading::review))
        .route("/shots/{id}/redact", post(reading::redact))
        .route("/shots/{id}/ask", post(reading::ask))
        .route("/shots/{id}/export", get(saving::export))
        .route("/shots/{id}/exported", post(saving::exported))
        .route("/shots/{id}/copy", post(saving::copy))
        .route("/shots/{id}/save", post(saving::save))
        .route("/shots/{id}/pin", post(saving::pin))
        .route("/shots/{id}/lend", post(saving::lend))
        .route("/settings", get(setting::read).patch(setting::change))
        .route("/settings/reset", post(setting::reset))
        .route("/keys", get(setting::keys))
        .route("/keys/{provider}", put(setting::save_key).delete(setting::delete_key))
        .route("/keys/{provider}/test", post(setting::test_key));
    let router = Router::new()
        .route(PATH, get(frame::editor))
        .route(&format!("{PATH}/overlay"), get(frame::overlay))
        .route(&format!("{PATH}/pin/{{id}}"), get(frame::pinned))
        .route(&format!("{PATH}/assets/{{version}}/{{name}}"), get(assets::serve))
        .nest(&format!("{PATH}/api"), api)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .with_state(site);
    (router, remote)
}
