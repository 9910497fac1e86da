//! A request under way, and its answer.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use crate::cx::Level;
use crate::wipe::Wiped;

use super::{Error, Link};

/// How many notes may wait for a request that does not look; more are dropped.
pub(super) const MOST_NOTES: usize = 64;

/// What the far side says about a request before it answers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Note {
    /// How far it is.
    Progress {
        /// So much is done.
        done: f64,
        /// Of so much.
        total: Option<f64>,
        /// In words.
        message: Option<String>,
    },
    /// A log message.
    Log {
        /// How bad it is.
        level: Level,
        /// Who says it.
        logger: String,
        /// What they say.
        data: Box<RawValue>,
    },
}

/// A request that was sent. Dropping it cancels it at the far side.
#[must_use = "a call that is dropped is cancelled"]
pub struct Call {
    link: Arc<Link>,
    id: u64,
    answer: oneshot::Receiver<Result<Answer, Error>>,
    notes: Option<mpsc::Receiver<Note>>,
}

impl Call {
    pub(super) fn new(
        link: Arc<Link>,
        id: u64,
        answer: oneshot::Receiver<Result<Answer, Error>>,
        notes: Option<mpsc::Receiver<Note>>,
    ) -> Call {
        Call { link, id, answer, notes }
    }

    /// Waits for the answer. Everything that is said before it is handed to `note` first.
    pub async fn finish(mut self, mut note: impl FnMut(Note)) -> Result<Answer, Error> {
        let mut notes = self.notes.take();
        let answer = loop {
            tokio::select! {
                biased;
                said = next(&mut notes) => note(said),
                answer = &mut self.answer => break answer,
            }
        };
        while let Some(said) = notes.as_mut().and_then(|notes| notes.try_recv().ok()) {
            note(said);
        }
        answer.unwrap_or(Err(Error::Lost))
    }
}

/// The next note; never, where there are none.
async fn next(notes: &mut Option<mpsc::Receiver<Note>>) -> Note {
    if let Some(receiver) = notes {
        if let Some(note) = receiver.recv().await {
            return note;
        }
        *notes = None;
    }
    std::future::pending().await
}

impl Drop for Call {
    fn drop(&mut self) {
        // Whoever takes it out of the table answers for it; nobody did.
        let waiting = self.link.shared.state().waiting.remove(&self.id);
        if waiting.is_some() {
            self.link.shared.cancel(self.id);
        }
    }
}

/// What the far side answered. The memory it is in is overwritten when it is dropped.
#[derive(Debug)]
pub struct Answer {
    /// The JSON text of the result or of the error.
    pub(super) text: Wiped,
    pub(super) is_error: bool,
}

/// An error object of JSON-RPC.
#[doc(alias = "JSONRPCErrorResponse")]
#[derive(Debug, Clone, Deserialize)]
pub struct RpcError {
    /// Says what kind of error it is.
    pub code: i32,
    /// What was wrong.
    pub message: String,
    /// More about it.
    #[serde(default)]
    pub data: Option<Box<RawValue>>,
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

impl Answer {
    /// The JSON text of the result, or the error.
    pub fn result(&self) -> Result<&str, RpcError> {
        match self.error() {
            None => Ok(std::str::from_utf8(self.text.bytes()).unwrap_or_default()),
            Some(error) => Err(error),
        }
    }

    /// The error, if it is one.
    pub(crate) fn error(&self) -> Option<RpcError> {
        self.is_error.then(|| {
            serde_json::from_slice(self.text.bytes()).unwrap_or_else(|_| RpcError {
                code: crate::code::INTERNAL_ERROR,
                message: "The other side answered with an error that cannot be read".to_owned(),
                data: None,
            })
        })
    }

    /// The result's memory, to be passed on.
    pub(crate) fn into_text(self) -> Wiped {
        self.text
    }
}
