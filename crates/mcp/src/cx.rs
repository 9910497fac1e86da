//! What a handler knows about the request it serves, and what it can say while it works.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::ask::{Answer, Answers, Asks, Form, Question};
use crate::cancel::Cancel;
use crate::caps::Caps;
use crate::fail::{Fail, Stop};
use crate::notify;
use crate::version::Version;

/// Where the notifications of one request go: stdout, or that request's own stream.
pub(crate) trait Outlet: Send + Sync {
    /// Takes one whole JSON message. May drop it when the client does not keep up.
    fn notify(&self, message: Vec<u8>);

    /// Takes a message that must arrive: somebody waits for the answer. `false` when there is no way.
    fn insist(&self, message: Vec<u8>) -> bool;

    /// The client may hang up and come back for the rest; most transports have no such thing.
    fn release(&self) {}
}

/// Who is calling.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Names the caller across requests: answers given by one are not accepted from another.
    pub principal: String,
    /// Whether the request came over the network rather than from our parent process.
    pub remote: bool,
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
#[derive(Clone)]
pub struct Cx {
    pub(crate) version: Version,
    pub(crate) caps: Caps,
    pub(crate) caller: Arc<Caller>,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) progress: Option<Arc<Progress>>,
    pub(crate) log_level: Option<Level>,
    pub(crate) answers: Option<Arc<Answers>>,
    pub(crate) cancel: Cancel,
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
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
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

impl Cx {
    /// Says how far the work is. Nothing is sent unless the client asked for it.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some(progress) = &self.progress else { return };
        if progress.admits(done, total) {
            let message = message.filter(|_| self.version.has_progress_message());
            self.outlet.notify(notify::progress(&progress.token, done, total, message));
        }
    }

    /// Says how far the work is and asks whether to go on: what long loops of the domain call.
    pub fn advance(&self, done: f64, total: Option<f64>, message: Option<&str>) -> ControlFlow<()> {
        self.progress(done, total, message);
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether anybody listens to progress; saves making messages nobody reads.
    pub fn wants_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Sends a log message, where the client asked for that level.
    pub fn log(&self, level: Level, logger: &str, data: &impl Serialize) {
        if self.log_level.is_some_and(|wanted| level >= wanted)
            && let Ok(data) = serde_json::value::to_raw_value(data)
        {
            self.outlet.notify(notify::log(level, logger, &data));
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

    /// Lets a client that waits on a stream of its own hang up and come back for the rest, before long
    /// work. Where there is no such stream, nothing happens.
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

    /// The revision the client speaks; for logs and messages, not for behaviour.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The answer to a question, by a key of the handler's choosing. Unanswered, the handler stops and
    /// is run again from its start when the answer is there: so ask before doing anything.
    pub fn ask(&self, key: &str, question: Question) -> Result<Answer<'_>, Stop> {
        match self.answer(key) {
            Some(answer) => Ok(answer),
            None => Err(self.stop_for(Asks::one(key, question))),
        }
    }

    /// Like [`ask`](Cx::ask), for a form with the fields of `T`. What does not fit is asked again.
    pub fn ask_form<T>(&self, key: &str, message: &str) -> Result<Form<T>, Stop>
    where
        T: DeserializeOwned + schemars::JsonSchema,
    {
        match self.answer(key).and_then(Answer::form) {
            Some(form) => Ok(form),
            None => Err(self.stop_for(Asks::one(key, Question::form::<T>(message)))),
        }
    }

    /// Asks the person for a yes before something that cannot be taken back. Only an answer to this very
    /// question counts, and counts once: one that was sent along unasked is asked for again.
    pub fn approval(&self, key: &str, message: &str) -> Result<bool, Stop> {
        let was_asked = self.answers.as_ref().is_some_and(|answers| answers.asked.contains(key));
        match self.answer(key).filter(|_| was_asked) {
            Some(answer) => Ok(answer.accepted()),
            None => Err(self.stop_for(Asks::one(key, Question::confirm(message)))),
        }
    }

    /// The answer to a question asked earlier, if there is one.
    pub fn answer(&self, key: &str) -> Option<Answer<'_>> {
        self.answers.as_ref()?.given.get(key).map(|raw| Answer(raw))
    }

    /// The state handed to [`Asks::with_state`] in the round before.
    pub fn state(&self) -> Option<&str> {
        self.answers.as_ref()?.state.as_deref()
    }

    /// Whether the client can be asked this at all; a handler with another way checks first.
    pub fn can_ask(&self, question: &Question) -> bool {
        question.allowed_by(self.caps)
    }

    /// Stops for several questions at once, or says which capability the client lacks.
    pub fn stop_for(&self, asks: Asks) -> Stop {
        match asks.questions.iter().find(|(_, question)| !self.can_ask(question)) {
            Some((_, question)) => Stop::Fail(Fail::missing_capability(question, self.version.is_modern())),
            None => Stop::Ask(asks),
        }
    }
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
