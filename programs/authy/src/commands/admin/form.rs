//! Making a secret, a policy or a grant: a few fields, one after the other.

use std::error::Error;

use authy::request::HostRule;
use authy::{
    Attributes, Capabilities, NewGrant, NewPolicy, NewSecret, Overwrite, PolicyChange, PolicyName,
    SecretName, SecretValue, Session,
};
use zeroize::Zeroizing;

use super::super::set;
use super::board::Shown;
use super::keys::Key;
use super::rows::{Page, Thing};

/// What is being made, as far as it is filled in.
pub(super) struct Form {
    kind: Kind,
    pub(super) fields: Vec<Field>,
    /// The field that keys go to.
    pub(super) at: usize,
}

/// A line of a form.
pub(super) struct Field {
    pub(super) label: &'static str,
    pub(super) text: Zeroizing<String>,
    pub(super) look: Look,
}

/// Whether what is typed can be read on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Hidden,
}

#[derive(Debug, Clone)]
enum Kind {
    Secret,
    Policy,
    Grant,
    /// What is said about a secret that is there.
    Rules(SecretName),
    /// The patterns of a policy that is there.
    Patterns(PolicyName),
}

/// What became of a form after a key.
pub(super) enum Step {
    Open,
    /// The person does not want it any more.
    Given,
    /// All is filled in.
    Full,
}

/// What was made.
pub(super) struct Made {
    pub(super) message: String,
    /// What is to be seen once.
    pub(super) shown: Option<Shown>,
}

impl Form {
    /// The form of a page; nothing where nothing can be made.
    pub(super) fn of(page: Page) -> Option<Form> {
        let field = |label, text: &str, look| Field { label, text: Zeroizing::new(text.to_owned()), look };
        let (kind, fields) = match page {
            Page::Secrets => (
                Kind::Secret,
                vec![
                    field("Name", "", Look::Plain),
                    field("Value", "", Look::Hidden),
                    field("About", "", Look::Plain),
                ],
            ),
            Page::Policies => (
                Kind::Policy,
                vec![
                    field("Name", "", Look::Plain),
                    field("Allow (patterns, with spaces between)", "", Look::Plain),
                    field("Deny", "", Look::Plain),
                ],
            ),
            Page::Grants => (
                Kind::Grant,
                vec![
                    field("Label (who it is for)", "", Look::Plain),
                    field("Policy", "", Look::Plain),
                    field("May", &Capabilities::AGENT.to_string(), Look::Plain),
                ],
            ),
            Page::Audit | Page::Approvals => return None,
        };
        Some(Form { kind, fields, at: 0 })
    }

    /// The form for what can be changed about something that is there.
    pub(super) fn edit(session: &Session, thing: &Thing) -> authy::Result<Option<Form>> {
        let field = |label, text: String| Field { label, text: Zeroizing::new(text), look: Look::Plain };
        let yes = |on: bool| if on { "y".to_owned() } else { String::new() };
        Ok(match thing {
            Thing::Secret(name) => {
                let about = session.info(name)?.attributes;
                let commands: Vec<&str> = about.rules.iter().map(|rule| rule.command.as_str()).collect();
                let fields = vec![
                    field("About", about.description.clone().unwrap_or_default()),
                    field("Hosts (with spaces between)", about.hosts.join(" ")),
                    field("Commands (with ; between)", commands.join("; ")),
                    field("Never show it (y/n)", yes(about.never_reveal)),
                    field("Ask for a yes each time (y/n)", yes(about.approve_each_use)),
                ];
                Some(Form { kind: Kind::Rules(name.clone()), fields, at: 0 })
            }
            Thing::Policy(name) => {
                let policy = session.policy(name)?;
                let fields = vec![
                    field("Allow (patterns, with spaces between)", policy.allow.join(" ")),
                    field("Deny", policy.deny.join(" ")),
                ];
                Some(Form { kind: Kind::Patterns(name.clone()), fields, at: 0 })
            }
            Thing::Grant(_) | Thing::Entry(_) | Thing::Approval(_) => None,
        })
    }

    pub(super) fn title(&self) -> String {
        match &self.kind {
            Kind::Secret => "New secret".to_owned(),
            Kind::Policy => "New policy".to_owned(),
            Kind::Grant => "New grant".to_owned(),
            Kind::Rules(name) => format!("Rules of {name}"),
            Kind::Patterns(name) => format!("Patterns of {name}"),
        }
    }

