//! `authy agent`: the vault kept unlocked for the command line, for as long as somebody uses it.
//!
//! It does what it is asked for itself and hands out no key. What shows a value or answers for the person is asked about on the
//! agent's own terminal: whoever runs a command may not be the person. It makes no grants. The MCP server never uses it.

mod client;
mod protocol;

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use authy::{Consent, Decision, Error, NewSecret, Overwrite, SecretValue, Session};
use base64_simd::STANDARD;
use zeroize::Zeroizing;

use super::approve;
use super::desk::Desk;
use super::failure::Failure;
use super::hidden;
use crate::sys::{self, Listener, Stream};
pub(super) use client::{Access, Agent};
use protocol::{Reply, Request, receive, send};

/// Keep the vault unlocked for the command line, until it was not used for a while
#[derive(clap::Args)]
#[command(after_help = "Examples:
  authy agent

Run it in a terminal of its own: before a value is shown or a use approved, it asks there. It is
for `get`, `read`, `cp`, `list`, `store`, `rotate`, `approve` and `deny`; other commands unlock
the vault themselves, and `authy serve --mcp` never uses it.

Beside an AI with a shell: it can list names and store values while this runs, and see a value
only after your yes here. Read what you say yes to.")]
pub(super) struct Args {
    /// Lock the vault again: end the agent that runs
    #[arg(long)]
    stop: bool,
    /// After how many seconds without use the vault is locked
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    idle: u64,
}

/// How long a question waits for its answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Where the agent of a vault listens: in the vault's folder, which only this user can enter.
fn socket(desk: &Desk) -> PathBuf {
    desk.vault.folder().join("agent.sock")
}

pub(super) fn run(desk: &Desk, args: &Args) -> Result<(), Failure> {
    if args.stop {
        let agent = Agent::of(desk)?.ok_or(Failure::Usage("no agent runs"))?;
        agent.ask(&Request::Stop)?;
        desk.remark("the agent has locked the vault");
        return Ok(());
    }
    if hidden::terminal().is_err() {
        return Err(Failure::Usage("`authy agent` needs a terminal: it asks there before it shows a value"));
    }
    let session = desk.session()?.with_actor("authy agent");
    let path = socket(desk);
    // Whoever has this file listens. It is let go when this process ends, however it ends.
    let Some(_claim) = claim(desk)? else { return Err(Failure::Usage("an agent runs already")) };
    let _ = fs::remove_file(&path);
    let failed = |source| Failure::Write { path: path.clone(), source };
    let listener = Listener::bind(&path).map_err(failed)?;
    sys::close_socket(&path).map_err(failed)?;
    desk.remark(&format!("the vault is unlocked until it was not used for {} seconds", args.idle));
    serve(&session, listener, Duration::from_secs(args.idle));
    let _ = fs::remove_file(&path);
    desk.remark("the vault is locked");
    Ok(())
}

/// The lock of the one agent there is, if nobody has it.
fn claim(desk: &Desk) -> Result<Option<fs::File>, Failure> {
    let path = desk.vault.folder().join("agent.lock");
    let failed = |source| Failure::Write { path: path.clone(), source };
    let file = sys::open_claim(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// Answers until nobody asks any more.
fn serve(session: &Session, listener: Listener, idle: Duration) {
    let (queue, waiting) = mpsc::sync_channel(16);
    // It ends with this process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if queue.send(stream).is_err() {
                break;
            }
        }
    });
    while let Ok(stream) = waiting.recv_timeout(idle) {
        let Ok(who) = check_peer(&stream) else { continue };
        // One that connects to see whether somebody listens says nothing.
        let Ok(request) = receive::<Request>(&stream, Some(protocol::patience())) else { continue };
        if matches!(request, Request::Stop) {
            let _ = send(&stream, &Reply::Done);
            break;
        }
        let reply = answer(session, request, &who).unwrap_or_else(|failure| failure.reply());
        let _ = send(&stream, &reply);
    }
}

/// Refuses other users. Gives who asks, for the person to read.
fn check_peer(stream: &Stream) -> Result<String, Failure> {
    sys::check_peer(stream).map_err(Failure::Agent)
}

fn answer(session: &Session, request: Request, who: &str) -> Result<Reply, Failure> {
    Ok(match request {
        Request::List { scope } => Reply::Infos(session.infos(scope.as_ref())?),
        Request::Value { name, version, purpose } => {
            // A longer one would push the name off the screen.
            let purpose: String = authy::readable(&purpose).chars().take(100).collect();
            ask(who, &format!("`{name}`, for {purpose}"))?;
            let value = match version {
                Some(version) => session.get_version(&name, version, Consent::Given)?,
                None => session.get(&name, Consent::Given)?,
            };
            Reply::Value(STANDARD.encode_to_string(value.as_bytes()))
        }
        Request::Store { name, value, force } => {
            let overwrite = if force { Overwrite::NewVersion } else { Overwrite::Refuse };
            Reply::Version(
                session.store(&NewSecret { name, value: decoded(&value)?, attributes: None }, overwrite)?,
            )
        }
        Request::Rotate { name, value } => Reply::Version(session.rotate(&name, &decoded(&value)?)?),
        Request::Decide { id, approve } => {
            let id = protocol::approval(&id)?;
            let waiting = approve::waiting(session, id)?;
            let decision = if approve { Decision::Approve } else { Decision::Deny };
            if approve {
                ask(who, &format!("your yes to the use of `{}` to {}", waiting.names(), waiting.purpose))?;
            }
            session.decide(&waiting, decision)?;
            Reply::Done
        }
        Request::Stop => Reply::Done,
    })
}

fn decoded(text: &str) -> Result<SecretValue, Failure> {
    let bytes = STANDARD.decode_to_vec(text).map(Zeroizing::new);
    let bytes = bytes.map_err(|_| Failure::Agent("the value is not base64".to_owned()))?;
    Ok(SecretValue::new(bytes.as_slice()).map_err(Error::from)?)
}

/// Asks the person at the agent's own terminal.
fn ask(who: &str, what: &str) -> Result<(), Failure> {
    let question = format!("\r\n{who}, wants {what}. Allow it?");
    if hidden::confirm_within(&question, ANSWER_WITHIN)? { Ok(()) } else { Err(Failure::NotConfirmed) }
}

impl Failure {
    /// As the command line will say it.
    fn reply(&self) -> Reply {
        let (code, exit_code) = self.codes();
        Reply::Failed { message: self.to_string(), code: code.to_owned(), exit_code }
    }
}

impl Desk {
    /// The vault: by what says how to unlock it, else by the agent if one runs, else by asking.
    pub(super) fn access(&self) -> Result<Access, Failure> {
        match Agent::of(self)? {
            Some(agent) => Ok(Access::Agent(agent)),
            None => Ok(Access::Session(self.session()?)),
        }
    }
}
