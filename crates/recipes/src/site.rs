//! The cookbook over HTTP: the REST API and the pages as one router, wherever it is mounted.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use tokio::sync::Semaphore;
use web::axum::Router;
use web::axum::http::HeaderMap;
use web::axum::http::header::HOST;

use crate::auth::attempts::Attempts;
use crate::config::{Config, Source};
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
    /// What the person at this machine shows to go in without a password. The kernel says that a connection is of our user,
    /// and a tunnel of theirs is that, too; whoever is at its other end does not know this.
    pub home: Option<Secret>,
    /// The port, if the listener is at every address of this machine: links that were made on it then lead to it from the
    /// home network.
    pub everywhere: Option<u16>,
}

impl Settings {
    /// The path that lets the person at this machine in; nothing if that is not possible.
    pub fn home_path(&self) -> Option<String> {
        let home = self.home.as_ref().filter(|_| self.peers == Peers::SameUser)?;
        Some(format!("{}/home/{}", self.base, home.reveal()))
    }

    /// For a listener at this address, with the key of the variable `API_KEY`.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<OsString>,
        base: &str,
        address: SocketAddr,
    ) -> Settings {
        let key = variable("API_KEY").and_then(|key| key.into_string().ok()).filter(|key| !key.is_empty());
        // On loopback the listener lets in nobody but our own user, where the system tells.
        let is_same_user = address.ip().is_loopback() && web::IS_TOLD;
        Settings {
            base: base.to_owned(),
            api_key: key.map(|key| Secret::given(&key)),
            peers: if is_same_user { Peers::SameUser } else { Peers::Anybody },
            transport: Transport::Http,
            home: if is_same_user { Secret::new().ok() } else { None },
            everywhere: address.ip().is_unspecified().then_some(address.port()),
        }
    }
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
    /// Who may have a photo in memory.
    pub(crate) photos: Arc<Semaphore>,
    /// What people look at before they keep it.
    pub(crate) previews: Arc<Previews>,
}

/// Where a browser finds the pages.
pub(crate) struct Address {
    /// The whole address of the first page, without a slash at its end.
    pub(crate) url: String,
    is_of_this_machine: bool,
}

/// What to do so that others can open an address of this machine.
pub(crate) const NOT_SHARED: &str = "nobody but this machine can open this address; for the home network, serve the pages with \
     `recipe-vault serve --host 0.0.0.0` and open them by this machine's address there";

impl Address {
    /// What to do so that others can open it; nothing if they can.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        self.is_of_this_machine.then_some(NOT_SHARED)
    }
}

impl Book {
    pub(crate) fn new(store: Arc<dyn Store>, settings: Settings) -> Book {
        Book {
            store,
            settings: Arc::new(settings),
            attempts: Arc::default(),
            web: Arc::default(),
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            photos: Arc::new(Semaphore::new(PHOTOS)),
            previews: Arc::default(),
        }
    }

    /// Where whoever sent a request finds the pages.
    pub(crate) fn address(&self, headers: &HeaderMap) -> Address {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let scheme = match self.settings.transport {
            Transport::Http => "http",
            Transport::Https => "https",
        };
        let base = &self.settings.base;
        if let (true, Some(port), Some(address)) =
            (is_loopback(host), self.settings.everywhere, home_network())
        {
            let host = SocketAddr::new(address, port);
            return Address { url: format!("{scheme}://{host}{base}"), is_of_this_machine: false };
        }
        Address { url: format!("{scheme}://{host}{base}"), is_of_this_machine: is_loopback(host) }
    }
}

/// The address of this machine in the home network. Nothing is sent: the system is asked which way a packet would take.
fn home_network() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// Whether a `Host` names this machine alone.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| !port.contains(']')).map_or(host, |(name, _)| name);
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// How many large files are in memory at once.
const UPLOADS: usize = 2;

/// How many photos are in memory at once.
const PHOTOS: usize = 4;

/// The router below a path of a listener that serves other things, too. None if the cookbook is behind an API elsewhere, or
/// nowhere.
pub fn mounted(config: &Config, settings: Settings) -> Option<Router> {
    let source = config.source.as_ref().ok().filter(|source| !matches!(source, Source::Api { .. }))?;
    Some(router(crate::store_of(source).ok()?, settings))
}

/// The API under `/api` and the pages beside it, all below [`Settings::base`].
pub fn router(store: Arc<dyn Store>, settings: Settings) -> Router {
    let base = settings.base.clone();
    let book = Book::new(store, settings);
    let routes = pages::routes(&book).nest("/api", api::routes()).with_state(book.clone());
    if base.is_empty() {
        return routes;
    }
    // Below a path the router knows the first page as `/cookbook`; our links, and people, write `/cookbook/` as well.
    pages::first(&book, &format!("{base}/")).with_state(book).nest(&base, routes)
}
