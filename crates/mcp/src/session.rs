//! What a handshake leaves behind: the revision, what the client can do, and the questions we put to it.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::ask::{Answers, Asks};
use crate::caps::Caps;
use crate::code;
use crate::cx::{Level, Outlet};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::notify;
use crate::version::Version;

/// How many resources one session may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// One legacy client.
pub(crate) struct Session {
    state: Mutex<State>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Answered>>>,
    next_ask: AtomicU64,
}

/// What the client made of a question; `None` when it would not answer.
type Answered = Option<Box<RawValue>>;

struct State {
    /// Whether there was a handshake.
    introduced: bool,
    version: Version,
    caps: Caps,
    log_level: Level,
    subscriptions: BTreeSet<String>,
}

impl Default for Session {
    /// A client that never introduced itself is served as the oldest revision.
    fn default() -> Session {
        Session {
            state: Mutex::new(State {
                introduced: false,
                version: Version::V2024_11_05,
                caps: Caps::default(),
                log_level: Level::Debug,
                subscriptions: BTreeSet::new(),
            }),
            asked: Mutex::default(),
            next_ask: AtomicU64::new(1),
        }
    }
}

impl Session {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settles the revision for a client that asked for `requested`.
    pub(crate) fn introduce(&self, requested: &str, mut caps: Caps) -> Version {
        let version = Version::parse(requested)
            .filter(|version| !version.is_modern())
            .unwrap_or(Version::NEWEST_LEGACY);
        caps.form &= version.has_elicitation();
        caps.url &= version.has_url_elicitation();
        caps.tasks = false;
        let mut state = self.state();
        state.introduced = true;
        state.version = version;
        state.caps = caps;
        version
    }

    /// Whether the client ever shook hands; a modern one never does.
    pub(crate) fn is_introduced(&self) -> bool {
        self.state().introduced
    }

    pub(crate) fn version(&self) -> Version {
        self.state().version
    }

    /// What every request of this session is served with.
    pub(crate) fn terms(&self) -> (Version, Caps, Level) {
        let state = self.state();
        (state.version, state.caps, state.log_level)
    }

    pub(crate) fn set_log_level(&self, level: Level) {
        self.state().log_level = level;
    }

    pub(crate) fn subscribe(&self, uri: &str) -> Result<(), Fail> {
        let mut state = self.state();
        if state.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return Err(Fail::rpc(
                code::BUSY,
                format!(
                    "This client watches {MAX_SUBSCRIPTIONS} resources already; unsubscribe from some first"
                ),
            ));
        }
        state.subscriptions.insert(uri.to_owned());
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        self.state().subscriptions.contains(uri)
    }

    /// Puts the questions to the client and adds what it answers to `answers`.
    pub(crate) async fn ask(
        &self,
        outlet: &dyn Outlet,
        asks: Asks,
        answers: &mut Answers,
    ) -> Result<(), Fail> {
        let with_mode = self.version().has_url_elicitation();
        answers.note_questions(&asks);
        let mut waiting = Vec::new();
        for (key, question) in asks.questions {
            let number = self.next_ask.fetch_add(1, Ordering::Relaxed);
            let (answer, answered) = oneshot::channel();
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(number, answer);
            let guard = Forget { session: self, number };
            let request = notify::request(&ask_id(number), question.method(), &question.params(with_mode));
            if !outlet.insist(request) {
                return Err(gone());
            }
            waiting.push((key, answered, guard));
        }
        for (key, answered, _guard) in waiting {
            let answer = answered.await.map_err(|_| gone())?;
            answers.given.insert(key, answer.unwrap_or_else(cancelled));
        }
        answers.state = asks.state;
        Ok(())
    }

    /// Takes the client's response to one of our requests; responses nobody waits for are ignored.
    pub(crate) fn answered(&self, id: Option<IdRef<'_>>, answer: Result<&RawValue, &RawValue>) {
        let number = id.and_then(|id| id.as_json().strip_prefix("\"ask-")?.strip_suffix('"')?.parse().ok());
        let Some(number) = number else { return };
        let waiting = self.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        if let Some(waiting) = waiting {
            // The handler may have been cancelled meanwhile.
            let _ = waiting.send(answer.ok().map(ToOwned::to_owned));
        }
    }

    /// Nobody is left to answer.
    pub(crate) fn hang_up(&self) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Forgets a question whose asker is gone.
struct Forget<'a> {
    session: &'a Session,
    number: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.session.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

fn ask_id(number: u64) -> String {
    format!("ask-{number}")
}

fn gone() -> Fail {
    Fail::new("The client went away before it answered")
}

/// A client that would not show a form is a person who closed it: what follows is the handler's to say.
fn cancelled() -> Box<RawValue> {
    serde_json::value::to_raw_value(&serde_json::json!({ "action": "cancel" }))
        .unwrap_or_else(|_| RawValue::NULL.to_owned())
}
