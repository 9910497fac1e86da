//! `deskmate bundle`: bundles that install with a double click (`.mcpb`), and what the MCP registry wants to know (`server.json`).

use std::path::{Path, PathBuf};

use cli::selection::Breadth;
use cli::terminal;

use crate::bundle::registry::{self, RegistryName};
use crate::bundle::{self, Bundle};
use crate::servers;

use super::error::Error;
use super::names::SERVERS;

/// Make bundles that apps install with a double click
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate bundle                      deskmate.mcpb, with every server
  deskmate bundle recipes screen       recipe-vault.mcpb and fotos.mcpb
  deskmate bundle --each --out dist    one for each server and one for all
  deskmate bundle --url https://example.com/v1 --name com.example/deskmate
                                       and a server.json for the MCP registry

A bundle is for this machine's platform. One for a single server holds the server's own program
where that lies beside deskmate, and deskmate otherwise. Claude Desktop opens a bundle with a
form.")]
pub(super) struct Args {
    /// Servers, by name; without any, one bundle with all of them
    #[arg(value_name = "SERVER", value_delimiter = ',', value_parser = SERVERS, hide_possible_values = true)]
    servers: Vec<String>,
    /// A bundle for each server, besides the one with all
    #[arg(long, conflicts_with = "servers")]
    each: bool,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Where the bundles will be downloaded from; also writes server.json, for the first of them
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The name in the registry
    #[arg(long, value_name = "NAME", default_value = "io.github.deskmate/deskmate")]
    name: String,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let registry = args.url.as_deref().map(|url| registry_of(url, &args.name)).transpose()?;
    // Each by itself shows all its tools.
    let selection =
        servers::Selection { names: args.servers.clone(), breadth: Breadth::All, ..Default::default() };
    let chosen = servers::choose(&selection)?;
    let deskmate = std::env::current_exe().map_err(Error::Program)?;
    let mut bundles = Vec::new();
    if args.servers.is_empty() {
        bundles.push(Bundle::of_all(&servers::compose(&servers::Selection::default())?.surface()));
    }
    if args.each || !args.servers.is_empty() {
        let own = chosen.iter().filter(|chosen| chosen.entry.name != "info" || !args.each);
        bundles.extend(own.map(|chosen| Bundle::of(chosen.entry.name, &chosen.service.surface())));
    }
    let saving = |path: &Path, source| Error::Save { path: path.to_owned(), source };
    std::fs::create_dir_all(&args.out).map_err(|source| saving(&args.out, source))?;
    let mut registered = None;
    for made in &bundles {
        let path = args.out.join(made.file_name());
        let program = made.program(&deskmate);
        let packed =
            made.pack(&program).map_err(|error| Error::Bundle { path: path.clone(), source: error })?;
        std::fs::write(&path, &packed).map_err(|source| saving(&path, source))?;
        let (program, size) = (program.name(), packed.len() >> 20);
        terminal::say(&format!("{}: {size} MiB, with `{program}` in it", path.display()))?;
        registered.get_or_insert((made, bundle::digest(&packed)));
    }
    if let (Some((folder, name)), Some((made, digest))) = (registry, registered) {
        let path = args.out.join("server.json");
        let refused = || Error::RegistryUrl { url: folder.to_owned() };
        let address = registry::address(folder, &made.file_name()).ok_or_else(refused)?;
        let entry = registry::entry(&name, made, &address, &digest);
        let text = serde_json::to_string_pretty(&entry).map_err(std::io::Error::from)? + "\n";
        std::fs::write(&path, text).map_err(|source| saving(&path, source))?;
        terminal::say(&path.display().to_string())?;
    }
    Ok(())
}

/// What the registry is told, checked before anything is written.
fn registry_of<'u>(url: &'u str, name: &str) -> Result<(&'u str, RegistryName), Error> {
    let name = RegistryName::new(name).ok_or_else(|| Error::RegistryName { name: name.to_owned() })?;
    match registry::address(url, "any.mcpb") {
        Some(_) => Ok((url, name)),
        None => Err(Error::RegistryUrl { url: url.to_owned() }),
    }
}
