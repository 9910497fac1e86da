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
    // Where the terminal is too narrow for that, what was found stands below.
    let below = columns.filter(|_| room.is_none()).map(|columns| wrapping::room(Some(columns), 4));
    for Check { check, status, found, fix, .. } in &report.checks {
        let (mark, tone) = match status {
            Status::Ok => ("ok        ", Tone::Good),
            Status::NotSetUp => ("not set up", Tone::Hint),
            Status::Problem => ("problem   ", Tone::Bad),
        };
        let fix = fix.as_ref().map(|fix| format!("→ {fix}")).unwrap_or_default();
        if let Some(room) = below {
            let _ = writeln!(text, "{}  {check}", colours.paint(tone, mark));
            for line in
                [lines(found, room), lines(&fix, room)].concat().iter().filter(|line| !line.is_empty())
            {
                let _ = writeln!(text, "    {line}");
            }
            continue;
        }
        let mut before = format!("{}  {check:width$}", colours.paint(tone, mark));
        for line in lines(found, room) {
            let _ = writeln!(text, "{before}  {line}");
            before = format!("{:10}  {:width$}", "", "");
        }
        for line in lines(&fix, room).iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "{before}  {}", colours.paint(Tone::Strong, line));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use cli::colour::Colours;

    use crate::doctor::{Check, Report};
    use crate::servers;

    #[test]
    fn what_was_found_stands_below_where_the_terminal_is_narrow() {
        let found = "there is nearly nothing left of the room on it";
        let report = Report::new(servers::ALL, vec![Check::problem("disk", found, "make room on the disk")]);
        let table = |columns| super::table(&report, Colours::Off, columns);
        assert!(table(Some(80)).contains("problem     disk  there is nearly"), "{}", table(Some(80)));
        let narrow = "problem     disk\n    there is nearly nothing left of the\n    room on it\n    → make room on the disk\n";
        assert!(table(Some(40)).ends_with(narrow), "{}", table(Some(40)));
        assert!(table(None).contains(found), "{}", table(None));
    }
}
