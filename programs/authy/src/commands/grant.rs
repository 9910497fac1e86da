//! `authy grant`: a part of the vault for somebody else, by a token.

use authy::{Capabilities, Capability, GrantId, GrantInfo, NewGrant, PolicyName, Timestamp};
use serde::Serialize;

use super::desk::{self, Desk, Output};
use super::failure::Failure;
use super::lifetime::Lifetime;
use super::table::table;

#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Make a grant and print its token, this once
    #[command(after_help = "Examples:
  export AUTHY_TOKEN=$(authy grant create --policy shop --label bot)
  authy grant create --policy ci --can list,use,reveal --ttl 15m --uses 10

Capabilities: list (see names), use (in commands and requests, without seeing), reveal (see
values), store, remove, scan (look for values in files). An agent needs `list,use`, which is the
default.")]
    Create(Create),
    /// List grants
    List,
    /// Take a grant back
    Revoke {
        /// Which one, as `authy grant list` shows it
        id: GrantId,
    },
    /// Take all grants back
    RevokeAll,
}

#[derive(clap::Args)]
pub(super) struct Create {
    /// The policy that says which secrets
    #[arg(long, alias = "scope", value_name = "POLICY")]
    policy: PolicyName,
    /// What may be done with them
    #[arg(long, value_name = "LIST", default_value_t = Capabilities::AGENT)]
    can: Capabilities,
    /// How long it is good for: `30m`, `1h`, `7d`, or `never` for until it is revoked
    #[arg(long, value_name = "TIME", default_value = "1h")]
    ttl: Lifetime,
    /// How often values may be used or shown
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    uses: Option<u64>,
    /// For whom or what
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,
    /// Take `reveal` away, whatever `--can` says
    #[arg(long)]
    run_only: bool,
    /// Let the client that has the token ask its user for the yes that a secret wants; whoever has the token can be that client
    #[arg(long)]
    ask_client: bool,
}

#[derive(Serialize)]
struct Issued<'a> {
    token: &'a str,
    session_id: String,
    #[serde(flatten)]
    grant: Row<'a>,
}

#[derive(Serialize)]
struct Row<'a> {
    id: String,
    scope: &'a PolicyName,
    status: &'static str,
    capabilities: String,
    run_only: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    created: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uses: Option<u64>,
    used: u64,
}

#[derive(Serialize)]
struct Listed<'a> {
    grants: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Revoked {
    revoked: usize,
}

impl<'a> From<&'a GrantInfo> for Row<'a> {
    fn from(info: &'a GrantInfo) -> Row<'a> {
        Row {
            id: info.id.to_string(),
            scope: &info.policy,
            status: status(info, Timestamp::now()),
            capabilities: info.capabilities.to_string(),
            run_only: !info.capabilities.has(Capability::Reveal),
            label: &info.label,
            created: info.created.to_string(),
            expires: info.expires.map(|time| time.to_string()),
            uses: info.uses,
            used: info.used,
        }
    }
}

/// What became of a grant.
pub(super) fn status(info: &GrantInfo, now: Timestamp) -> &'static str {
    match info {
        GrantInfo { revoked: true, .. } => "revoked",
        GrantInfo { expires: Some(end), .. } if *end <= now => "expired",
        GrantInfo { uses: Some(uses), used, .. } if used >= uses => "used up",
        GrantInfo { .. } => "active",
    }
}

pub(super) fn run(desk: &Desk, command: Command) -> Result<(), Failure> {
    let session = desk.session()?;
    match command {
        Command::Create(args) => {
            let can = if args.run_only { args.can.without(Capability::Reveal) } else { args.can };
            let issued = session.create_grant(&NewGrant {
                label: args.label,
                policy: args.policy,
                capabilities: can,
                lifetime: args.ttl.duration(),
                uses: args.uses,
                asks_client: args.ask_client,
            })?;
            let (info, token) = (&issued.info, issued.token.reveal());
            let until = info.expires.map_or("until it is revoked".to_owned(), |time| format!("until {time}"));
            desk.remark(&format!("grant {} on `{}`: {}, {until}", info.id, info.policy, info.capabilities));
            match desk.output {
                Output::Text => desk::show(&token),
                Output::Json => desk.answer(
                    "",
                    &Issued { token: &token, session_id: info.id.to_string(), grant: Row::from(info) },
                ),
            }
        }
        Command::List => list(desk, &session.grants()?),
        Command::Revoke { id } => {
            session.revoke_grant(id)?;
            desk.answer(&format!("Revoked grant {id}"), &Revoked { revoked: 1 })
        }
        Command::RevokeAll => {
            let revoked = session.revoke_all_grants()?;
            desk.answer(&format!("Revoked {revoked} grants"), &Revoked { revoked })
        }
    }
}

fn list(desk: &Desk, grants: &[GrantInfo]) -> Result<(), Failure> {
    let now = Timestamp::now();
    let row = |info: &GrantInfo| {
        [
            info.id.to_string(),
            info.policy.to_string(),
            info.capabilities.to_string(),
            status(info, now).to_owned(),
            info.expires.map_or("-".to_owned(), |time| time.to_string()),
            info.uses.map_or_else(|| info.used.to_string(), |uses| format!("{}/{uses}", info.used)),
            info.label.clone(),
        ]
    };
    let rows: Vec<[String; 7]> = grants.iter().map(row).collect();
    let heading = ["GRANT", "POLICY", "MAY", "STATUS", "EXPIRES", "USED", "LABEL"];
    let text = match rows.as_slice() {
        [] => "there are no grants; `authy setup-agent` makes one for an MCP client".to_owned(),
        rows => table(heading, rows),
    };
    desk.answer(&text, &Listed { grants: grants.iter().map(Row::from).collect() })
}
