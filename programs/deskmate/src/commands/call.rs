//! `deskmate call`: one tool call, in this process, through the whole protocol.

use std::io::Read;
use std::path::PathBuf;

use cli::selection::Breadth;
use cli::terminal;
use mcp::Surface;
use serde_json::value::RawValue;

use crate::client::{self, Answer};
use crate::servers::{self, Selection};

use super::content::{self, Media};
use super::error::Error;
use super::indent;

/// Call a tool
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate call deskmate_info              a tool without arguments
  deskmate call deskmate_info '{}' --json  the whole result, as clients see it
  deskmate call deskmate_info - < a.json   arguments from a file")]
pub(super) struct Args {
    /// The tool's name, as `deskmate tools --all` lists it
    tool: String,
    /// Its arguments, a JSON object; `-` reads them from stdin
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    arguments: String,
    /// Print the whole result as JSON
    #[arg(long)]
    json: bool,
    /// Save pictures and other media to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let arguments = match args.arguments.as_str() {
        "-" => parse(&read_stdin()?)?,
        given => parse(given)?,
    };
    let service = servers::compose(&Selection { breadth: Breadth::All, ..Selection::default() })?;
    if service.surface().tool(&args.tool).is_none() {
        return Err(unknown(&args.tool, &service.surface()));
    }
    let result = client::call(service, &args.tool, &arguments)?;
    let answer: Answer = serde_json::from_str(result.get()).map_err(client::Error::from)?;
    let media =
        args.out.as_deref().map_or(Media::Described, |folder| Media::SavedTo { folder, stem: &args.tool });
    let text = content::shown(&answer.content, media)?;
    if args.json {
        terminal::say(&indent::indented(result.get()))?;
    }
    if answer.is_error {
        return Err(Error::ToolFailed(text));
    }
    if !args.json {
        terminal::say(&text)?;
    }
    Ok(())
}

fn read_stdin() -> Result<String, Error> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).map_err(Error::Stdin)?;
    Ok(text)
}

fn parse(text: &str) -> Result<Box<RawValue>, Error> {
    // Without the last newline, what is cut short is cut short on a line that can be shown.
    let text = text.trim_end();
    if text.is_empty() {
        return Err(Error::NoArguments);
    }
    let raw: Box<RawValue> = serde_json::from_str(text)
        .map_err(|error| Error::NotJson { reason: error.to_string(), excerpt: excerpt(text, &error) })?;
    match raw.get().as_bytes().first() {
        Some(b'{') => Ok(raw),
        Some(b'[') => Err(Error::NotAnObject { found: "an array" }),
        Some(b'"') => Err(Error::NotAnObject { found: "a string" }),
        Some(b't' | b'f') => Err(Error::NotAnObject { found: "a boolean" }),
        Some(b'n') => Err(Error::NotAnObject { found: "null" }),
        _ => Err(Error::NotAnObject { found: "a number" }),
    }
}

/// The line with the mistake, and a mark under it, each on a line of its own.
fn excerpt(text: &str, error: &serde_json::Error) -> String {
    /// What is shown on either side of the mistake.
    const AROUND: usize = 35;
    let line: Vec<char> =
        text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default().chars().collect();
    // The column counts bytes, and the last one read is the wrong one.
    let mut bytes = 0;
    let is_before = |char: &&char| {
        bytes += char.len_utf8();
        bytes < error.column()
    };
    let at = line.iter().take_while(is_before).count();
    let from = at.saturating_sub(AROUND);
    let shown: String = line.iter().skip(from).take(2 * AROUND).collect();
    format!("\n  {shown}\n  {}^", " ".repeat(at - from))
}

fn unknown(name: &str, surface: &Surface) -> Error {
    let names = surface.tools().iter().map(|tool| tool.name.as_str());
    let similar =
        names.filter(|known| known.contains(name) || name.contains(known)).min_by_key(|known| known.len());
    Error::UnknownTool { name: name.to_owned(), similar: similar.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text).expect_err("bad arguments").to_string(), expected);
    }

    #[test]
    fn the_place_of_a_mistake_is_shown() {
        check(
            r#"{"a": 1 "b": 2}"#,
            "the arguments are not JSON: expected `,` or `}` at line 1 column 9\n  {\"a\": 1 \"b\": 2}\n          ^",
        );
        check(
            "{\n  'ä': 1\n}",
            "the arguments are not JSON: key must be a string at line 2 column 3\n    'ä': 1\n    ^",
        );
        check(
            "{\"ä\": x}",
            "the arguments are not JSON: expected value at line 1 column 8\n  {\"ä\": x}\n        ^",
        );
        check(
            "{\"a\":\n",
            "the arguments are not JSON: EOF while parsing a value at line 1 column 5\n  {\"a\":\n      ^",
        );
        check(" \n", "the arguments are empty; give a JSON object, or leave them out for a tool without any");
        let long = format!("{{\"a\": \"{}\" oops}}", "x".repeat(500));
        let shown = parse(&long).expect_err("bad").to_string();
        assert!(shown.contains(&format!("\n  {}\" oops}}\n", "x".repeat(33))), "{shown}");
    }

    #[test]
    fn arguments_are_an_object() {
        for (text, found) in [("[1]", "an array"), ("7", "a number"), ("null", "null"), ("\"a\"", "a string")]
        {
            check(
                text,
                &format!("the arguments must be a JSON object, such as {{\"name\": \"value\"}}, not {found}"),
            );
        }
        assert_eq!(parse(" {\"a\" : 1} ").expect("fine").get(), "{\"a\" : 1}");
    }
}
