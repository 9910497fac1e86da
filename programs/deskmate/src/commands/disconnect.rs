//! `deskmate disconnect`: takes Deskmate out of the configuration of clients.

use cli::terminal;
use connect::{Action, Client, Where, plan_disconnect};

use crate::entry::{self, PROGRAM};

use super::connect::{Outcome, choose, file_of, finish, shown, surroundings};
use super::error::Error;
use super::names::APPS;
use super::questions::Asking;

/// Remove Deskmate from the configuration of AI apps
#[derive(clap::Args)]
#[command(after_help = "Examples:
  deskmate disconnect                every app that is found, after asking
  deskmate disconnect cursor --yes   one app, without asking

A file that was not changed since `deskmate connect` becomes what it was before, byte for byte.")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(super) struct Args {
    /// Apps, by name; all that are found when none is named
    #[arg(value_name = "APP", value_delimiter = ',', value_parser = APPS, hide_possible_values = true)]
    apps: Vec<String>,
    /// What the app calls the entry
    #[arg(long, default_value = PROGRAM, value_parser = entry::name)]
    name: String,
    /// The project's file in this folder instead of the person's
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let here = surroundings()?;
    let asking = Asking::of(args.yes || args.dry_run, args.json)?;
    let mut outcomes = Vec::new();
    for client in choose(&args.apps, &here)? {
        let mut outcome = Outcome::new(client.id);
        if let Err(error) = disconnect_one(client, &here, args, asking, &mut outcome) {
            outcome.failed(error);
        }
        if !args.json {
            terminal::say(&shown(client, &outcome, args.dry_run))?;
        }
        outcomes.push(outcome);
    }
    finish(&outcomes, args.json)
}

fn disconnect_one(
    client: &'static Client,
    here: &Where,
    args: &Args,
    asking: Asking,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let file = file_of(client, here, args.project)?;
    outcome.is_about(&file);
    let plan = plan_disconnect(client, &file, &args.name, PROGRAM).map_err(|error| error.to_string())?;
    outcome.planned(&plan);
    if args.dry_run || plan.action == Action::Nothing {
        return Ok(());
    }
    if !asking.agrees(&plan.diff(), &format!("Change {}?", client.name)) {
        outcome.decline();
        return Ok(());
    }
    plan.apply().map_err(|error| error.to_string())
}
