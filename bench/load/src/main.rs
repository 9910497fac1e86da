//! Loads MCP servers in turn with the same bytes and compares what it cost them.
//!
//! `load stdio|http --ours "COMMAND" [--peer "COMMAND"]`; see the README beside this workspace.

mod affinity;
mod figures;
mod http;
mod options;
mod probe;
mod reply;
mod report;
mod request;
mod server;
mod stdio;

use std::{error::Error, process::ExitCode};

use figures::Samples;
use options::{Options, Transport};
use report::{Contender, Report};

pub(crate) type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("load: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut contenders: Vec<Contender> =
        options.servers.iter().map(|server| Contender::new(&server.name)).collect();
    // A, B, A, B, …: a slow minute of the machine falls on both.
    for round in 1..=options.rounds {
        for (server, contender) in options.servers.iter().zip(&mut contenders) {
            eprintln!("round {round} of {}: {}", options.rounds, server.name);
            let mut samples = Samples::default();
            match options.transport {
                Transport::Stdio => stdio::measure(&options, server, &mut samples),
                Transport::Http => http::measure(&options, server, &mut samples),
            }
            .map_err(|error| format!("{}, round {round}: {error}", server.name))?;
            contender.add(samples);
        }
    }
    let report = Report::new(&options, contenders);
    print!("{}", report.markdown());
    if let Some(path) = &options.json {
        std::fs::write(path, report.json())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}
