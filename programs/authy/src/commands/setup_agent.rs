//! `authy setup-agent`: a policy and a grant for an MCP client, and what goes into its configuration.

use authy::{Capabilities, NewGrant, NewPolicy, PolicyName};
use serde::Serialize;
use serde_json::json;

use super::desk::{self, Desk, Output};
use super::failure::Failure;
use super::lifetime::Lifetime;

/// Make a policy and a grant for an MCP client in one go, and print the client's entry
#[derive(clap::Args)]
#[command(after_help = "Example:
  authy setup-agent claude --allow 'dev/*'    it uses these secrets and sees none of them")]
pub(super) struct Args {
    /// What the client is called; the policy gets this name
    name: PolicyName,
    /// Patterns of the names it may use
    #[arg(long, required = true, num_args = 1.., value_name = "PATTERN")]
    allow: Vec<String>,
    /// What it may do
    #[arg(long, value_name = "LIST", default_value_t = Capabilities::AGENT)]
    can: Capabilities,
    /// How long it is good for, or `never` for until it is revoked
    #[arg(long, value_name = "TIME", default_value = "90d")]
    ttl: Lifetime,
}

#[derive(Serialize)]
struct Answer<'a> {
    token: &'a str,
    grant: String,
    #[serde(rename = "mcpServers")]
    servers: serde_json::Value,
}

pub(super) fn run(desk: &Desk, args: Args) -> Result<(), Failure> {
    let session = desk.session()?;
    session.create_policy(&NewPolicy {
        name: args.name.clone(),
        description: Some("made by setup-agent".to_owned()),
        allow: args.allow,
        deny: Vec::new(),
        run_only: false,
    })?;
    let issued = session.create_grant(&NewGrant {
        capabilities: args.can,
        lifetime: args.ttl.duration(),
        ..NewGrant::for_agent(args.name.as_str(), args.name.clone())
    })?;
    let token = issued.token.reveal();
    let servers = json!({ "authy": { "command": "authy", "args": ["serve", "--mcp"], "env": { "AUTHY_TOKEN": token.as_str() } } });
    let until = issued.info.expires.map_or("until it is revoked".to_owned(), |time| format!("until {time}"));
    desk.remark(&format!(
        "grant {} on `{}`: {}, {until}",
        issued.info.id, args.name, issued.info.capabilities
    ));
    desk.remark(
        "put this into the configuration of the client; it has the token in it, which opens these secrets:\n",
    );
    match desk.output {
        Output::Json => {
            desk.answer("", &Answer { token: &token, grant: issued.info.id.to_string(), servers })
        }
        Output::Text => desk::show(&format!("{:#}", json!({ "mcpServers": servers }))),
    }
}
