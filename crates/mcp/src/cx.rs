//! What a handler knows about the request it serves, and what it can say while it works.

mod detached;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::cancel::Cancel;
use crate::caps::Caps;
use crate::code;
use crate::fail::{Fail, Stop};
use crate::input::{Elicited, InputRequest, InputRequests, InputResponse, InputResponses};
use crate::lock::unpoisoned;
use crate::notify;
use crate::surface::Identity;
use crate::version::Version;
use crate::wire::plain;

/// Where the notifications of one request go: stdout, or that request's own stream.
pub(crate) trait Outlet: Send + Sync {
    /// Takes one whole JSON message. May drop it when the client does not keep up.
    fn notify(&self, message: Vec<u8>);

    /// Takes a message that must arrive: somebody waits for its response. `false` when there is no way.
    fn insist(&self, message: Vec<u8>) -> bool;

    /// The client may hang up and resume later; most transports have no such thing.
    fn release(&self) {}
}

/// Who is calling.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Names the caller across requests: input from one is not accepted for another.
    pub principal: String,
    /// Whether the request came over the network rather than from our parent process.
    pub remote: bool,
    /// The process at the other end of the connection, where whoever accepted it knows.
    pub pid: Option<u32>,
    /// Credentials the transport was told to hand through, by lower-case header name.
    pub headers: Vec<(String, String)>,
}

impl Caller {
    /// A header that the transport was told to hand through.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// How bad a log message is.
#[doc(alias = "LoggingLevel")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For developers.
    Debug,
    /// Normal operation.
    Info,
    /// Normal but worth noting.
    Notice,
    /// Something may be wrong.
    Warning,
    /// Something failed.
    Error,
    /// Something important failed.
    Critical,
    /// Act now.
    Alert,
    /// Unusable.
    Emergency,
}

impl Level {
    pub(crate) const NAMES: [(&'static str, Level); 8] = [
        ("debug", Level::Debug),
        ("info", Level::Info),
        ("notice", Level::Notice),
        ("warning", Level::Warning),
        ("error", Level::Error),
        ("critical", Level::Critical),
        ("alert", Level::Alert),
        ("emergency", Level::Emergency),
    ];

    pub(crate) fn parse(name: &str) -> Option<Level> {
        Level::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, level)| level)
    }

    pub(crate) fn as_str(self) -> &'static str {
        Level::NAMES.into_iter().find(|(_, level)| *level == self).map_or("info", |(name, _)| name)
    }
}

/// The request at hand. Handlers see nothing of transports and revisions but this.
#[doc(alias("ProgressNotification", "LoggingMessageNotification"))]
#[derive(Clone)]
pub struct Cx {
    pub(crate) version: Version,
    pub(crate) caps: Caps,
    pub(crate) caller: Arc<Caller>,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) progress: Option<Arc<Progress>>,
    pub(crate) log_level: Option<Level>,
    pub(crate) responses: Option<Arc<InputResponses>>,
    pub(crate) cancel: Cancel,
    /// What the client says it is, as JSON.
    pub(crate) client: Option<Arc<str>>,
    /// The request's `_meta`, where there is more in it than the protocol reads.
    pub(crate) meta: Option<Arc<RawValue>>,
}

/// The progress of one request: its token, and what was said last.
pub(crate) struct Progress {
    token: Box<RawValue>,
    last: Mutex<Option<(f64, Instant)>>,
}

impl Progress {
    /// More often than this is noise to a person and work for everybody.
    const INTERVAL: Duration = Duration::from_millis(20);

    pub(crate) fn new(token: &RawValue) -> Progress {
        Progress { token: token.to_owned(), last: Mutex::new(None) }
    }

    /// Whether `done` is news: more than before, and not too soon unless it is the end.
    fn admits(&self, done: f64, total: Option<f64>) -> bool {
        let mut last = unpoisoned(self.last.lock());
        let now = Instant::now();
        let admitted = done.is_finite()
            && last.is_none_or(|(before, at)| {
                done > before && (now.duration_since(at) >= Progress::INTERVAL || Some(done) == total)
            });
        if admitted {
            *last = Some((done, now));
        }
        admitted
    }
}

impl Progress {
    /// Whether `done` is more than before, however soon.
    fn grows(&self, done: f64) -> bool {
        let mut last = unpoisoned(self.last.lock());
        let grows = done.is_finite() && last.is_none_or(|(before, _)| done > before);
        if grows {
            *last = Some((done, Instant::now()));
        }
        grows
    }
}

