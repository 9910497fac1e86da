//! The `fotos-mcp` command: the server `fotos` on stdin and stdout.

use std::process::ExitCode;

use cli::stdio::Program;
use fotos::Config;

const PROGRAM: Program = Program {
    name: "fotos-mcp",
    version: env!("CARGO_PKG_VERSION"),
    server: fotos::NAME,
    about: fotos::ABOUT,
};

fn main() -> ExitCode {
    PROGRAM.run(std::env::args_os(), || {
        let config = Config::from_environment(|name| std::env::var_os(name));
        fotos::server(Config { keys: keys::all(), ..config })
    })
}
