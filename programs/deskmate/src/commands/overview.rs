//! `deskmate` alone, on a terminal: what is connected, what is missing, and the next step.

use std::fmt::Write as _;

use cli::colour::{Colours, Tone};
use cli::terminal;

use crate::doctor::{self, Check, Options, Report, ServerReport, Status};
use crate::servers;

use super::error::Error;
use super::wrapping;

pub(super) fn run() -> Result<(), Error> {
    let report = doctor::examine(Options::default(), servers::ALL);
    Ok(terminal::say(&text(&report, Colours::of_stdout(), wrapping::columns()))?)
}

fn text(report: &Report, colours: Colours, columns: Option<usize>) -> String {
    let apps = |status: Status| {
        let is_app = |check: &&Check| connect::ALL.iter().any(|client| client.name == check.check);
        report.with(status).filter(is_app).collect::<Vec<_>>()
    };
    let names =
        |checks: &[&Check]| checks.iter().map(|check| check.check.as_str()).collect::<Vec<_>>().join(", ");
    let (connected, waiting) = (apps(Status::Ok), apps(Status::NotSetUp));
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
        let servers = report.servers.iter().filter(|server| server.ready == wanted && server.name != "info");
        for (at, server) in servers.enumerate() {
            if at == 0 {
                let _ = writeln!(text, "\n{heading}:");
            }
            indented(&mut text, "  ", &format!("{}: {}", server.name, server.about), columns);
            if let Some(fix) = missing(report, server) {
                indented(&mut text, "    ", &format!("→ {fix}"), columns);
            }
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

/// The text below a heading; where it takes several lines, the others are further in.
fn indented(text: &mut String, indent: &str, line: &str, columns: Option<usize>) {
    let room = wrapping::room(columns, indent.len() + 2);
    for (at, line) in wrapping::lines(line, room).iter().enumerate() {
        let further = if at == 0 { "" } else { "  " };
        let _ = writeln!(text, "{indent}{further}{line}");
    }
}

/// What would make a server ready.
fn missing<'r>(report: &'r Report, server: &ServerReport) -> Option<&'r str> {
    let first = server.needs.first()?;
    report.checks.iter().find(|check| check.check == *first)?.fix.as_deref()
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
        let text = super::text(&Report::new(servers::ALL, checks), Colours::Off, None);
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

    #[test]
    fn a_server_that_is_not_ready_says_what_it_needs_and_no_line_is_too_long() {
        let vault =
            Check::not_set_up("vault", "there is none", "make a vault with `authy init`").stops(&["authy"]);
        let text = super::text(&Report::new(servers::ALL, vec![vault]), Colours::Off, Some(60));
        let at = text.find("Needs something first:\n  authy: ").expect("a server that needs something");
        assert!(text[at..].contains("\n    → make a vault with `authy init`\n"), "{text}");
        let (abilities, _) = text.split_once("\nNext:").expect("a next step");
        assert!(abilities.lines().all(|line| line.chars().count() <= 60), "{text}");
    }
}
