//! `deskmate` alone, on a terminal: what is connected, what is missing, and the next step.

use std::fmt::Write as _;

use cli::colour::{Colours, Tone};
use cli::terminal;

use crate::doctor::{self, Check, Options, Report, Status};
use crate::servers;

use super::error::Error;

pub(super) fn run() -> Result<(), Error> {
    let report = doctor::examine(Options::default(), servers::ALL);
    Ok(terminal::say(&text(&report, Colours::of_stdout()))?)
}

fn text(report: &Report, colours: Colours) -> String {
    let apps = |status: Status| {
        let is_app = |check: &&Check| connect::ALL.iter().any(|client| client.name == check.check);
        report.with(status).filter(is_app).collect::<Vec<_>>()
    };
    let names =
        |checks: &[&Check]| checks.iter().map(|check| check.check.as_str()).collect::<Vec<_>>().join(", ");
    let (connected, waiting) = (apps(Status::Ok), apps(Status::NotSetUp));
    let ready = |wanted: bool| {
        let servers = report.servers.iter().filter(|server| server.ready == wanted && server.name != "info");
        servers.map(|server| format!("  {}: {}", server.name, server.about)).collect::<Vec<_>>()
    };
    let mut text = format!("{}\n", colours.paint(Tone::Strong, &format!("Deskmate {}", report.version)));
    let connected_names = match connected.as_slice() {
        [] => "none yet".to_owned(),
        _ => colours.paint(Tone::Good, &names(&connected)).to_string(),
    };
    let _ = writeln!(text, "\nConnected: {connected_names}");
    if !waiting.is_empty() {
        let _ = writeln!(text, "Not connected: {}", names(&waiting));
    }
    for (heading, wanted) in [("Ready", true), ("Needs something first", false)] {
        let servers = ready(wanted);
        if !servers.is_empty() {
            let _ = writeln!(text, "\n{heading}:\n{}", servers.join("\n"));
        }
    }
    let problems: Vec<&Check> = report.with(Status::Problem).collect();
    for check in &problems {
        let problem = colours.paint(Tone::Bad, "Problem:");
        let _ = writeln!(text, "\n{problem} {}: {}", check.check, check.found);
    }
    let _ = writeln!(
        text,
        "\n{} {}",
        colours.paint(Tone::Strong, "Next:"),
        next(&problems, &connected, &waiting)
    );
    text.push_str("`deskmate doctor` has all the details, `deskmate --help` all the commands.");
    text
}

/// The one thing to do now.
fn next(problems: &[&Check], connected: &[&Check], waiting: &[&Check]) -> String {
    if let Some(fix) = problems.iter().find_map(|check| check.fix.as_deref()) {
        return fix.to_owned();
    }
    match (connected, waiting) {
        ([], []) => "install an AI app, such as Claude Code, then run `deskmate connect`".to_owned(),
        ([], _) => "run `deskmate connect`".to_owned(),
        _ => "ask your app: What can Deskmate do on this machine?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use cli::colour::Colours;

    use crate::doctor::{Check, Report};
    use crate::servers;

    fn next(checks: Vec<Check>) -> String {
        let text = super::text(&Report::new(servers::ALL, checks), Colours::Off);
        let line = text.lines().find_map(|line| line.strip_prefix("Next: ")).expect("a next step");
        line.to_owned()
    }

    #[test]
    fn there_is_one_next_step() {
        assert!(next(Vec::new()).starts_with("install an AI app"));
        let waiting =
            || Check::not_set_up("Cursor", "installed, not connected", "run `deskmate connect cursor`");
        assert_eq!(next(vec![waiting()]), "run `deskmate connect`");
        let connected = || Check::ok("Zed", "connected");
        assert!(next(vec![waiting(), connected()]).starts_with("ask your app"));
        let problem = Check::problem("disk", "full", "make room");
        assert_eq!(next(vec![waiting(), connected(), problem]), "make room");
    }
}
