//! `authy completions`: what a shell needs to complete command lines.

use clap::CommandFactory;
use clap_complete::Shell;
use cli::terminal;

use super::Cli;
use super::failure::Failure;

/// Print completions for a shell
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy completions bash > ~/.local/share/bash-completion/completions/authy
  authy completions zsh > ~/.zfunc/_authy
  authy completions fish > ~/.config/fish/completions/authy.fish")]
pub(super) struct Args {
    /// Which shell
    #[arg(value_enum)]
    shell: ForShell,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ForShell {
    Bash,
    Zsh,
    Fish,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let shell = match args.shell {
        ForShell::Bash => Shell::Bash,
        ForShell::Zsh => Shell::Zsh,
        ForShell::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "authy", &mut script);
    Ok(terminal::say(&String::from_utf8_lossy(&script))?)
}
