//! A text over the table: help, the history of a secret, all that is known about a row.

use authy::{AuditEntry, GrantId, PendingApproval, PolicyName, Result, SecretName, Session};

use super::super::table::plain;
use super::super::{approve, audit, grant};
use super::keys::Key;
use super::rows::Thing;

/// A text that can be longer than the screen.
pub(super) struct Sheet {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    /// How many lines are above the screen.
    pub(super) above: usize,
}

/// A longer line is shown as several.
const LONGEST_LINE: usize = 96;

const HELP: &str = "\
Tab, Left, Right, 1-5   the pages: secrets, policies, grants, audit, approvals
Up, Down, j, k, g, G    move
/                       show only rows with some text in them
Enter                   secrets: show the value, until the next key or for 15 seconds
                        elsewhere: everything about the row
i                       everything about the row
c                       make a secret, a policy or a grant
e                       secrets: hosts, commands and other rules; policies: patterns
h                       secrets: the versions that are kept
d                       remove a secret (to the trash) or a policy
x                       revoke a grant
a, n                    approve or deny a use
v                       check the log
r                       read everything anew
q, Ctrl-C               leave

Removed secrets come back with `authy restore NAME`.";

impl Sheet {
    fn new(title: impl Into<String>, text: &str) -> Sheet {
        // Moving goes by lines: one that is longer than the screen could not be read to its end.
        let lines = text.lines().flat_map(|line| match line {
            "" => vec![String::new()],
            line => {
                let letters: Vec<char> = line.chars().collect();
                letters.chunks(LONGEST_LINE).map(|piece| piece.iter().collect()).collect()
            }
        });
        Sheet { title: title.into(), lines: lines.collect(), above: 0 }
    }

    pub(super) fn help() -> Sheet {
        Sheet::new("keys", HELP)
    }

    /// Moves the text; gives whether it stays open.
    pub(super) fn press(&mut self, key: Key) -> bool {
        match key {
            Key::Down | Key::Letter('j' | ' ') => {
                self.above = (self.above + 1).min(self.lines.len().saturating_sub(1));
            }
            Key::Up | Key::Letter('k') => self.above = self.above.saturating_sub(1),
            _ => return false,
        }
        true
    }

    /// The versions of a secret.
    pub(super) fn history(session: &Session, name: &SecretName) -> Result<Sheet> {
        let line = |version: &authy::VersionInfo| {
            let now = if version.current { "  current" } else { "" };
            format!("version {}  stored {}{now}", version.version, version.stored)
        };
        let lines: Vec<String> = session.history(name)?.iter().map(line).collect();
        Ok(Sheet::new(format!("history of {name}"), &lines.join("\n")))
    }

    /// Everything about a row but a value.
    pub(super) fn about(session: &Session, thing: &Thing) -> Result<Option<Sheet>> {
        Ok(match thing {
            Thing::Secret(name) => Some(secret(session, name)?),
            Thing::Policy(name) => Some(policy(session, name)?),
            Thing::Grant(id) => grant_sheet(session, *id)?,
            Thing::Entry(entry) => Some(entry_sheet(entry)),
            Thing::Approval(request) => Some(approval(request)),
        })
    }
}

fn field(name: &str, value: &str) -> Option<String> {
    (!value.is_empty()).then(|| format!("{name}: {}", plain(value)))
}

fn sheet(title: String, fields: impl IntoIterator<Item = Option<String>>) -> Sheet {
    let lines: Vec<String> = fields.into_iter().flatten().collect();
    Sheet::new(title, &lines.join("\n"))
}

fn secret(session: &Session, name: &SecretName) -> Result<Sheet> {
    let info = session.info(name)?;
    let attributes = &info.attributes;
    let rule = |rule: &authy::child::CommandRule| {
        let network = if rule.network { ", with network" } else { "" };
        Some(format!("command: {} ({}{network})", rule.command, rule.program.display()))
    };
    let mut fields = vec![
        field("about", attributes.description.as_deref().unwrap_or_default()),
        field("version", &info.version.to_string()),
        field("created", &info.created.to_string()),
        field("modified", &info.modified.to_string()),
        field("tags", &attributes.tags.join(", ")),
        field("replace by", &attributes.expires.map(|time| time.to_string()).unwrap_or_default()),
        attributes.never_reveal.then(|| "never shown".to_owned()),
        attributes.approve_each_use.then(|| "asks for a yes each time".to_owned()),
    ];
    fields.extend(attributes.hosts.iter().map(|host| field("host", host)));
    fields.extend(attributes.rules.iter().map(rule));
    fields.extend(attributes.commands.iter().map(|command| field("command, unconfined", command)));
    Ok(sheet(name.to_string(), fields))
}

fn policy(session: &Session, name: &PolicyName) -> Result<Sheet> {
    let policy = session.policy(name)?;
    Ok(sheet(
        format!("policy {name}"),
        [
            field("about", policy.description.as_deref().unwrap_or_default()),
            field("allow", &policy.allow.join("  ")),
            field("deny", &policy.deny.join("  ")),
            policy.run_only.then(|| "run only: no grant on it shows values".to_owned()),
            field("modified", &policy.modified.to_string()),
        ],
    ))
}

fn grant_sheet(session: &Session, id: GrantId) -> Result<Option<Sheet>> {
    let found = session.grants()?.into_iter().find(|grant| grant.id == id);
    Ok(found.map(|info| {
        let uses = info.uses.map_or_else(|| info.used.to_string(), |uses| format!("{} of {uses}", info.used));
        let fields = [
            field("label", &info.label),
            field("policy", info.policy.as_str()),
            field("may", &info.capabilities.to_string()),
            field("status", grant::status(&info, authy::Timestamp::now())),
            field("created", &info.created.to_string()),
            field("until", &info.expires.map_or("it is revoked".to_owned(), |time| time.to_string())),
            field("used", &uses),
            info.asks_client.then(|| "its client may ask its user for a yes".to_owned()),
        ];
        sheet(format!("grant {id}"), fields)
    }))
}

fn entry_sheet(entry: &AuditEntry) -> Sheet {
    let fields = [
        field("time", &entry.time.to_string()),
        field("who", &audit::actor(entry)),
        field("what", entry.operation.as_str()),
        field("to", entry.target.as_deref().unwrap_or_default()),
        field("outcome", audit::outcome(entry)),
        field("detail", entry.detail.as_deref().unwrap_or_default()),
    ];
    sheet(format!("entry {}", entry.seq), fields)
}

fn approval(found: &PendingApproval) -> Sheet {
    let fields = [
        field("secret", &found.names()),
        field("asked by", &approve::asked_by(found)),
        field("asked", &found.asked.to_string()),
        field("until", &found.expires.to_string()),
        field("for", &found.purpose),
    ];
    sheet(format!("approval {}", found.id), fields)
}
