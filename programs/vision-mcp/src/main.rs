//! The `vision-mcp` command: the server `zai-mcp-server` on stdin and stdout.

use std::process::ExitCode;

use cli::stdio::Program;
use vision::{Config, pdf};

const PROGRAM: Program = Program {
    name: "vision-mcp",
    version: env!("CARGO_PKG_VERSION"),
    server: vision::NAME,
    about: vision::ABOUT,
};

fn main() -> ExitCode {
    pdf::draw_if_asked(std::env::args_os()).unwrap_or_else(serve)
}

fn serve() -> ExitCode {
    PROGRAM.run(std::env::args_os(), || {
        let config = Config::from_environment(|name| std::env::var_os(name));
        vision::server(Config { keys: keys::all(), pages: pdf::this_program(), ..config })
    })
}
