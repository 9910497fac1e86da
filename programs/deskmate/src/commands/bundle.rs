//! `deskmate bundle`: bundles that install with a double click (`.mcpb`), and what the MCP registry wants to know (`server.json`).

use std::path::{Path, PathBuf};

use cli::selection::Breadth;
use cli::terminal;
use serde_json::Value;

use crate::bundle::{self, Bundle, Programs};
use crate::servers;

use super::error::Error;

/// Make bundles that apps install with a double click
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate bundle                      deskmate.mcpb, with every server
  deskmate bundle recipes screen       recipe-vault.mcpb and fotos.mcpb
  deskmate bundle --each --out dist    one for each server and one for all
  deskmate bundle --url https://example.com/v1 --name com.example/deskmate
                                       and a server.json for the MCP registry

A bundle holds the program of this machine's platform. Claude Desktop opens it with a form.")]
pub(super) struct Args {
    /// Servers, by name; without any, one bundle with all of them
    #[arg(value_name = "SERVER", value_delimiter = ',')]
    servers: Vec<String>,
    /// A bundle for each server, besides the one with all
    #[arg(long, conflicts_with = "servers")]
    each: bool,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Where the bundles will be downloaded from; writes server.json
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A folder with all programs: a bundle of one server then holds that server's own, smaller program
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// The name in the registry
    #[arg(long, value_name = "NAME", default_value = "io.github.deskmate/deskmate")]
    name: String,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    // Each by itself shows all its tools.
    let selection =
        servers::Selection { names: args.servers.clone(), breadth: Breadth::All, ..Default::default() };
    let chosen = servers::choose(&selection)?;
    let program = std::env::current_exe().map_err(Error::Program)?;
    let programs = args.programs.as_deref().map_or(Programs::This(&program), Programs::Folder);
    let mut bundles = Vec::new();
    if args.servers.is_empty() {
        let all = servers::compose(&servers::Selection::default())?;
        bundles.push(Bundle::of_all(programs, &all.surface()));
    }
    if args.each || !args.servers.is_empty() {
        let own = chosen.iter().filter(|chosen| chosen.entry.name != "info" || !args.each);
        bundles.extend(own.map(|chosen| Bundle::of(chosen.entry.name, programs, &chosen.service.surface())));
    }
    let saving = |path: &Path, source| Error::Save { path: path.to_owned(), source };
    std::fs::create_dir_all(&args.out).map_err(|source| saving(&args.out, source))?;
    let mut packages = Vec::new();
    for made in &bundles {
        let path = args.out.join(made.file_name());
        let packed =
            made.pack().map_err(|source| Error::Bundle { path: made.program().to_owned(), source })?;
        std::fs::write(&path, &packed).map_err(|source| saving(&path, source))?;
        terminal::say(&format!("{}: {} MiB", path.display(), packed.len() >> 20))?;
        packages.push((made.file_name(), bundle::digest(&packed)));
    }
    if let (Some(url), Some((file, digest))) = (&args.url, packages.first()) {
        let path = args.out.join("server.json");
        let entry: Value =
            bundle::registry_entry(&args.name, &format!("{}/{file}", url.trim_end_matches('/')), digest);
        let text = serde_json::to_string_pretty(&entry).map_err(std::io::Error::from)? + "\n";
        std::fs::write(&path, text).map_err(|source| saving(&path, source))?;
        terminal::say(&path.display().to_string())?;
    }
    Ok(())
}
