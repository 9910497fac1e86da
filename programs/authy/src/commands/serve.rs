//! `authy serve --mcp`: the MCP server on stdin and stdout.

use std::process::ExitCode;
use std::sync::Arc;

use authy::{AuthyClient, Config, Credential};

use super::desk::Desk;
use super::failure::Failure;

/// Serve MCP on stdin and stdout: what an MCP client starts
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy serve --mcp

An MCP client's entry, with the token of a grant and nothing that opens the whole vault:
  {\"command\": \"authy\", \"args\": [\"serve\", \"--mcp\"], \"env\": {\"AUTHY_TOKEN\": \"authy_v2.…\"}}")]
pub(super) struct Args {
    /// Speak the Model Context Protocol; there is nothing else yet
    #[arg(long)]
    mcp: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<ExitCode, Failure> {
    if !args.mcp {
        return Err(Failure::ServeWithoutMcp);
    }
    // A passphrase from a descriptor can be read only now; everything else waits for the first call that needs it.
    let config = match desk.given_passphrase()? {
        None => Config::from_environment(),
        Some(passphrase) => {
            let credential = Credential::Passphrase(passphrase);
            Config::Client(Some(AuthyClient::new(desk.vault.clone(), credential)))
        }
    };
    cli::stdio::serve(Arc::new(authy::server(config))).map_err(Failure::Stdio)?;
    Ok(ExitCode::SUCCESS)
}
