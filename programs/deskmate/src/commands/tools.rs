//! `deskmate tools`: what clients are offered, for people or as JSON.

use cli::terminal;
use mcp::Hints;

use crate::client;
use crate::servers::{self, Chosen, Selection};

use super::error::Error;
use super::indent;
use super::selection::Select;

/// List the tools that clients are offered
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate tools               as `deskmate stdio` offers them
  deskmate tools info --json   one server's tools and their schemas")]
pub(super) struct Args {
    #[command(flatten)]
    select: Select,
    /// Print JSON, as clients see it
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> Result<(), Error> {
    let selection: Selection = args.select.into();
    let text = if args.json { json(&selection)? } else { table(&servers::choose(&selection)?) };
    Ok(terminal::say(&text)?)
}

fn json(selection: &Selection) -> Result<String, Error> {
    let tools = client::tools(&servers::compose(selection)?)?;
    let tools: Vec<&str> = tools.iter().map(|tool| tool.get()).collect();
    Ok(indent::indented(&format!("{{\"tools\":[{}]}}", tools.join(","))))
}

const HEAD: [&str; 4] = ["TOOL", "SERVER", "MAY", "WHAT IT DOES"];

fn table(chosen: &[Chosen]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    for Chosen { entry, service } in chosen {
        let surface = service.surface();
        let tools = surface.tools().iter();
        rows.extend(tools.map(|tool| {
            [tool.name.clone(), entry.name.to_owned(), may(tool.hints).to_owned(), tool.title.clone()]
        }));
    }
    if rows.len() == 1 {
        return "No tools: nothing is left with these options.".into();
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [width(0), width(1), width(2)];
    let lines = rows.iter().map(|[name, server, may, does]| {
        let [a, b, c] = widths;
        format!("{name:a$}  {server:b$}  {may:c$}  {does}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a tool may do to the world, in a word or two.
fn may(hints: Hints) -> &'static str {
    match hints {
        Hints { read_only: true, open_world: false, .. } => "read",
        Hints { read_only: true, open_world: true, .. } => "read, go online",
        Hints { destructive: false, open_world: false, .. } => "add",
        Hints { destructive: false, open_world: true, .. } => "add, go online",
        Hints { destructive: true, open_world: false, .. } => "change",
        Hints { destructive: true, open_world: true, .. } => "change, go online",
    }
}

#[cfg(test)]
mod tests {
    use mcp::About;

    use super::may;

    #[test]
    fn what_a_tool_may_do_is_said_in_words() {
        let tool = About::new("a", "b", "c");
        assert_eq!(may(tool.hints), "change, go online");
        assert_eq!(may(tool.local().hints), "change");
        assert_eq!(may(tool.local().additive().hints), "add");
        assert_eq!(may(tool.read_only().hints), "read, go online");
        assert_eq!(may(tool.read_only().local().hints), "read");
    }
}
