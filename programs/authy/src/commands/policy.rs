//! `authy policy`: which secrets belong together.

use authy::{NewPolicy, Policy, PolicyChange, PolicyName, SecretName};
use serde::Serialize;

use super::desk::Desk;
use super::failure::Failure;
use super::table::{joined, plain, table};

#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Make a policy
    Create(Create),
    /// Show a policy
    Show {
        /// Which one
        name: PolicyName,
    },
    /// Change a policy; grants follow it at once
    Update(Update),
    /// List all policies
    List,
    /// Remove a policy that no grant stands on
    Remove {
        /// Which one
        name: PolicyName,
    },
    /// Ask a policy about a name
    Test {
        /// Which policy
        #[arg(long, value_name = "POLICY")]
        scope: PolicyName,
        /// The name of a secret, there or not
        name: SecretName,
    },
}

#[derive(clap::Args)]
pub(super) struct Create {
    /// What it is called
    name: PolicyName,
    /// Patterns of names it covers, such as `shop-*`; `*` matches `/`, too
    #[arg(long, required = true, num_args = 1.., value_name = "PATTERN")]
    allow: Vec<String>,
    /// Patterns of names it does not cover, whatever it allows
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    deny: Vec<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Never show values through it; they can only be used
    #[arg(long)]
    run_only: bool,
}

#[derive(clap::Args)]
pub(super) struct Update {
    /// Which one
    name: PolicyName,
    /// Patterns instead of those it allows now
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    allow: Option<Vec<String>>,
    /// Patterns instead of those it denies now
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    deny: Option<Vec<String>>,
    /// Deny nothing
    #[arg(long, conflicts_with = "deny")]
    deny_nothing: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Whether values are never shown through it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    run_only: Option<bool>,
}

#[derive(Serialize)]
struct Shown<'a> {
    name: &'a PolicyName,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    allow: &'a [String],
    deny: &'a [String],
    run_only: bool,
    created: String,
    modified: String,
}

#[derive(Serialize)]
struct Item<'a> {
    name: &'a PolicyName,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    allow_count: usize,
    deny_count: usize,
    run_only: bool,
}

impl<'a> From<&'a Policy> for Item<'a> {
    fn from(policy: &'a Policy) -> Item<'a> {
        Item {
            name: &policy.name,
            description: policy.description.as_deref(),
            allow_count: policy.allow.len(),
            deny_count: policy.deny.len(),
            run_only: policy.run_only,
        }
    }
}

#[derive(Serialize)]
struct Listed<'a> {
    policies: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Changed<'a> {
    name: &'a PolicyName,
}

#[derive(Serialize)]
struct Tested<'a> {
    scope: &'a PolicyName,
    secret: &'a SecretName,
    allowed: bool,
}

pub(super) fn run(desk: &Desk, command: Command) -> Result<(), Failure> {
    let session = desk.session()?;
    match command {
        Command::Create(Create { name, allow, deny, description, run_only }) => {
            session.create_policy(&NewPolicy { name: name.clone(), description, allow, deny, run_only })?;
            desk.answer(&format!("Created policy '{name}'"), &Changed { name: &name })
        }
        Command::Show { name } => show(desk, &session.policy(&name)?),
        Command::Update(Update { name, allow, deny, deny_nothing, description, run_only }) => {
            let deny = if deny_nothing { Some(Vec::new()) } else { deny };
            session.update_policy(&name, &PolicyChange { description, allow, deny, run_only })?;
            desk.answer(&format!("Updated policy '{name}'"), &Changed { name: &name })
        }
        Command::List => list(desk, &session.policies()?),
        Command::Remove { name } => {
            session.remove_policy(&name)?;
            desk.answer(&format!("Removed policy '{name}'"), &Changed { name: &name })
        }
        Command::Test { scope, name } => {
            let allowed = session.test_policy(&scope, &name)?;
            let (word, can) = if allowed { ("allowed", "can") } else { ("denied", "cannot") };
            let text = format!("{word}: scope '{scope}' {can} read '{name}'");
            desk.answer(&text, &Tested { scope: &scope, secret: &name, allowed })
        }
    }
}

fn show(desk: &Desk, policy: &Policy) -> Result<(), Failure> {
    let text = format!(
        "name:         {}\ndescription:  {}\nallow:        {}\ndeny:         {}\nrun only:     {}\ncreated:      {}\n\
         modified:     {}\n",
        policy.name,
        plain(policy.description.as_deref().unwrap_or("-")),
        plain(&joined(&policy.allow)),
        plain(&joined(&policy.deny)),
        if policy.run_only { "yes" } else { "no" },
        policy.created,
        policy.modified,
    );
    let shown = Shown {
        name: &policy.name,
        description: policy.description.as_deref(),
        allow: &policy.allow,
        deny: &policy.deny,
        run_only: policy.run_only,
        created: policy.created.to_string(),
        modified: policy.modified.to_string(),
    };
    desk.answer(&text, &shown)
}

fn list(desk: &Desk, policies: &[Policy]) -> Result<(), Failure> {
    let row = |policy: &Policy| {
        let about = policy.description.clone().unwrap_or_default();
        let run_only = if policy.run_only { "run only" } else { "" };
        [policy.name.to_string(), joined(&policy.allow), joined(&policy.deny), run_only.to_owned(), about]
    };
    let rows: Vec<[String; 5]> = policies.iter().map(row).collect();
    let listed = Listed { policies: policies.iter().map(Item::from).collect() };
    let text = match rows.as_slice() {
        [] => "there are no policies; `authy policy create` makes one".to_owned(),
        rows => table(["NAME", "ALLOW", "DENY", "", "ABOUT"], rows),
    };
    desk.answer(&text, &listed)
}
