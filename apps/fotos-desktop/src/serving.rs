//! The host, the socket agents come through, and the loopback port the window loads.

use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use files::Home;
use fotos::bridge::{Claim, Place};
use fotos::events::{Event, Listening};
use fotos::pages::{self, Remote};
use fotos::{Config, Host};
use tauri::{AppHandle, Url};
use tokio::runtime::Runtime;
use web::{Browsers, Gate, Listener, Shutdown, Site};

use crate::desk::Desk;

/// How long the window has to load.
const LINK_LIFETIME: Duration = Duration::from_secs(60);

/// Everything that runs beside the window.
pub(crate) struct Serving {
    runtime: Runtime,
    address: SocketAddr,
    browsers: Arc<Browsers>,
    remote: Remote,
    _listening: Listening,
}

impl Serving {
    /// Claims the socket, opens the host and listens.
    pub(crate) fn start(app: &AppHandle, desk: &Arc<Desk>) -> Result<Serving, Box<dyn Error>> {
        let variable = |name: &str| std::env::var_os(name);
        let runtime = Runtime::new()?;
        let _inside = runtime.enter();
        let claim = Claim::take(&Place::from_environment(variable)?)?;
        let config =
            Config { keys: keys::all(), safe: Some(keys::safe()), ..Config::from_environment(variable) };
        let host = Arc::new(Host::open(config, &Home::from_environment(variable)?.path_of(fotos::NAME))?);
        runtime.spawn(claim.serve(Arc::clone(&host)));
        let listener = runtime.block_on(Listener::bind(([127, 0, 0, 1], 0).into()))?;
        let address = listener.address();
        let browsers = Arc::new(Browsers::new(format!("fotos-{}", address.port())));
        let (router, remote) = pages::open(Arc::clone(&host), Arc::clone(desk) as Arc<dyn pages::Desktop>);
        let site = Site::default().private_router(pages::PATH, router);
        let gate = Gate::only_browsers(address, Arc::clone(&browsers));
        runtime.spawn(listener.serve(site, gate, Shutdown::new()));
        desk.reach(address);
        let (app, desk) = (app.clone(), Arc::clone(desk));
        let listening = host.events.listen(move |event| match event {
            Event::Opened(_) => crate::show(&app),
            // What is pinned must not show what was redacted.
            Event::Changed(id) => desk.renew_pin(&id.to_string()),
            Event::Removed(id) => desk.close_pin(&id.to_string()),
            Event::Added(_) | Event::Read(_) | Event::Settings | Event::Agents => {}
        });
        Ok(Serving { runtime, address, browsers, remote, _listening: listening })
    }

    /// Whether a window may go there: only to our own pages.
    pub(crate) fn is_ours(address: SocketAddr) -> impl Fn(&Url) -> bool + Send + 'static {
        move |url| {
            let host = address.ip().to_string();
            url.scheme() == "http" && url.host_str() == Some(&host) && url.port() == Some(address.port())
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A link that lets the window in, once.
    pub(crate) fn link(&self) -> Result<String, web::LinkError> {
        Ok(format!("http://{}{}", self.address, self.browsers.link(pages::PATH, LINK_LIFETIME)?))
    }

    pub(crate) fn remote(&self) -> Remote {
        self.remote.clone()
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }
}
