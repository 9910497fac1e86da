//! What a program tells a shell and `man` about itself. Packages are made with these commands.

use std::io;
use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use clap_complete::Shell;

use crate::terminal;

/// Print completions for a shell
#[derive(clap::Args, Debug, Clone, Copy)]
#[command(after_help = "Examples:
  … completions bash > ~/.local/share/bash-completion/completions/NAME
  … completions zsh > ~/.zfunc/_NAME
  … completions fish > ~/.config/fish/completions/NAME.fish")]
pub struct Completions {
    /// Which shell
    #[arg(value_enum)]
    shell: ForShell,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum ForShell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

/// Print the manual page
#[derive(clap::Args, Debug, Clone)]
#[command(after_help = "Examples:
  … man > NAME.1
  … man --out /usr/share/man/man1    the page, and one for each command")]
pub struct Man {
    /// Write the page and those of its commands into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Adds both commands to a program.
pub fn add_to(command: Command) -> Command {
    command
        .subcommand(Completions::augment_args(Command::new("completions")))
        .subcommand(Man::augment_args(Command::new("man")))
}

/// Does what one of both commands says; nothing if it was another.
pub fn answer(matches: &ArgMatches, command: Command) -> Option<io::Result<()>> {
    match matches.subcommand()? {
        ("completions", given) => Some(
            Completions::from_arg_matches(given)
                .map_err(io::Error::other)
                .and_then(|args| args.print(command)),
        ),
        ("man", given) => {
            Some(Man::from_arg_matches(given).map_err(io::Error::other).and_then(|args| args.print(command)))
        }
        _ => None,
    }
}

impl Completions {
    /// Prints the script for a program.
    pub fn print(self, mut command: Command) -> io::Result<()> {
        let shell = match self.shell {
            ForShell::Bash => Shell::Bash,
            ForShell::Zsh => Shell::Zsh,
            ForShell::Fish => Shell::Fish,
            ForShell::Powershell => Shell::PowerShell,
        };
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, name, &mut script);
        terminal::say(&String::from_utf8_lossy(&script))
    }
}

impl Man {
    /// Prints the page of a program, or writes it and those of its commands to a folder.
    pub fn print(self, command: Command) -> io::Result<()> {
        // `help` has no page: it would say what the others say.
        let command = command.disable_help_subcommand(true);
        if let Some(folder) = self.out {
            std::fs::create_dir_all(&folder)?;
            return clap_mangen::generate_to(command, folder);
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        terminal::say(&String::from_utf8_lossy(&page))
    }
}
