//! The cookbook over HTTP: the REST API and the pages as one router, wherever it is mounted.

use std::sync::Arc;

use tokio::sync::Semaphore;
use web::axum::Router;

use crate::auth::attempts::Attempts;
use crate::import::Web;
use crate::pages::Previews;
use crate::secret::Secret;
use crate::store::Store;
use crate::{api, pages};

/// What a person can set.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The path the router is mounted at, without a slash at its end: empty, or e.g. `/cookbook`.
    pub base: String,
    /// A key that opens every family, to make the first real ones with.
    pub api_key: Option<Secret>,
    /// Who may be at the other end of a connection.
    pub peers: Peers,
    /// What is between the browser and us.
    pub transport: Transport,
}

/// What is between the browser and us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transport {
    /// HTTP, as on one's own machine.
    #[default]
    Http,
    /// HTTPS, by a proxy in front of us: cookies are then for HTTPS only.
    Https,
}

/// Who may be at the other end of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Peers {
    /// Only processes of the user who runs this one, who may open the database file just as well: the listener is on
    /// loopback and asks the kernel. A person at home needs no password then.
    SameUser,
    /// Anybody.
    #[default]
    Anybody,
}

/// What every request sees.
#[derive(Clone)]
pub(crate) struct Book {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) attempts: Arc<Attempts>,
    /// The way to pages that are imported.
    pub(crate) web: Arc<Web>,
    /// Who may have a large file in memory.
    pub(crate) uploads: Arc<Semaphore>,
    /// What people look at before they keep it.
    pub(crate) previews: Arc<Previews>,
}

/// How many large files are in memory at once.
const UPLOADS: usize = 2;

/// The API under `/api` and the pages beside it, all below [`Settings::base`].
pub fn router(store: Arc<dyn Store>, settings: Settings) -> Router {
    let base = settings.base.clone();
    let book = Book {
        store,
        settings: Arc::new(settings),
        attempts: Arc::default(),
        web: Arc::default(),
        uploads: Arc::new(Semaphore::new(UPLOADS)),
        previews: Arc::default(),
    };
    let routes = pages::routes(&book).nest("/api", api::routes()).with_state(book.clone());
    if base.is_empty() {
        return routes;
    }
    // Below a path the router knows the first page as `/cookbook`; our links, and people, write `/cookbook/` as well.
    pages::first(&book, &format!("{base}/")).with_state(book).nest(&base, routes)
}