    /// Whether a field says yes; an empty one says no.
    fn is_yes(&self, field: usize) -> Result<bool, Box<dyn Error>> {
        match self.text(field) {
            "y" | "Y" | "yes" => Ok(true),
            "" | "n" | "N" | "no" => Ok(false),
            other => Err(format!("`{other}` is neither `y` nor `n`").into()),
        }
    }

    /// What is said about a secret, as the fields have it.
    fn rules(&self, before: Attributes) -> Result<Attributes, Box<dyn Error>> {
        let hosts: Vec<String> = self.text(1).split_whitespace().map(str::to_owned).collect();
        for host in &hosts {
            host.parse::<HostRule>().map_err(|reason| format!("`{host}`: {reason}"))?;
        }
        let mut rules = Vec::new();
        for command in self.text(2).split(';').map(str::trim).filter(|command| !command.is_empty()) {
            // One that was there stays as it is, with what it may do.
            rules.push(match before.rules.iter().find(|rule| rule.command == command) {
                Some(rule) => rule.clone(),
                None => set::confined(command)?,
            });
        }
        Ok(Attributes {
            description: Some(self.text(0).to_owned()).filter(|text| !text.is_empty()),
            hosts,
            rules,
            never_reveal: self.is_yes(3)?,
            approve_each_use: self.is_yes(4)?,
            ..before
        })
    }

    pub(super) fn press(&mut self, key: Key) -> Step {
        let last = self.fields.len().saturating_sub(1);
        match key {
            Key::Enter if self.at == last => return Step::Full,
            Key::Enter | Key::Down | Key::NextPage => self.at = (self.at + 1).min(last),
            Key::Up | Key::PreviousPage => self.at = self.at.saturating_sub(1),
            Key::Escape | Key::Leave => return Step::Given,
            Key::Letter(letter) => self.fields[self.at].text.push(letter),
            Key::Rub => {
                self.fields[self.at].text.pop();
            }
            Key::First | Key::Last | Key::Other => {}
        }
        Step::Open
    }

    fn text(&self, field: usize) -> &str {
        self.fields.get(field).map_or("", |field| field.text.trim())
    }

    /// Makes what the fields say.
    pub(super) fn submit(&self, session: &Session) -> Result<Made, Box<dyn Error>> {
        let said = |message: String| Made { message, shown: None };
        match &self.kind {
            Kind::Rules(name) => {
                let attributes = self.rules(session.info(name)?.attributes)?;
                session.set_attributes(name, &attributes)?;
                Ok(said(format!("changed {name}")))
            }
            Kind::Patterns(name) => {
                let patterns = |field| Some(self.text(field).split_whitespace().map(str::to_owned).collect());
                let (allow, deny) = (patterns(0), patterns(1));
                session.update_policy(name, &PolicyChange { allow, deny, ..PolicyChange::default() })?;
                Ok(said(format!("changed the policy {name}")))
            }
            Kind::Secret => {
                let name = SecretName::new(self.text(0))?;
                // Spaces at its ends may belong to a value.
                let value = self.fields.get(1).map_or("", |field| field.text.as_str());
                if value.is_empty() {
                    return Err("the value is empty; type or paste one".into());
                }
                let about = Some(self.text(2).to_owned()).filter(|text| !text.is_empty());
                let attributes =
                    about.map(|text| Attributes { description: Some(text), ..Attributes::default() });
                let secret = NewSecret { name: name.clone(), value: SecretValue::new(value)?, attributes };
                session.store(&secret, Overwrite::Refuse)?;
                Ok(said(format!("stored {name}")))
            }
            Kind::Policy => {
                let name = PolicyName::new(self.text(0))?;
                let patterns = |field| self.text(field).split_whitespace().map(str::to_owned).collect();
                let (allow, deny) = (patterns(1), patterns(2));
                let new = NewPolicy { name: name.clone(), description: None, allow, deny, run_only: false };
                session.create_policy(&new)?;
                Ok(said(format!("made the policy {name}")))
            }
            Kind::Grant => {
                let policy = PolicyName::new(self.text(1))?;
                let capabilities: Capabilities = self.text(2).parse()?;
                let grant = NewGrant { capabilities, ..NewGrant::for_agent(self.text(0), policy) };
                let issued = session.create_grant(&grant)?;
                let token = SecretValue::new(issued.token.reveal().as_bytes())?;
                let title = "the token, for AUTHY_TOKEN; it is shown only now".to_owned();
                Ok(Made {
                    message: "made the grant; it is good for an hour".to_owned(),
                    shown: Some(Shown { title, value: token }),
                })
            }
        }
    }
}
