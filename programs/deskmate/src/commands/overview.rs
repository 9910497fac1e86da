//! `deskmate` alone, on a terminal: what is connected, what is missing, and the next step.

use std::fmt::Write as _;

use cli::colour::{Colours, Tone, Toned};
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
    let plain = |label| (label, Colours::Off.paint(Tone::Faint, label));
    let toned = |tone, label| (label, colours.paint(tone, label));
    text.push('\n');
    if connected.is_empty() {
        labelled(&mut text, plain("Connected:"), "none yet", columns);
    } else {
        labelled(&mut text, toned(Tone::Good, "Connected:"), &names(&connected), columns);
    }
    if !waiting.is_empty() {
        labelled(&mut text, plain("Not connected:"), &names(&waiting), columns);
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
        text.push('\n');
        let problem = format!("{}: {}", check.check, check.found);
        labelled(&mut text, toned(Tone::Bad, "Problem:"), &problem, columns);
    }
    text.push('\n');
    let next = next(&problems, &connected, &waiting);
    labelled(&mut text, toned(Tone::Strong, "Next:"), &next, columns);
    indented(
        &mut text,
        "",
        "`deskmate doctor` has all the details, `deskmate --help` all the commands.",
        columns,
    );
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

/// A label, and the text behind it.
fn labelled(text: &mut String, (label, painted): (&str, Toned<'_>), rest: &str, columns: Option<usize>) {
    let mut line = String::new();
    indented(&mut line, "", &format!("{label} {rest}"), columns);
    text.push_str(&line.replacen(label, &painted.to_string(), 1));
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
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }

    #[test]
    fn no_line_is_too_long_for_a_narrow_terminal() {
        let mut checks: Vec<Check> =
            connect::ALL.iter().map(|app| Check::not_set_up(app.name, "installed", "connect it")).collect();
        checks.push(Check::ok("Zed", "connected"));
        checks.push(Check::problem(
            "disk",
            "there is nearly nothing left of the room on it",
            "make some room",
        ));
        for columns in [40, 80] {
            let text = super::text(&Report::new(servers::ALL, checks.clone()), Colours::Off, Some(columns));
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            assert!(
                text.contains("\nProblem: disk: ") && text.contains("\nNext: make some room\n"),
                "{text}"
            );
        }
    }
}
