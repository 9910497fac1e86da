//! Which servers and tools a command is about: the same words for every command.

use cli::selection::{Access, Breadth};

use crate::servers::Selection;

use super::names::SERVERS;

#[derive(clap::Args)]
pub(super) struct Select {
    /// Servers, by name; all of them when none is named
    #[arg(value_name = "SERVER", value_delimiter = ',', value_parser = SERVERS, hide_possible_values = true)]
    servers: Vec<String>,
    /// Only tools that change nothing
    #[arg(long)]
    read_only: bool,
    /// All tools; several servers together otherwise show only the core tools of each
    #[arg(long)]
    all: bool,
}

impl From<Select> for Selection {
    fn from(args: Select) -> Selection {
        Selection {
            names: args.servers,
            access: if args.read_only { Access::ReadOnly } else { Access::Full },
            breadth: if args.all { Breadth::All } else { Breadth::Core },
        }
    }
}
