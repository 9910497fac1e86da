//! What the command line and the agent say to each other: one line of JSON each.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use authy::{ApprovalId, PolicyName, SecretInfo, SecretName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::super::failure::Failure;
use crate::sys::Stream;

/// Longer than any line: a value of 64 KiB in base64, and a list of tens of thousands of names.
const LONGEST: u64 = 64 << 20;

/// How long one side waits for the other to read or to finish a line.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Request {
    /// Names and what is known about them.
    List { scope: Option<PolicyName> },
    /// A value, to be shown or used for this.
    Value { name: SecretName, version: Option<u32>, purpose: String },
    /// A new secret or version; the value is in base64.
    Store { name: SecretName, value: String, force: bool },
    /// A new version of a secret that is there.
    Rotate { name: SecretName, value: String },
    /// A yes or no to a use that waits.
    Decide { id: String, approve: bool },
    /// The end.
    Stop,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reply {
    Infos(Vec<SecretInfo>),
    /// In base64.
    Value(String),
    Version(u32),
    Done,
    Failed {
        message: String,
        code: String,
        exit_code: u8,
    },
}

pub(super) fn send(stream: &Stream, message: &impl Serialize) -> Result<(), Failure> {
    let broken = |source| Failure::Agent(format!("the connection broke: {source}"));
    stream.set_write_timeout(Some(PATIENCE)).map_err(broken)?;
    let mut line = Zeroizing::new(serde_json::to_vec(message).map_err(|error| broken(error.into()))?);
    line.push(b'\n');
    (&*stream).write_all(&line).map_err(broken)
}

/// Reads one line, waiting for so long, or for as long as it takes.
pub(super) fn receive<T: DeserializeOwned>(stream: &Stream, wait: Option<Duration>) -> Result<T, Failure> {
    let broken = |source| Failure::Agent(format!("the connection broke: {source}"));
    stream.set_read_timeout(wait).map_err(broken)?;
    let mut line = Zeroizing::new(Vec::with_capacity(128 * 1024));
    BufReader::new(stream.take(LONGEST)).read_until(b'\n', &mut line).map_err(broken)?;
    serde_json::from_slice(&line)
        .map_err(|_| Failure::Agent("it said something else than expected".to_owned()))
}

pub(super) fn patience() -> Duration {
    PATIENCE
}

/// Which approval.
pub(super) fn approval(id: &str) -> Result<ApprovalId, Failure> {
    id.parse().map_err(|error: authy::BadName| authy::Error::from(error).into())
}
