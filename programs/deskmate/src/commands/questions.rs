//! What a person is asked at the terminal, and what stands for the answers where there is nobody to ask.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;

use cli::terminal;

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
        terminal::complain(&format!("{diff}{question} [y/N]"));
        matches!(answer().to_ascii_lowercase().as_str(), "y" | "yes")
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

    /// Folders to add to those that agents may use already.
    pub(super) fn folders(self) -> Result<Vec<PathBuf>, Error> {
        if self == Asking::Never {
            return Ok(Vec::new());
        }
        terminal::complain(
            "Which folders may agents open files in?\n\
             Type paths separated by commas, such as ~/Pictures, or press Enter to leave this as it is.",
        );
        let home = std::env::var_os("HOME").map(PathBuf::from).ok_or(Error::NoHome)?;
        let path = |text: String| match text.strip_prefix('~') {
            Some("") => home.clone(),
            Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => text.into(),
        };
        Ok(list(&answer()).into_iter().map(path).collect())
    }
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
