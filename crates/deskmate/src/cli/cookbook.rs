//! The cookbook over HTTP: `recipe-vault serve`, `recipe-vault invite`, and `/cookbook` of `deskmate serve`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use recipes::config::{Source, database};
use recipes::email::Email;
use recipes::secret::Secret;
use recipes::site::{Peers, Settings, Transport, router};
use recipes::{Config, Store};
use tokio::runtime::Runtime;
use web::axum::Router;
use web::{Gate, Listener, Site, Stop};

use super::error::Error;
use super::serve::stop_on_signal;
use super::terminal;

/// Serve the cookbook: the REST API at /api, and its pages
#[derive(clap::Args)]
#[command(after_help = "Examples:
  recipe-vault serve                  open http://127.0.0.1:8643/ and say that it is your cookbook
  recipe-vault serve --host 0.0.0.0   for the family at home; everybody signs in
  API_KEY=… recipe-vault serve        with a key that opens every family, to make others with")]
pub(crate) struct ServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,

    /// The port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = 8643)]
    port: u16,

    /// The database, `sqlite:///path` or `postgres://…`; `DATABASE_URL` can hold it, too
    #[arg(long, value_name = "URL")]
    database: Option<String>,

    /// A further name this server may be called by, such as `book.home`
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// A proxy in front of us speaks HTTPS: cookies are for HTTPS only
    #[arg(long)]
    behind_https: bool,
}

/// Print a link that signs a member in once, within seven days
#[derive(clap::Args)]
#[command(after_help = "Examples:
  recipe-vault invite ada@example.org                             the path of a link
  recipe-vault invite ada@example.org --url http://book.home:8643   the whole link

Somebody who is in no family becomes the owner of the cookbook as long as nobody else is in it.")]
pub(crate) struct InviteArgs {
    /// Who
    email: Email,

    /// Where the cookbook is served
    #[arg(long, default_value = "")]
    url: String,

    /// The database, `sqlite:///path` or `postgres://…`; `DATABASE_URL` can hold it, too
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

pub(super) fn report(done: Result<(), Error>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

pub(super) fn config() -> Config {
    Config::from_environment(|name| std::env::var_os(name))
}

pub(super) fn store(given: Option<&str>) -> Result<Arc<dyn Store>, Error> {
    let source = match given {
        Some(url) => database(url, std::env::var("DATABASE_REPLICAS").ok().as_deref())?,
        None => config().source?,
    };
    Ok(recipes::store_of(&source)?)
}

/// The key that opens every family.
fn api_key() -> Option<Secret> {
    std::env::var("API_KEY").ok().filter(|key| !key.is_empty()).map(|key| Secret::given(&key))
}

/// On loopback the listener lets in nobody but our own user, where the system tells.
fn peers(address: SocketAddr) -> Peers {
    if address.ip().is_loopback() && cfg!(target_os = "linux") { Peers::SameUser } else { Peers::Anybody }
}

/// The pages and the API below a path of another listener. None if the cookbook is behind an API elsewhere.
pub(super) fn mounted(base: &str, address: SocketAddr) -> Option<Router> {
    let source = config().source.ok().filter(|source| !matches!(source, Source::Api { .. }))?;
    let store = recipes::store_of(&source).ok()?;
    let settings = Settings {
        base: base.to_owned(),
        api_key: api_key(),
        peers: peers(address),
        transport: Transport::Http,
    };
    Some(router(store, settings))
}

/// `recipe-vault serve`
pub(crate) fn serve_cookbook(args: &ServeArgs) -> ExitCode {
    report(serve(args))
}

fn serve(args: &ServeArgs) -> Result<(), Error> {
    let store = store(args.database.as_deref())?;
    Runtime::new().map_err(Error::Runtime)?.block_on(async {
        let listener = Listener::bind(SocketAddr::new(args.host, args.port)).await?;
        let address = listener.address();
        let mut gate = Gate::without_token(address);
        for name in &args.allow_host {
            gate = gate.host(name);
        }
        let settings = Settings {
            base: String::new(),
            api_key: api_key(),
            peers: peers(address),
            transport: if args.behind_https { Transport::Https } else { Transport::Http },
        };
        let stop = Stop::new();
        stop_on_signal(&stop).map_err(Error::Runtime)?;
        terminal::say(&format!(
            "The cookbook is at http://{address}/, its REST API at http://{address}/api. Ctrl-C ends it."
        ))?;
        listener.serve(Site::default().router("/", router(store, settings)), gate, stop).await;
        Ok(())
    })
}

/// `recipe-vault invite`
pub(crate) fn invite(args: &InviteArgs) -> ExitCode {
    report(make_link(args))
}

fn make_link(args: &InviteArgs) -> Result<(), Error> {
    let store = store(args.database.as_deref())?;
    let link = Runtime::new()
        .map_err(Error::Runtime)?
        .block_on(recipes::auth::sign_in_link(&*store, &args.email))?;
    terminal::say(&format!("{}/sign-in/{}", args.url.trim_end_matches('/'), link.reveal()))?;
    Ok(())
}

/// Says that the API will refuse us, while somebody is looking.
pub(crate) fn warn_of_missing_key(config: &Config) {
    if matches!(config.source, Ok(Source::Api { key: None, .. })) {
        terminal::complain(
            "warning: API_KEY is not set; the API at API_BASE_URL will refuse every request with 401",
        );
    }
}
