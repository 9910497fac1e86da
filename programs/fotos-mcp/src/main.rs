//! The `fotos-mcp` command: the server `fotos` on stdin and stdout, its own or that of the Fotos application.

use std::alloc::System;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cli::selection::{Access, Breadth, reduce};
use cli::stdio::Program;
use fotos::Config;
use fotos::bridge::{Mode, Place, Relaying, UnknownMode, service};
use mcp::Service;
use zeroizing_alloc::ZeroAlloc;

/// Wipes memory when it is given back: what was seen on the screen stays nowhere, neither after a call that was relayed nor after
/// screenshots were handed over.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

const PROGRAM: Program = Program {
    name: "fotos-mcp",
    version: env!("CARGO_PKG_VERSION"),
    server: fotos::NAME,
    about: fotos::ABOUT,
};

fn main() -> ExitCode {
    PROGRAM.run_with(std::env::args_os(), options, make)
}

fn options(cli: Command) -> Command {
    let mode = Arg::new("mode")
        .long("mode")
        .value_name("MODE")
        .value_parser(Mode::NAMES)
        .hide_possible_values(true)
        .help("auto (the app while it runs), bridge (only the app) or standalone; or FOTOS_MODE");
    let read_only = Arg::new("read-only")
        .long("read-only")
        .action(ArgAction::SetTrue)
        .help("Leave out every tool that changes something");
    cli.arg(mode).arg(read_only)
}

fn make(given: &ArgMatches) -> Result<Arc<dyn Service>, UnknownMode> {
    let variable = |name: &str| std::env::var_os(name);
    let mode = match given.get_one::<String>("mode") {
        Some(name) => name.parse()?,
        None => Mode::from_environment(variable)?,
    };
    let config = Config { keys: keys::all(), ..Config::from_environment(variable) };
    let read_only = given.get_flag("read-only");
    let relaying = Relaying { mode, place: Place::from_environment(variable), read_only };
    let access = if read_only { Access::ReadOnly } else { Access::Full };
    Ok(reduce(service(config, relaying), access, Breadth::All))
}
