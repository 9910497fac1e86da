//! What the tools share: whose session a call gets.

use std::sync::{Arc, Mutex, PoisonError};

use ::mcp::{Cx, Fail};

use crate::client::AuthyClient;
use crate::config::Config;
use crate::credential::Credential;
use crate::error::{Error, Result};
use crate::keys::Token;
use crate::name::GrantId;
use crate::session::Session;

/// The header in which a caller over HTTP sends a grant's token.
pub const TOKEN_HEADER: &str = "x-authy-token";

/// How many sessions of callers over HTTP are kept open.
const MOST_SESSIONS: usize = 32;

/// What the tools share. Clones are the same.
#[derive(Clone)]
pub struct State(Arc<Shared>);

struct Shared {
    config: Config,
    local: Mutex<Option<Arc<AuthyClient>>>,
    remote: Mutex<Vec<Remote>>,
}

/// The open session of a caller over HTTP.
struct Remote {
    grant: GrantId,
    /// Told apart by the public key, so that no secret is kept for comparing.
    public: [u8; 32],
    session: Session,
}

impl State {
    /// Nothing is opened before the first call.
    pub fn new(config: Config) -> State {
        State(Arc::new(Shared { config, local: Mutex::new(None), remote: Mutex::new(Vec::new()) }))
    }

    /// The session of whoever calls: over HTTP the grant they sent, and never what this process's owner has.
    pub(crate) fn session(&self, cx: &Cx) -> std::result::Result<Session, Fail> {
        Ok(self.session_of(&who(cx)?)?)
    }

    /// The same for somebody who was asked about already. It may take as long as unlocking does.
    pub(crate) fn session_of(&self, who: &Who) -> Result<Session> {
        match who {
            Who::Local => self.0.local(),
            Who::Remote(token) => self.0.remote(token),
        }
    }

    /// The session of this process's owner, if it is open and can be had without waiting.
    pub(crate) fn open_session(&self, who: &Who) -> Option<Session> {
        match (who, &self.0.config) {
            (Who::Remote(_), _) => None,
            (Who::Local, Config::Client(client)) => client.as_ref()?.open_session(),
            (Who::Local, Config::Environment(_)) => self.0.local.try_lock().ok()?.as_ref()?.open_session(),
        }
    }
}

/// Whose vault a call is about.
pub(crate) enum Who {
    /// The owner of this process.
    Local,
    /// Somebody over HTTP, with a grant.
    Remote(Token),
}

/// Who calls.
pub(crate) fn who(cx: &Cx) -> std::result::Result<Who, Fail> {
    let caller = cx.caller();
    if !caller.remote {
        return Ok(Who::Local);
    }
    let Some(token) = caller.header(TOKEN_HEADER) else {
        return Err(Fail::new(
            "No credentials configured. Send a grant's token in the header X-Authy-Token; `authy grant \
             create` makes one.",
        ));
    };
    Ok(Who::Remote(Token::parse(token)?))
}

impl Shared {
    fn local(&self) -> Result<Session> {
        let variable = match &self.config {
            Config::Client(client) => return client.as_ref().ok_or(Error::NoCredentials)?.session(),
            Config::Environment(variable) => *variable,
        };
        let client = {
            let mut local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(client) = local.as_ref() {
                Arc::clone(client)
            } else {
                let client = Config::client(variable)?.ok_or(Error::NoCredentials)?.with_actor("mcp");
                Arc::clone(local.insert(Arc::new(client)))
            }
        };
        client.session()
    }

    fn remote(&self, token: &Token) -> Result<Session> {
        let mut open = self.remote.lock().unwrap_or_else(PoisonError::into_inner);
        let public = token.pair().public();
        if let Some(at) = open.iter().position(|each| each.grant == token.id() && each.public == public) {
            // The longest unused is first, and goes first.
            let found = open.remove(at);
            let session = found.session.clone();
            open.push(found);
            return Ok(session);
        }
        let vault = self.config.vault()?.ok_or(Error::NoCredentials)?;
        let session = vault.unlock(&Credential::Token(token.clone()))?.with_actor("mcp over http");
        if open.len() >= MOST_SESSIONS {
            open.remove(0);
        }
        open.push(Remote { grant: token.id(), public, session: session.clone() });
        Ok(session)
    }
}

/// A failure travels as the bare message, in words for a model and its user rather than for the command line.
impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        Fail::new(match error {
            Error::NotInitialized => "Vault not initialized. The user makes one with `authy init`, and a token for this client with \
                                      `authy setup-agent NAME --allow PATTERN`."
                .to_owned(),
            Error::NoCredentials => "No credentials configured. The user runs `authy setup-agent NAME --allow PATTERN` and puts the \
                                     entry it prints, which names a token, into the configuration of this client. Without a vault, \
                                     `authy init` comes first."
                .to_owned(),
            Error::AlreadyExists(name) => format!(
                "Secret already exists: {name} (use store_secret with `force: true`, or rotate_secret, to give it a new value)"
            ),
            other => other.to_string(),
        })
    }
}
