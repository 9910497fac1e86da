//! `deskmate doctor`: everything that can be wrong, with one fix each.

use std::fmt::Write as _;

use cli::colour::{Colours, Tone};
use cli::terminal;

use crate::doctor::{self, Check, Options, Report, Status};
use crate::servers;

use super::error::Error;
use super::wrapping::{self, lines};

/// Check what works on this machine, and say how to fix what does not
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate doctor          a line for each thing that was looked at
  deskmate doctor --json   the same for programs

It looks and changes nothing. Agents get the same report from the tool `deskmate_info`.
Exit codes: 0 nothing is wrong, 1 something is. What was never set up is not wrong.")]
pub(super) struct Args {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// The port where `deskmate serve` listens
    #[arg(long, default_value_t = doctor::PORT)]
    port: u16,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let report = doctor::examine(Options { port: args.port }, servers::ALL);
    let text = if args.json {
        serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?
    } else {
        table(&report, Colours::of_stdout(), wrapping::columns())
    };
    terminal::say(&text)?;
    match report.with(Status::Problem).count() {
        0 => Ok(()),
        problems => Err(Error::Unwell { problems }),
    }
}

fn table(report: &Report, colours: Colours, columns: Option<usize>) -> String {
    let mut text = format!("Deskmate {} on {}\n\n", report.version, report.platform);
    let width = report.checks.iter().map(|check| check.check.chars().count()).max().unwrap_or_default();
    let room = wrapping::room(columns, width + 14);
    for Check { check, status, found, fix, .. } in &report.checks {
        let (mark, tone) = match status {
            Status::Ok => ("ok        ", Tone::Good),
            Status::NotSetUp => ("not set up", Tone::Hint),
            Status::Problem => ("problem   ", Tone::Bad),
        };
        let mut before = format!("{}  {check:width$}", colours.paint(tone, mark));
        for line in lines(found, room) {
            let _ = writeln!(text, "{before}  {line}");
            before = format!("{:10}  {:width$}", "", "");
        }
        let fix = fix.as_ref().map(|fix| format!("→ {fix}")).unwrap_or_default();
        for line in lines(&fix, room).iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "{before}  {}", colours.paint(Tone::Strong, line));
        }
    }
    text
}
