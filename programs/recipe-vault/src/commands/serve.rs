//! `recipe-vault serve`: the cookbook over HTTP.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use cli::terminal;
use recipes::site::{Settings, Transport, router};
use tokio::runtime::Runtime;
use web::{Gate, Listener, Shutdown, Site};

use super::error::Error;
use super::store;

/// Serve the cookbook: the REST API at /api, and its pages
#[derive(clap::Args)]
#[command(after_help = "Examples:
  recipe-vault serve                  open the link it prints, and say that it is your cookbook
  recipe-vault serve --host 0.0.0.0   for the family at home; everybody signs in
  API_KEY=… recipe-vault serve        with a key that opens every family, to make others with")]
pub(super) struct Args {
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

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let store = store(args.database.as_deref())?;
    Runtime::new().map_err(Error::Runtime)?.block_on(async {
        let listener = Listener::bind(SocketAddr::new(args.host, args.port)).await?;
        let address = listener.address();
        let mut gate = Gate::without_token(address);
        for name in &args.allow_host {
            gate = gate.host(name);
        }
        let transport = if args.behind_https { Transport::Https } else { Transport::Http };
        let settings = Settings::from_environment(|name| std::env::var_os(name), "", address);
        let settings = Settings { transport, ..settings };
        let stop = Shutdown::on_signal().map_err(Error::Runtime)?;
        let pages: Vec<String> =
            listener.reachable().iter().map(|address| format!("http://{address}/")).collect();
        let first = pages.first().map(String::as_str).unwrap_or_default();
        let mut said = format!(
            "The cookbook is at {}, its REST API at {first}api. Ctrl-C ends it.",
            pages.join(" and ")
        );
        if let Some(path) = settings.home_path() {
            let path = path.trim_start_matches('/');
            said = format!("{said}\nAt this machine, open {first}{path} to go in without a password.");
        } else if let Some(url) = pages.last() {
            // Other machines come in here, so nobody is at home.
            said = format!(
                "{said}\nFor a link that signs somebody in, run: recipe-vault invite ADDRESS --url {url}"
            );
        }
        terminal::say(&said)?;
        listener.serve(Site::default().router("/", router(store, settings)), gate, stop).await;
        Ok(())
    })
}
