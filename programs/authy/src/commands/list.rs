//! `authy list`: which secrets there are.

use authy::child::CommandRule;
use authy::{PolicyName, SecretInfo, SecretName};
use serde::Serialize;

use super::desk::{Desk, Output};
use super::failure::Failure;
use super::table::{joined, table};

/// List the names of secrets
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy list
  authy list --long")]
pub(super) struct Args {
    /// Those that this policy covers
    #[arg(long, value_name = "POLICY")]
    scope: Option<PolicyName>,
    /// With versions, dates and what is said about them
    #[arg(long, short)]
    long: bool,
}

/// A secret without its value, as programs see it.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    name: &'a SecretName,
    version: u32,
    created: String,
    modified: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    hosts: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rules: &'a [CommandRule],
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    never_reveal: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approve_each_use: bool,
}

impl<'a> From<&'a SecretInfo> for Row<'a> {
    fn from(info: &'a SecretInfo) -> Row<'a> {
        let attributes = &info.attributes;
        Row {
            name: &info.name,
            version: info.version,
            created: info.created.to_string(),
            modified: info.modified.to_string(),
            description: attributes.description.as_deref(),
            tags: &attributes.tags,
            hosts: &attributes.hosts,
            commands: commands(attributes),
            rules: &attributes.rules,
            expires: attributes.expires.map(|time| time.to_string()),
            never_reveal: attributes.never_reveal,
            approve_each_use: attributes.approve_each_use,
        }
    }
}

/// The commands it may be given to, those from before rules said more, too.
fn commands(attributes: &authy::Attributes) -> Vec<&str> {
    let rules = attributes.rules.iter().map(|rule| rule.command.as_str());
    rules.chain(attributes.commands.iter().map(String::as_str)).collect()
}

#[derive(Serialize)]
struct Answer<'a> {
    secrets: Vec<Row<'a>>,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let infos = desk.access()?.infos(args.scope.as_ref())?;
    if desk.output == Output::Text && !args.long {
        let lines: Vec<&str> = infos.iter().map(|info| info.name.as_str()).collect();
        return desk.answer(&lines.join("\n"), &());
    }
    let rows: Vec<[String; 5]> = infos.iter().map(columns).collect();
    let answer = Answer { secrets: infos.iter().map(Row::from).collect() };
    desk.answer(&table(["NAME", "VERSION", "MODIFIED", "FOR", "ABOUT"], &rows), &answer)
}

fn columns(info: &SecretInfo) -> [String; 5] {
    let attributes = &info.attributes;
    let commands = commands(attributes).into_iter().map(str::to_owned);
    let uses: Vec<String> = attributes.hosts.iter().cloned().chain(commands).collect();
    let marks = [
        attributes.description.clone(),
        attributes.never_reveal.then(|| "[never shown]".to_owned()),
        attributes.approve_each_use.then(|| "[asks each time]".to_owned()),
        attributes.expires.map(|time| format!("[replace by {time}]")),
    ];
    let tags = attributes.tags.iter().map(|tag| format!("#{tag}"));
    let about: Vec<String> = marks.into_iter().flatten().chain(tags).collect();
    [
        info.name.to_string(),
        info.version.to_string(),
        info.modified.to_string(),
        joined(&uses),
        about.join(" "),
    ]
}
