//! `deskmate serve`: MCP over Streamable HTTP, and a page that says how to reach it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cli::selection::{Access, Breadth};
use cli::terminal;
use mcp::Service;
use mcp::http::Policy;
use recipes::site;
use tokio::runtime::Runtime;
use web::axum::Router;
use web::{Browsers, Gate, Listener, Shutdown, Site};

use crate::dashboard::{self, CallLog, Setting};
use crate::servers::{Callers, Chosen, Instances, Making, Selection, choose, screen};
use crate::sys;

use super::connect::add_folders;
use super::error::Error;
use super::names::SERVERS;
use super::service::{self, Wanted};

/// Serve MCP over HTTP, with a page that says how to connect
#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
#[command(after_help = "Examples:
  deskmate serve               every server, and a dashboard for you
  deskmate serve --only info   one server; several have commas between them
  deskmate serve --read-only   nothing that changes anything
  deskmate serve --install     now and after every login; --uninstall ends that
  deskmate serve --folder ~/Pictures
      let clients open the files there, now and later
  DESKMATE_TOKEN=… deskmate serve --host 0.0.0.0
      for other machines, which need the token")]
pub(super) struct Args {
    /// Serve only these servers: names with commas between them
    #[arg(long, value_name = "SERVERS", value_delimiter = ',', value_parser = SERVERS, hide_possible_values = true)]
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

    /// A folder whose files clients may open, now and later; may be repeated
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,

    /// A further name this server may be called by, such as `desk.home`
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// Run as a service with these options, now and after every login
    #[arg(long)]
    install: bool,

    /// Stop the service and remove it
    #[arg(long, conflicts_with = "install")]
    uninstall: bool,
}

impl Args {
    /// The options of a service, without what was done already.
    fn for_service(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if !self.only.is_empty() {
            option("--only", self.only.join(","));
        }
        option("--host", self.host.to_string());
        option("--port", self.port.to_string());
        for name in &self.allow_host {
            option("--allow-host", name.clone());
        }
        words.extend(self.read_only.then(|| "--read-only".to_owned()));
        words.extend(self.all.then(|| "--all".to_owned()));
        words
    }
}

/// How long the link for a browser works if nobody uses it.
const LINK_LIFETIME: Duration = Duration::from_secs(3_600);

/// Where the pages and the API of the cookbook are.
const COOKBOOK: &str = "/cookbook";

