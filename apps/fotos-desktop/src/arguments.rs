//! What is wanted at the start, or of the Fotos that runs.

use std::path::PathBuf;

/// Screenshots, annotations and redaction, for people and for their agents
///
/// If Fotos runs already, it does what is wanted here, and comes up.
#[derive(Debug, clap::Parser)]
#[command(
    name = "fotos-desktop",
    version,
    after_help = "Bind `fotos-desktop --region` to a key where the desktop keeps its shortcuts to itself."
)]
pub(crate) struct Arguments {
    /// Freeze the screen and choose a region
    #[arg(long, conflicts_with = "full")]
    pub(crate) region: bool,
    /// Capture all screens
    #[arg(long)]
    pub(crate) full: bool,
    /// Start without showing the window: for the session's start
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Pictures to open
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::Arguments;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        Arguments::try_parse_from(["fotos-desktop", "--region", "--full"]).expect_err("one of them");
        let files = Arguments::try_parse_from(["fotos-desktop", "a.png", "b.png"]).expect("files").files;
        assert_eq!(files.len(), 2);
    }
}
