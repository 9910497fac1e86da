//! `deskmate serve`: MCP over Streamable HTTP, and a page that says how to reach it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use mcp::Service;
use mcp::http::Policy;
use tokio::runtime::Runtime;
use web::{Gate, Listener, Page, Site, Stop};

use crate::first_page;
use crate::servers::{self, Access, Breadth, Chosen, Selection};

use super::error::Error;
use super::{cookbook, terminal};

/// Serve MCP over HTTP, with a page that says how to connect
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate serve               every server; http://127.0.0.1:8642/ says how to connect
  deskmate serve --only info   one server; several have commas between them
  deskmate serve --read-only   nothing that changes anything
  DESKMATE_TOKEN=… deskmate serve --host 0.0.0.0   for other machines, which need the token")]
pub(super) struct Args {
    /// Serve only these servers: names with commas between them
    #[arg(long, value_name = "SERVERS", value_delimiter = ',')]
    only: Vec<String>,

    /// Leave out every tool that changes something
    #[arg(long)]
    read_only: bool,

    /// Offer all tools at /mcp, not only the core ones of each server
    #[arg(long)]
    all: bool,

    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,

    /// The port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = 8642)]
    port: u16,

    /// Let in only who sends this token; `DESKMATE_TOKEN` can hold it, too
    #[arg(long)]
    token: Option<String>,

    /// A further name this server may be called by, such as `desk.home`
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
}

/// Where the pages and the API of the cookbook are.
const COOKBOOK: &str = "/cookbook";

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let selection = Selection {
        names: args.only.clone(),
        access: if args.read_only { Access::ReadOnly } else { Access::Full },
        breadth: if args.all { Breadth::All } else { Breadth::Core },
    };
    // Each by itself has all its tools; only the combination is kept short.
    let each = Selection { breadth: Breadth::All, ..selection.clone() };
    let (combined, chosen) = (servers::compose(&selection)?, servers::choose(&each)?);
    let token =
        args.token.clone().or_else(|| std::env::var("DESKMATE_TOKEN").ok()).filter(|token| !token.is_empty());
    Runtime::new().map_err(Error::Runtime)?.block_on(async {
        let listener = Listener::bind(SocketAddr::new(args.host, args.port)).await?;
        let address = listener.address();
        let mut gate = Gate::new(address, token.as_deref())?.hand_through(authy::TOKEN_HEADER);
        for name in &args.allow_host {
            gate = gate.host(name);
        }
        let stop = Stop::new();
        stop_on_signal(&stop).map_err(Error::Runtime)?;
        let is_served = chosen.iter().any(|chosen| chosen.entry.name == "recipe-vault") && !args.read_only;
        let book = if is_served { cookbook::mounted(COOKBOOK, address) } else { None };
        let mut said = announcement(address, token.is_some());
        let path = book.as_ref().map(|_| COOKBOOK);
        let page = first_page::html(address, token.is_some(), &combined.surface(), &chosen, path);
        let mut site = site(Page::new(page), combined, chosen);
        if let Some(book) = book {
            said = format!("The cookbook is at http://{address}{COOKBOOK}.\n{said}");
            site = site.router(COOKBOOK, book);
        }
        terminal::say(&said)?;
        listener.serve(site, gate, stop).await;
        Ok(())
    })
}

fn site(page: Page, combined: Arc<dyn Service>, chosen: Vec<Chosen>) -> Site {
    let mut site =
        Site::default().page("/", page).endpoint("/mcp", mcp::http::endpoint(combined, Policy::default()));
    for Chosen { entry, service } in chosen {
        let endpoint = mcp::http::endpoint(service, Policy::default());
        site = site.endpoint(first_page::path(entry.name), endpoint);
    }
    site
}

fn announcement(address: SocketAddr, token: bool) -> String {
    let token = if token { ", for whoever has the token" } else { "" };
    format!(
        "Deskmate serves MCP at http://{address}/mcp{token}.\nOpen http://{address}/ to see how to connect a client. Ctrl-C ends it."
    )
}

#[cfg(unix)]
pub(super) fn stop_on_signal(stop: &Stop) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut told = signal(kind)?;
        let stop = stop.clone();
        tokio::spawn(async move {
            told.recv().await;
            stop.now();
        });
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn stop_on_signal(stop: &Stop) -> std::io::Result<()> {
    let stop = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.now();
        }
    });
    Ok(())
}
