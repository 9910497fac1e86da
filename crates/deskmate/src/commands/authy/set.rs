//! `authy set`: what is said about a secret, and how it may be used.

use authy::{SecretName, Timestamp};

use super::desk::Desk;
use super::failure::Failure;
use super::lifetime::Lifetime;
use super::list::Row;

/// Say something about a secret, or how it may be used
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy set stripe-key --host api.stripe.com        http_request sends it there and nowhere else
  authy set deploy-key --command 'git push *'       run_with_secrets gives it to this command
  authy set prod-db --approve                       a person says yes to each use
  authy set signing-key --never-reveal              nobody sees it, its owner neither")]
pub(super) struct Args {
    /// Which secret
    name: SecretName,
    #[command(flatten)]
    attributes: Attributes,
}

#[allow(clippy::struct_excessive_bools, reason = "each is an option a person can give")]
#[derive(clap::Args)]
pub(super) struct Attributes {
    /// What it is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A word to find it by; may be repeated, and replaces those there are
    #[arg(long = "tag", value_name = "WORD")]
    tags: Vec<String>,
    /// A host it may be sent to, such as `api.example.com` or `*.example.com`; may be repeated
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
    /// A command it may be given to, as a pattern of the whole command line; may be repeated
    #[arg(long = "command", value_name = "PATTERN")]
    commands: Vec<String>,
    /// When it should have been replaced, from now: 90d, 1y, or `never`
    #[arg(long, value_name = "TIME")]
    expires: Option<Lifetime>,
    /// Never show its value to anybody; it can only be used
    #[arg(long, conflicts_with = "reveal")]
    never_reveal: bool,
    /// Let its value be shown to those who may see values
    #[arg(long)]
    reveal: bool,
    /// Ask a person for a yes each time it is used or shown
    #[arg(long, conflicts_with = "no_approve")]
    approve: bool,
    /// Ask nobody
    #[arg(long)]
    no_approve: bool,
}

impl Attributes {
    /// What is said now, after what was said before.
    pub(super) fn change(self, before: authy::Attributes) -> authy::Attributes {
        let or = |new: Vec<String>, old| if new.is_empty() { old } else { new };
        let flag = |on: bool, off: bool, old: bool| on || (old && !off);
        authy::Attributes {
            description: self.description.or(before.description).filter(|text| !text.is_empty()),
            tags: or(self.tags, before.tags),
            hosts: or(self.hosts, before.hosts),
            commands: or(self.commands, before.commands),
            expires: match self.expires {
                None => before.expires,
                Some(Lifetime::Endless) => None,
                Some(Lifetime::For(time)) => Some(Timestamp::now().after(time)),
            },
            never_reveal: flag(self.never_reveal, self.reveal, before.never_reveal),
            approve_each_use: flag(self.approve, self.no_approve, before.approve_each_use),
        }
    }
}

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    let session = desk.session()?;
    let before = session.info(&args.name)?.attributes;
    let after = args.attributes.change(before);
    session.set_attributes(&args.name, &after)?;
    let info = session.info(&args.name)?;
    desk.answer(&format!("Changed secret '{}'", args.name), &Row::from(&info))
}
