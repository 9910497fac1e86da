//! The host, the socket agents come through, and the loopback port the windows load.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use files::{Home, HomeError};
use fotos::bridge::{Claim, ClaimError, Place, PlaceError};
use fotos::events::{Event, Listening};
use fotos::host::OpenError;
use fotos::pages::{self, Remote};
use fotos::{Config, Host};
use tauri::{AppHandle, Url};
use tokio::runtime::{Handle, Runtime};
use web::{Browsers, Gate, Listener, Shutdown, Site};

use crate::desk::Desk;
use crate::{pins, tray, windows};

/// How long a window has to load.
const LINK_LIFETIME: Duration = Duration::from_secs(60);

/// How long work that is under way has, at the end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Everything that runs beside the windows.
pub(crate) struct Serving {
    runtime: Mutex<Option<Runtime>>,
    inside: Handle,
    host: Arc<Host>,
    address: SocketAddr,
    browsers: Arc<Browsers>,
    remote: Remote,
    web_folder: PathBuf,
    _listening: Listening,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServingError {
    #[error("the system gives no threads: {0}")]
    Runtime(#[from] std::io::Error),
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Claim(#[from] ClaimError),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Bind(#[from] web::BindError),
}

impl Serving {
    /// Claims the socket, opens the host and listens.
    pub(crate) fn start(app: &AppHandle, desk: &Arc<Desk>) -> Result<Serving, ServingError> {
        let variable = |name: &str| std::env::var_os(name);
        let runtime = Runtime::new()?;
        let place = Place::from_environment(variable)?;
        let claim = runtime.block_on(async { Claim::take(&place) })?;
        let config =
            Config { keys: keys::all(), safe: Some(keys::safe()), ..Config::from_environment(variable) };
        let folder = Home::from_environment(variable)?.path_of(fotos::NAME);
        let host = Arc::new(Host::open(config, &folder)?);
        let web_folder = folder.join("webview");
        // WebKit keeps things by port, and the port is another one each time. There may be none.
        let _ = std::fs::remove_dir_all(&web_folder);
        runtime.spawn(claim.serve(Arc::clone(&host)));
        let listener = runtime.block_on(Listener::bind(([127, 0, 0, 1], 0).into()))?;
        let address = listener.address();
        let browsers = Arc::new(Browsers::new(format!("fotos-{}", address.port())).in_memory());
        let (router, remote) = pages::open(Arc::clone(&host), Arc::clone(desk) as Arc<dyn pages::Desktop>);
        let site = Site::default().private_router(pages::PATH, router);
        let gate = Gate::only_browsers(address, Arc::clone(&browsers));
        runtime.spawn(listener.serve(site, gate, Shutdown::new()));
        let listening = listen(app.clone(), &host);
        let inside = runtime.handle().clone();
        Ok(Serving {
            runtime: Mutex::new(Some(runtime)),
            inside,
            host,
            address,
            browsers,
            remote,
            web_folder,
            _listening: listening,
        })
    }

    /// Where the pages are.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A page as a link that lets a window in, once.
    pub(crate) fn link(&self, page: &str) -> tauri::Result<Url> {
        let link =
            self.browsers.link(page, LINK_LIFETIME).map_err(|error| tauri::Error::Anyhow(error.into()))?;
        format!("http://{}{link}", self.address).parse().map_err(tauri::Error::InvalidUrl)
    }

    /// Where `WebKit` keeps what it wants to keep, until the next start.
    pub(crate) fn web_folder(&self) -> PathBuf {
        self.web_folder.clone()
    }

    pub(crate) fn remote(&self) -> Remote {
        self.remote.clone()
    }

    pub(crate) fn host(&self) -> Arc<Host> {
        Arc::clone(&self.host)
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.inside.spawn(work);
    }

    /// Ends everything: agents are hung up on, and the socket is free for the next start.
    pub(crate) fn stop(&self) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(PATIENCE);
        }
    }
}

fn listen(app: AppHandle, host: &Arc<Host>) -> Listening {
    let known = Arc::downgrade(host);
    host.events.listen(move |event| match event {
        Event::Opened(_) | Event::Taken(_) => windows::show(&app),
        Event::Changed(id) => pins::renew(&app, &id.to_string()),
        Event::Removed(id) => pins::close(&app, &id.to_string()),
        Event::Agents => {
            if let Some(host) = known.upgrade() {
                tray::show_paused(&app, host.activity.is_paused());
            }
        }
        Event::Added(_) | Event::Read(_) | Event::Settings | Event::History => {}
    })
}
