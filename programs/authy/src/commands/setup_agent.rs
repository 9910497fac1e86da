//! `authy setup-agent`: a policy and a grant for an MCP client, and what goes into its configuration.

use std::path::PathBuf;

use authy::{Capabilities, Error, NewGrant, NewPolicy, PolicyChange, PolicyName, Session};
use serde::Serialize;
use serde_json::{Value, json};

use super::desk::{self, Desk, Output};
use super::failure::Failure;
use super::lifetime::Lifetime;

/// Make a policy and a grant for an MCP client in one go, and print the client's entry
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy setup-agent claude --allow 'dev/*'    it uses these secrets and sees none of them
  authy setup-agent claude                    a new token on the same policy; the old one is revoked

The token is written to a file that only you can read, and the entry names that file: no secret
goes into the client's configuration.")]
pub(super) struct Args {
    /// What the client is called; its policy gets this name
    name: PolicyName,
    /// Patterns of the names it may use; needed the first time
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    allow: Vec<String>,
    /// Patterns of names it may not use, whatever `--allow` says
    #[arg(long, num_args = 1.., value_name = "PATTERN", requires = "allow")]
    deny: Vec<String>,
    /// What it may do
    #[arg(long, value_name = "LIST", default_value_t = Capabilities::AGENT)]
    can: Capabilities,
    /// How long it is good for, or `never` for until it is revoked
    #[arg(long, value_name = "TIME", default_value = "90d")]
    ttl: Lifetime,
    /// Put the token itself into the entry, instead of the name of a file
    #[arg(long)]
    show_token: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    agent: &'a PolicyName,
    grant: String,
    capabilities: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    revoked: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_file: Option<PathBuf>,
    #[serde(rename = "mcpServers")]
    servers: Value,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    let session = desk.session()?;
    let label = format!("setup-agent {}", args.name);
    set_policy(&session, args)?;
    let before = session.grants()?.into_iter().filter(|grant| !grant.revoked && grant.label == label);
    let before: Vec<_> = before.map(|grant| grant.id).collect();
    let issued = session.create_grant(&NewGrant {
        capabilities: args.can,
        lifetime: args.ttl.duration(),
        ..NewGrant::for_agent(label, args.name.clone())
    })?;
    let token = issued.token.reveal();
    let file = if args.show_token { None } else { Some(desk.vault.keep_token(&args.name, &issued.token)?) };
    // The new token works before the old one stops.
    for id in &before {
        session.revoke_grant(*id)?;
    }
    let info = &issued.info;
    let mut env = match &file {
        Some(file) => json!({ "AUTHY_TOKEN_FILE": file.to_string_lossy() }),
        None => json!({ "AUTHY_TOKEN": token.as_str() }),
    };
    // A client does not start us with the environment of this shell.
    for name in ["AUTHY_HOME", "AUTHY_ANCHOR", "DESKMATE_HOME"] {
        if let Some(value) = desk::variable(name).filter(|value| !value.is_empty()) {
            env[name] = value.to_string_lossy().into();
        }
    }
    let program = std::env::current_exe().unwrap_or_else(|_| "authy".into());
    let program = program.to_string_lossy();
    let servers = json!({ "authy": { "command": program, "args": ["serve", "--mcp"], "env": env } });
    let until = info.expires.map_or("until it is revoked".to_owned(), |time| format!("until {time}"));
    desk.remark(&format!("grant {} on `{}`: {}, {until}", info.id, args.name, info.capabilities));
    if !before.is_empty() {
        desk.remark(&format!("revoked the token it had before ({})", before.len()));
    }
    desk.remark(match &file {
        Some(_) => "put this into the configuration of the client:\n",
        None => "put this into the configuration of the client; the token in it opens these secrets:\n",
    });
    match desk.output {
        Output::Json => desk.answer(
            "",
            &Answer {
                agent: &args.name,
                grant: info.id.to_string(),
                capabilities: info.capabilities.to_string(),
                expires: info.expires.map(|time| time.to_string()),
                revoked: before.len(),
                token: args.show_token.then_some(token.as_str()),
                token_file: file,
                servers,
            },
        ),
        Output::Text => desk::show(&format!("{:#}", json!({ "mcpServers": servers }))),
    }
}

/// Makes the policy, or gives the one that is there what was said now.
fn set_policy(session: &Session, args: &Args) -> Result<(), Failure> {
    match session.policy(&args.name) {
        Ok(_) if args.allow.is_empty() => Ok(()),
        Ok(_) => {
            let (allow, deny) = (Some(args.allow.clone()), Some(args.deny.clone()));
            Ok(session.update_policy(&args.name, &PolicyChange { allow, deny, ..Default::default() })?)
        }
        Err(Error::PolicyNotFound(_)) if args.allow.is_empty() => {
            Err(Failure::Usage("say which secrets the client may use: `--allow 'dev/*'`"))
        }
        Err(Error::PolicyNotFound(_)) => Ok(session.create_policy(&NewPolicy {
            name: args.name.clone(),
            description: Some("made by setup-agent".to_owned()),
            allow: args.allow.clone(),
            deny: args.deny.clone(),
            run_only: false,
        })?),
        Err(error) => Err(error.into()),
    }
}