pub(super) fn run(args: &Args) -> Result<(), Error> {
    if args.uninstall {
        return service::uninstall();
    }
    let access = if args.read_only { Access::ReadOnly } else { Access::Full };
    let breadth = if args.all { Breadth::All } else { Breadth::Core };
    let token =
        args.token.clone().or_else(|| std::env::var("DESKMATE_TOKEN").ok()).filter(|token| !token.is_empty());
    if args.install {
        // What `serve` would refuse is refused here, where the person reads it: a service fails unseen.
        choose(&Selection { names: args.only.clone(), ..Selection::default() })?;
        Gate::new(SocketAddr::new(args.host, args.port), token.as_deref())?;
    }
    if !args.folder.is_empty() {
        add_folders(&args.folder)?;
    }
    if args.install {
        let address = SocketAddr::new(args.host, args.port);
        let arguments = args.for_service();
        return service::install(&Wanted { arguments: &arguments, token: token.as_deref(), address });
    }
    let is_own = args.host.is_loopback() && token.is_none();
    let callers = if is_own { Callers::OwnUser } else { Callers::Others };
    let screen = screen();
    let making = Making { access, callers, screen: Some(Arc::clone(&screen)) };
    let instances = Instances::make(&args.only, &making)?;
    // Each by itself has all its tools; only the combination is kept short.
    let (combined, chosen) = (instances.together(access, breadth)?, instances.each(access, Breadth::All));
    Runtime::new().map_err(Error::Runtime)?.block_on(async {
        let listener = Listener::bind(SocketAddr::new(args.host, args.port)).await?;
        let address = listener.address();
        let browsers = Arc::new(Browsers::new(format!("deskmate-{}", address.port())));
        let mut gate = Gate::new(address, token.as_deref())?
            .browsers(Arc::clone(&browsers))
            .hand_through(authy::TOKEN_HEADER);
        for name in &args.allow_host {
            gate = gate.host(name);
        }
        let stop = Shutdown::on_signal().map_err(Error::Runtime)?;
        let is_served = chosen.iter().any(|chosen| chosen.entry.name == "recipe-vault") && !args.read_only;
        let book = if is_served { cookbook(address) } else { None };
        let has_screen = chosen.iter().any(|chosen| chosen.entry.name == fotos::NAME) && !args.read_only;
        let reachable = listener.reachable();
        // From another machine, if there is a way: what the page says is typed in there.
        let outward = reachable.last().copied().unwrap_or(address);
        let link = if token.is_some() { browsers.link("/", LINK_LIFETIME)? } else { "/".to_owned() };
        let mut said = announcement(&reachable, token.is_some(), &link);
        let calls = Arc::new(CallLog::default());
        let home = book.as_ref().and_then(|(_, home)| home.clone());
        let pages = dashboard::router(Setting {
            address: outward,
            token: token.is_some(),
            cookbook: book.as_ref().map(|_| (COOKBOOK, home.clone())),
            servers: chosen.clone(),
            calls: Arc::clone(&calls),
        });
        let mut site = endpoints(combined, chosen, &calls);
        if let Some((book, _)) = book {
            let at_home = home.map_or_else(String::new, |home| {
                let here = urls(reachable.get(..1).unwrap_or_default(), &home);
                format!(" At this machine, open {here} to go in without a password.")
            });
            said = format!("The cookbook is at {}.{at_home}\n{said}", urls(&reachable, COOKBOOK));
            site = site.router(COOKBOOK, book);
        }
        if has_screen {
            // A program of the same user must not act as the person: without a link, nobody gets in.
            let link = browsers.link(fotos::pages::PATH, LINK_LIFETIME)?;
            let here = urls(reachable.get(..1).unwrap_or_default(), &link);
            said = format!("Screenshots are at {here} (the link works once).\n{said}");
            let editor = fotos::pages::router(screen, Arc::new(fotos::pages::Browser));
            site = site.private_router(fotos::pages::PATH, editor);
        }
        // After the others, since it has every path that is left.
        site = site.guarded_router("/", pages);
        terminal::say(&said)?;
        // Served all the same, whether or not anybody waits for it.
        let _ = sys::tell_manager(std::env::var_os("NOTIFY_SOCKET").as_deref());
        listener.serve(site, gate, stop).await;
        Ok(())
    })
}

fn endpoints(combined: Arc<dyn Service>, chosen: Vec<Chosen>, calls: &Arc<CallLog>) -> Site {
    let endpoint = |service| mcp::http::endpoint(calls.watch(service), Policy::default());
    let mut site = Site::default().endpoint("/mcp", endpoint(combined));
    for Chosen { entry, service } in chosen {
        site = site.endpoint(dashboard::endpoint(entry.name), endpoint(service));
    }
    site
}

/// The pages and the API of the cookbook, unless it is behind an API elsewhere, and the path for the person at this machine.
fn cookbook(address: SocketAddr) -> Option<(Router, Option<String>)> {
    let variable = |name: &str| std::env::var_os(name);
    let settings = site::Settings::from_environment(variable, COOKBOOK, address);
    let home = settings.home_path();
    Some((site::mounted(&recipes::Config::from_environment(variable), settings)?, home))
}

fn announcement(reachable: &[SocketAddr], token: bool, link: &str) -> String {
    let mcp = urls(reachable, "/mcp");
    let whom = if token { ", for whoever has the token" } else { "" };
    let once = if token { " (the link works once)" } else { "" };
    let first = urls(reachable.get(..1).unwrap_or_default(), link);
    format!(
        "Deskmate serves MCP at {mcp}{whom}.\nOpen {first} to see how to connect a client{once}. Ctrl-C ends it."
    )
}

/// A path at every address.
fn urls(addresses: &[SocketAddr], path: &str) -> String {
    let urls: Vec<String> = addresses.iter().map(|address| format!("http://{address}{path}")).collect();
    urls.join(" and ")
}
