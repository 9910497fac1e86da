//! The command line's side: a vault that is unlocked here, or by the agent.

use authy::{
    ApprovalId, Decision, Error, NewSecret, Overwrite, PolicyName, SecretInfo, SecretName, SecretValue,
    Session,
};
use base64_simd::STANDARD;
use zeroize::Zeroizing;

use super::super::approve;
use super::super::desk::{self, Desk, Source};
use super::super::failure::Failure;
use super::protocol::{Reply, Request, receive, send};
use crate::sys::Stream;

/// What a command works with.
pub(in super::super) enum Access {
    /// The vault, unlocked by this process.
    Session(Session),
    /// The vault, unlocked by the agent.
    Agent(Agent),
}

/// An agent that listens.
pub(in super::super) struct Agent {
    socket: std::path::PathBuf,
}

impl Agent {
    /// The agent of this vault, if it runs and nothing else says how to unlock.
    pub(in super::super) fn of(desk: &Desk) -> Result<Option<Agent>, Failure> {
        let socket = super::socket(desk);
        if !socket.exists() || !matches!(desk.source()?, Source::Prompt | Source::Nothing) {
            return Ok(None);
        }
        // A socket that nobody listens on is as good as none.
        Ok(Stream::connect(&socket).is_ok().then_some(Agent { socket }))
    }

    pub(super) fn ask(&self, request: &Request) -> Result<Reply, Failure> {
        let stream = Stream::connect(&self.socket)
            .map_err(|source| Failure::Agent(format!("it does not listen: {source}")))?;
        super::check_peer(&stream)?;
        send(&stream, request)?;
        // A person may have to be asked, who takes their time; the agent gives up first.
        match receive(&stream, None)? {
            Reply::Failed { message, code, exit_code } => Err(Failure::Refused { message, code, exit_code }),
            reply => Ok(reply),
        }
    }
}

fn unexpected<T>() -> Result<T, Failure> {
    Err(Failure::Agent("it said something else than expected".to_owned()))
}

fn decoded(text: &str) -> Result<SecretValue, Failure> {
    let bytes = STANDARD.decode_to_vec(text).map(Zeroizing::new);
    let bytes = bytes.map_err(|_| Failure::Agent("it said something else than expected".to_owned()))?;
    Ok(SecretValue::new(bytes.as_slice()).map_err(Error::from)?)
}

impl Access {
    /// All secrets, or those a policy covers.
    pub(in super::super) fn infos(&self, scope: Option<&PolicyName>) -> Result<Vec<SecretInfo>, Failure> {
        match self {
            Access::Session(session) => Ok(session.infos(scope)?),
            Access::Agent(agent) => match agent.ask(&Request::List { scope: scope.cloned() })? {
                Reply::Infos(infos) => Ok(infos),
                _ => unexpected(),
            },
        }
    }

    /// A value, after the person said yes where that is wanted.
    pub(in super::super) fn value(
        &self,
        name: &SecretName,
        version: Option<u32>,
        what: &str,
    ) -> Result<SecretValue, Failure> {
        match self {
            Access::Session(session) => {
                let consent = desk::consent(session, name, what)?;
                Ok(match version {
                    Some(version) => session.get_version(name, version, consent)?,
                    None => session.get(name, consent)?,
                })
            }
            Access::Agent(agent) => {
                let request = Request::Value { name: name.clone(), version, purpose: what.to_owned() };
                match agent.ask(&request)? {
                    Reply::Value(text) => decoded(&text),
                    _ => unexpected(),
                }
            }
        }
    }

    pub(in super::super) fn store(&self, secret: &NewSecret, overwrite: Overwrite) -> Result<u32, Failure> {
        match self {
            Access::Session(session) => Ok(session.store(secret, overwrite)?),
            Access::Agent(agent) => {
                let value = STANDARD.encode_to_string(secret.value.as_bytes());
                let force = overwrite == Overwrite::NewVersion;
                version(&agent.ask(&Request::Store { name: secret.name.clone(), value, force })?)
            }
        }
    }

    pub(in super::super) fn rotate(&self, name: &SecretName, value: &SecretValue) -> Result<u32, Failure> {
        match self {
            Access::Session(session) => Ok(session.rotate(name, value)?),
            Access::Agent(agent) => {
                let value = STANDARD.encode_to_string(value.as_bytes());
                version(&agent.ask(&Request::Rotate { name: name.clone(), value })?)
            }
        }
    }

    /// Says yes to a use that waits, after the person read what it is.
    pub(in super::super) fn approve(&self, id: ApprovalId) -> Result<(), Failure> {
        match self {
            Access::Session(session) => approve::approve(session, id),
            Access::Agent(agent) => {
                agent.ask(&Request::Decide { id: id.to_string(), approve: true }).map(drop)
            }
        }
    }

    /// Says no to a use that waits.
    pub(in super::super) fn deny(&self, id: ApprovalId) -> Result<(), Failure> {
        match self {
            Access::Session(session) => Ok(session.decide(&approve::waiting(session, id)?, Decision::Deny)?),
            Access::Agent(agent) => {
                agent.ask(&Request::Decide { id: id.to_string(), approve: false }).map(drop)
            }
        }
    }
}

fn version(reply: &Reply) -> Result<u32, Failure> {
    match reply {
        Reply::Version(version) => Ok(*version),
        _ => unexpected(),
    }
}
