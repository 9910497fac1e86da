//! What is on a page: rows of text, and what each of them stands for.

use authy::{AuditEntry, GrantId, PendingApproval, PolicyName, Result, SecretName, Session, Timestamp};

use super::super::table::plain;
use super::super::{approve, audit, grant};

/// The pages, in the order of their tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    Secrets,
    Policies,
    Grants,
    Audit,
    Approvals,
}

impl Page {
    pub(super) const ALL: [Page; 5] =
        [Page::Secrets, Page::Policies, Page::Grants, Page::Audit, Page::Approvals];

    pub(super) fn title(self) -> &'static str {
        match self {
            Page::Secrets => "Secrets",
            Page::Policies => "Policies",
            Page::Grants => "Grants",
            Page::Audit => "Audit",
            Page::Approvals => "Approvals",
        }
    }

    pub(super) fn heading(self) -> &'static [&'static str] {
        match self {
            Page::Secrets => &["NAME", "VERSION", "MODIFIED", "ABOUT"],
            Page::Policies => &["NAME", "ALLOW", "DENY", "ABOUT"],
            Page::Grants => &["GRANT", "POLICY", "MAY", "STATUS", "LABEL"],
            Page::Audit => &["ENTRY", "TIME", "WHO", "WHAT", "TO", "OUTCOME"],
            Page::Approvals => &["ID", "SECRET", "FOR", "ASKED BY", "UNTIL"],
        }
    }

    /// What can be done here, for the bottom line.
    pub(super) fn keys(self) -> &'static str {
        match self {
            Page::Secrets => "Enter show  c create  e edit  h history  d remove",
            Page::Policies => "c create  e edit  d remove",
            Page::Grants => "c create  x revoke",
            Page::Audit => "v verify",
            Page::Approvals => "a approve  n deny",
        }
    }
}

/// What a row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Thing {
    Secret(SecretName),
    Policy(PolicyName),
    Grant(GrantId),
    Entry(Box<AuditEntry>),
    Approval(Box<PendingApproval>),
}

pub(super) struct Row {
    pub(super) thing: Thing,
    pub(super) cells: Vec<String>,
}

/// How many entries of the log are shown.
const ENTRIES: usize = 500;

pub(super) fn load(session: &Session, page: Page) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = match page {
        Page::Secrets => session.infos(None)?.into_iter().map(secret).collect(),
        Page::Policies => session.policies()?.into_iter().map(policy).collect(),
        Page::Grants => session.grants()?.into_iter().map(|info| grant_row(&info)).collect(),
        Page::Audit => session.audit_entries(Some(ENTRIES))?.iter().rev().map(entry).collect(),
        Page::Approvals => session.approvals()?.into_iter().map(|approval| waiting(&approval)).collect(),
    };
    // What agents wrote is in some.
    for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
        *cell = plain(cell);
    }
    Ok(rows)
}

fn secret(info: authy::SecretInfo) -> Row {
    let marks =
        [(info.attributes.never_reveal, "[never shown] "), (info.attributes.approve_each_use, "[asks] ")];
    let mut about: String = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    about.push_str(info.attributes.description.as_deref().unwrap_or_default());
    let cells = vec![info.name.to_string(), info.version.to_string(), day(info.modified), about];
    Row { thing: Thing::Secret(info.name), cells }
}

fn policy(policy: authy::Policy) -> Row {
    let run_only = if policy.run_only { "[run only] " } else { "" };
    let about = format!("{run_only}{}", policy.description.unwrap_or_default());
    let cells = vec![policy.name.to_string(), policy.allow.join(", "), policy.deny.join(", "), about];
    Row { thing: Thing::Policy(policy.name), cells }
}

fn grant_row(info: &authy::GrantInfo) -> Row {
    let status = grant::status(info, Timestamp::now()).to_owned();
    let cells = vec![
        info.id.to_string(),
        info.policy.to_string(),
        info.capabilities.to_string(),
        status,
        info.label.clone(),
    ];
    Row { thing: Thing::Grant(info.id), cells }
}

fn entry(entry: &authy::AuditEntry) -> Row {
    let cells = vec![
        entry.seq.to_string(),
        minute(entry.time),
        audit::actor(entry),
        entry.operation.to_string(),
        entry.target.clone().unwrap_or_default(),
        audit::outcome(entry).to_owned(),
    ];
    Row { thing: Thing::Entry(Box::new(entry.clone())), cells }
}

fn waiting(approval: &authy::PendingApproval) -> Row {
    let cells = vec![
        approval.id.to_string(),
        approval.names(),
        approval.purpose.clone(),
        approve::asked_by(approval),
        minute(approval.expires),
    ];
    Row { thing: Thing::Approval(Box::new(approval.clone())), cells }
}

fn day(time: Timestamp) -> String {
    time.to_string().chars().take(10).collect()
}

fn minute(time: Timestamp) -> String {
    time.to_string().chars().take(16).collect::<String>().replace('T', " ")
}