impl Cx {
    /// Says how far the work is. Nothing is sent unless the client wants it, and nothing once it gave up.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some(progress) = &self.progress else { return };
        if !self.is_cancelled() && progress.admits(done, total) {
            let message = message.filter(|_| self.version.has_progress_message());
            self.outlet.notify(notify::progress(&progress.token, done, total, message));
        }
    }

    /// Says how far the work is and whether to go on: what long loops of the domain call.
    pub fn advance(&self, done: f64, total: Option<f64>, message: Option<&str>) -> ControlFlow<()> {
        self.progress(done, total, message);
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Passes on progress that was held to the usual pace where it came from.
    pub(crate) fn pass_on_progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some(progress) = &self.progress else { return };
        if !self.is_cancelled() && progress.grows(done) {
            let message = message.filter(|_| self.version.has_progress_message());
            self.outlet.notify(notify::progress(&progress.token, done, total, message));
        }
    }

    /// Whether anybody listens to progress; saves making messages nobody reads.
    pub fn wants_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Sends a log message, where the client wants that level.
    pub fn log(&self, level: Level, logger: &str, data: &impl Serialize) {
        if self.log_level.is_some_and(|wanted| level >= wanted)
            && !self.is_cancelled()
            && let Ok(data) = serde_json::value::to_raw_value(data)
        {
            // A relay serves many: it must know whose message this is.
            let token = self.progress.as_ref().filter(|_| self.caps.relay).map(|progress| &*progress.token);
            self.outlet.notify(notify::log(level, logger, &data, token));
        }
    }

    /// Whether the client gave up on this request. Work on threads should look now and then; an
    /// asynchronous handler is simply dropped.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_set()
    }

    /// Resolves when the client gives up on this request.
    pub async fn cancelled(&self) {
        self.cancel.wait().await;
    }

    /// Lets a client that waits on a stream of its own hang up and resume it later, before long work. Where there is no such stream, nothing happens.
    pub fn release_stream(&self) {
        self.outlet.release();
    }

    /// What the client can do.
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// Who is calling.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// What the client says it is: the app a person uses, also where a relay stands in between.
    #[doc(alias = "clientInfo")]
    pub fn client(&self) -> Option<Identity> {
        serde_json::from_str(self.client.as_ref()?).ok()
    }

    /// A member of the request's `_meta` that is no business of the protocol, such as what a relay adds to every call.
    /// One that does not fit `T` is an error: whoever sent it meant something by it.
    pub fn meta<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Fail> {
        let Some(meta) = &self.meta else { return Ok(None) };
        let members: BTreeMap<Cow<'_, str>, &RawValue> =
            serde_json::from_str(meta.get()).map_err(|error| unreadable("_meta", &error))?;
        let member = members.get(key).map(|raw| serde_json::from_str(raw.get()));
        member.transpose().map_err(|error| unreadable(key, &error))
    }

    /// The revision the client speaks; for logs and messages, not for behaviour.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The client's response to a request, by a key of the handler's choosing. Without one yet, the handler stops
    /// and is run again from its start when it is there: so request input before doing anything.
    #[doc(alias("inputRequests", "sampling/createMessage", "roots/list", "elicitation/create"))]
    pub fn request_input(&self, key: &str, request: InputRequest) -> Result<InputResponse<'_>, Stop> {
        match self.input_response(key) {
            Some(response) => Ok(response),
            None => Err(self.input_required(InputRequests::one(key, request))),
        }
    }

    /// Has the person fill in a form with the fields of `T`, like [`request_input`](Cx::request_input). What does
    /// not fit is elicited again.
    #[doc(alias = "elicitation/create")]
    pub fn elicit<T>(&self, key: &str, message: &str) -> Result<Elicited<T>, Stop>
    where
        T: DeserializeOwned + schemars::JsonSchema,
    {
        match self.input_response(key).and_then(InputResponse::elicited) {
            Some(elicited) => Ok(elicited),
            None => Err(self.input_required(InputRequests::one(key, InputRequest::form::<T>(message)))),
        }
    }

    /// Has the person say yes before something that cannot be taken back. Only a response to this very request
    /// counts, and counts once: one that was sent along unrequested is elicited again.
    pub fn approval(&self, key: &str, message: &str) -> Result<bool, Stop> {
        let was_requested =
            self.responses.as_ref().is_some_and(|responses| responses.requested.contains(key));
        match self.input_response(key).filter(|_| was_requested) {
            Some(response) => Ok(response.accepted()),
            None => Err(self.input_required(InputRequests::one(key, InputRequest::confirm(message)))),
        }
    }

    /// The response to an earlier request, if there is one.
    #[doc(alias = "inputResponses")]
    pub fn input_response(&self, key: &str) -> Option<InputResponse<'_>> {
        self.responses.as_ref()?.given.get(key).map(|raw| InputResponse(raw))
    }

    /// The state handed to [`InputRequests::with_state`] in the round before.
    #[doc(alias = "requestState")]
    pub fn request_state(&self) -> Option<&str> {
        self.responses.as_ref()?.state.as_deref()
    }

    /// Whether the client takes such a request at all; a handler with another way checks first.
    pub fn can_request(&self, request: &InputRequest) -> bool {
        request.allowed_by(self.caps)
    }

    /// Stops for several requests at once, or says which capability the client lacks.
    #[doc(alias = "InputRequiredResult")]
    pub fn input_required(&self, requests: InputRequests) -> Stop {
        match requests.requests.iter().find(|(_, request)| !self.can_request(request)) {
            Some((_, request)) => Stop::Fail(Fail::missing_capability(request, self.version.is_modern())),
            None => Stop::InputRequired(requests),
        }
    }
}

fn unreadable(key: &str, error: &serde_json::Error) -> Fail {
    Fail::rpc(code::INVALID_PARAMS, format!("`_meta[\"{key}\"]` cannot be read: {}", plain(error)))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Level, Progress};

    #[test]
    fn progress_only_grows_and_the_end_is_always_told() {
        let token = RawValue::from_string("1".into()).expect("JSON");
        let progress = Progress::new(&token);
        assert!(progress.admits(1.0, Some(3.0)));
        assert!(!progress.admits(1.0, Some(3.0)));
        assert!(progress.admits(3.0, Some(3.0)));
        assert!(!progress.admits(f64::NAN, None));
    }

    #[test]
    fn levels_read_back_what_they_print() {
        for (name, level) in Level::NAMES {
            assert_eq!(Level::parse(name), Some(level));
            assert_eq!(level.as_str(), name);
        }
    }
}
