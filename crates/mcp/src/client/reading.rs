//! The task that reads: answers to those who wait, notes to their requests, changes to those who listen.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncRead;
use tokio::time::Instant;

use crate::changes::Change;
use crate::code;
use crate::cx::Level;
use crate::fail::Fail;
use crate::id::IdRef;
use crate::render;
use crate::stream::{Lines, Next};
use crate::wipe::Wiped;
use crate::wire::{self, Line, Malformed, Message};

use super::{Answer, Error, Note, Shared};

/// Longer notifications are dropped: several of them may wait for a request that does not look, and nobody depends on one.
const LONGEST_NOTIFICATION: usize = 256 * 1024;

/// Reads until the stream ends or stops making sense.
pub(super) async fn run(shared: Arc<Shared>, reader: impl AsyncRead + Unpin) {
    let mut ending = Ending(shared, Error::Lost);
    let shared = Arc::clone(&ending.0);
    let mut lines = Lines::new(reader, shared.limits.line);
    loop {
        let understood = match lines.next() {
            Next::Line(line) => shared.line(line, lines.has_ended()),
            Next::Oversize(head) => shared.oversize(&head),
            Next::WouldRead => lines.fill().await.map_err(|_| Error::Lost),
            Next::End => Err(Error::Lost),
        };
        if let Err(error) = understood {
            ending.1 = error;
            return;
        }
        if shared.outgoing.is_closed() {
            return;
        }
    }
}

/// Ends the connection when the task does, also when it is aborted with its runtime.
struct Ending(Arc<Shared>, Error);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end(&self.1);
    }
}

impl Shared {
    /// `is_last` where nothing follows: it may have been cut off.
    fn line(&self, line: Wiped, is_last: bool) -> Result<(), Error> {
        let answered = match wire::parse_of_server(line.bytes()) {
            Ok(Line::Blank) => None,
            Ok(Line::One(Message::Response { id, result })) => {
                let (text, is_error) = match result {
                    Ok(result) => (result.get(), false),
                    Err(error) => (error.get(), true),
                };
                number(id).map(|id| (id, line.range_of(text), is_error))
            }
            Ok(Line::One(Message::Notification { method, .. })) => {
                if line.bytes().len() <= LONGEST_NOTIFICATION {
                    self.notification(&method, line.bytes());
                }
                None
            }
            Ok(Line::One(Message::Request(request))) => {
                // A server of 2026-07-28 sends none; it must not wait for ever all the same.
                let mut refusal = Vec::new();
                let fail = Fail::rpc(code::METHOD_NOT_FOUND, "Method not found");
                render::fail(&mut refusal, request.id, &fail, true);
                refusal.push(b'\n');
                let _ = self.outgoing.push(refusal);
                None
            }
            Ok(Line::Batch(_)) => return Err(Error::garbled("it sent a batch")),
            Err(_) if is_last => return Err(Error::Lost),
            // Where it says whose answer it was to be, the others need not suffer.
            Err(Malformed { id, message, .. }) => {
                let id =
                    number(id.as_ref().map(IdRef::from)).filter(|id| self.state().waiting.contains_key(id));
                let id = id.ok_or_else(|| Error::garbled(&message))?;
                self.answered(id, Err(Error::garbled(message)));
                None
            }
        };
        if let Some((id, part, is_error)) = answered {
            self.answered(id, Ok(Answer { text: line.narrowed(part), is_error }));
        }
        Ok(())
    }

    fn oversize(&self, head: &[u8]) -> Result<(), Error> {
        let bad = Malformed::oversize(head, self.limits.line);
        let id = number(bad.id.as_ref().map(IdRef::from)).ok_or_else(|| Error::garbled(bad.message))?;
        self.answered(id, Err(Error::TooLong(self.limits.line)));
        Ok(())
    }

    /// Hands an answer to whoever waits for it; one that nobody waits for is dropped.
    fn answered(&self, id: u64, answer: Result<Answer, Error>) {
        let mut state = self.state();
        let (waiting, listener) = (state.waiting.remove(&id), state.listeners.remove(&id));
        drop(state);
        // The far side ended this subscription.
        drop(listener);
        if let Some(waiting) = waiting {
            let _ = waiting.answer.send(answer);
        }
    }

    fn notification(&self, method: &str, line: &[u8]) {
        let Ok(text) = std::str::from_utf8(line) else { return };
        let params = wire::raw_params(text.trim());
        let Some(Ok(params)) = params.map(|raw| serde_json::from_str::<Params<'_>>(raw.get())) else {
            return;
        };
        let change = match method {
            "notifications/progress" => return self.progress(params),
            "notifications/message" => return self.log(params),
            "notifications/tools/list_changed" => Change::Tools,
            "notifications/prompts/list_changed" => Change::Prompts,
            "notifications/resources/list_changed" => Change::Resources,
            "notifications/resources/updated" => match params.uri {
                Some(uri) => Change::Resource(uri.into_owned()),
                None => return,
            },
            _ => return,
        };
        let id = params.meta.and_then(|meta| number(IdRef::from_raw(meta.subscription?)));
        let listener = id.and_then(|id| self.state().listeners.get(&id).cloned());
        if let Some(listener) = listener {
            listener(&change);
        }
    }

    fn progress(&self, params: Params<'_>) {
        let (Some(token), Some(done)) = (params.progress_token, params.progress) else { return };
        let message = params.message.map(Cow::into_owned);
        self.note(token, Note::Progress { done, total: params.total, message });
    }

    fn log(&self, params: Params<'_>) {
        let token = params.meta.and_then(|meta| meta.progress_token);
        let level = params.level.and_then(|name| Level::parse(&name));
        let (Some(token), Some(level), Some(data)) = (token, level, params.data) else { return };
        let logger = params.logger.unwrap_or_default().into_owned();
        self.note(token, Note::Log { level, logger, data: data.to_owned() });
    }

    fn note(&self, token: &RawValue, note: Note) {
        let Some(id) = number(IdRef::from_raw(token)) else { return };
        let mut state = self.state();
        let Some(waiting) = state.waiting.get_mut(&id) else { return };
        waiting.heard = Instant::now();
        if let Some(notes) = &waiting.notes {
            // Nobody depends on a note.
            let _ = notes.try_send(note);
        }
    }
}

fn number(id: Option<IdRef<'_>>) -> Option<u64> {
    id?.as_json().parse().ok()
}

/// The parameters of every notification there is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    progress_token: Option<&'a RawValue>,
    #[serde(default)]
    progress: Option<f64>,
    #[serde(default)]
    total: Option<f64>,
    #[serde(borrow, default)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    level: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    logger: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/subscriptionId")]
    subscription: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}
