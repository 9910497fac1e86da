//! Colour, where it helps: on a terminal, unless `NO_COLOR` is set. Every message can be understood without it.

use std::fmt::{self, Display};
use std::io::{self, IsTerminal};

/// Whether a stream is shown in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// It is.
    On,
    /// It is not.
    Off,
}

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// All is well.
    Good,
    /// Something could be done.
    Hint,
    /// Something is wrong.
    Bad,
    /// A heading, or a name.
    Strong,
    /// Less important than the rest.
    Faint,
}

/// Text with a tone, to be written.
pub struct Toned<'t> {
    text: &'t str,
    tone: Option<Tone>,
}

impl Colours {
    /// For what goes to stdout.
    pub fn of_stdout() -> Colours {
        Colours::of(io::stdout().is_terminal())
    }

    /// For what goes to stderr.
    pub fn of_stderr() -> Colours {
        Colours::of(io::stderr().is_terminal())
    }

    fn of(terminal: bool) -> Colours {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|kind| kind == "dumb");
        if terminal && !dumb && !set("NO_COLOR") { Colours::On } else { Colours::Off }
    }

    /// The text in this tone.
    pub fn paint(self, tone: Tone, text: &str) -> Toned<'_> {
        Toned { text, tone: (self == Colours::On).then_some(tone) }
    }
}

impl Display for Toned<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match self.tone {
            None => return f.write_str(self.text),
            Some(Tone::Good) => "32",
            Some(Tone::Hint) => "33",
            Some(Tone::Bad) => "1;31",
            Some(Tone::Strong) => "1",
            Some(Tone::Faint) => "2",
        };
        write!(f, "\u{1b}[{code}m{}\u{1b}[0m", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Colours, Tone};

    #[test]
    fn colour_is_for_terminals_alone() {
        assert_eq!(Colours::Off.paint(Tone::Bad, "error:").to_string(), "error:");
        assert_eq!(Colours::On.paint(Tone::Good, "ok").to_string(), "\u{1b}[32mok\u{1b}[0m");
    }
}
