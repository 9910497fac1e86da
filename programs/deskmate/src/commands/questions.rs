//! What a person is asked at the terminal, and what stands for the answers where there is nobody to ask.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use cli::colour::{Colours, Tone};
use cli::terminal;
use connect::Client;

use crate::asking::ABILITIES;
use crate::servers;

use super::error::Error;

/// Whether there is a person to ask.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    Terminal,
    Never,
}

impl Asking {
    pub(super) fn of(agreed: bool, json: bool) -> Result<Asking, Error> {
        match (agreed, json || !io::stdin().is_terminal()) {
            (true, _) => Ok(Asking::Never),
            (false, false) => Ok(Asking::Terminal),
            (false, true) => Err(Error::NobodyToAsk),
        }
    }

    /// Whether a change may be made.
    pub(super) fn agrees(self, diff: &str, question: &str) -> bool {
        if self == Asking::Never {
            return true;
        }
        let colours = Colours::of_stderr();
        let question = format!("{question} [y/N]");
        let question = colours.paint(Tone::Strong, &question);
        terminal::complain(&format!("\n{}{question}", painted(diff, colours)));
        matches!(answer().to_ascii_lowercase().as_str(), "y" | "yes")
    }

    /// Says which apps were found, before anything is asked about them.
    pub(super) fn found(self, apps: &[&Client]) {
        if self == Asking::Terminal {
            let names: Vec<&str> = apps.iter().map(|app| app.name).collect();
            terminal::complain(&format!("Found on this machine: {}\n", names.join(", ")));
        }
    }

    /// The servers to offer; none means all.
    pub(super) fn servers(self) -> Vec<String> {
        if self == Asking::Never {
            return Vec::new();
        }
        let mut question = "What should agents be able to use?\n".to_owned();
        for ability in ABILITIES {
            let _ = writeln!(question, "  {:<9} {}", servers::spoken(ability.server), ability.title);
        }
        question += "Type the names you want, separated by commas, or press Enter for all of them.";
        terminal::complain(&question);
        list(&answer())
    }

    /// Folders to add to those that agents may use already, which `now` names.
    pub(super) fn folders(self, home: &Path, now: &str) -> Vec<PathBuf> {
        if self == Asking::Never {
            return Vec::new();
        }
        terminal::complain(&format!(
            "\nWhich folders may agents open files in?\nNow: {now}\n\
             Type paths separated by commas, such as ~/Pictures, or press Enter to keep that."
        ));
        let path = |text: String| match text.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) if rest.starts_with(std::path::is_separator) => {
                home.join(rest.trim_start_matches(std::path::is_separator))
            }
            _ => text.into(),
        };
        list(&answer()).into_iter().map(path).collect()
    }
}

/// A diff with its lines in colour.
pub(super) fn painted(diff: &str, colours: Colours) -> String {
    let line = |line: &str| {
        let tone = match line.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Faint,
            _ => return format!("{line}\n"),
        };
        format!("{}\n", colours.paint(tone, line))
    };
    diff.lines().map(line).collect()
}

/// Items with commas between them.
fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn answer() -> String {
    let mut line = String::new();
    // The end of input is no answer.
    let _ = io::stdin().lock().read_line(&mut line);
    line.trim().to_owned()
}
