//! One client: what its handshake left behind, the requests it has under way, and those we sent it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::caps::Caps;
use crate::changes::Watching;
use crate::code;
use crate::cx::{Level, Outlet};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::inflight::Inflight;
use crate::input::{InputRequests, InputResponses};
use crate::lock::unpoisoned;
use crate::notify;
use crate::version::Version;

/// How many resources one session may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// How many bytes their addresses may have together: there may be thousands of sessions.
const MAX_WATCHED: usize = 128 * 1024;

/// How many bytes the address of one of them may have.
pub(crate) const MAX_URI: usize = 4_096;

/// How much a client may say about itself to have it remembered. There may be thousands of sessions.
const MAX_CLIENT: usize = 4_096;

/// How long a person has to respond to a request for input, in either era.
pub(crate) const RESPONSE_TIME: Duration = Duration::from_secs(15 * 60);

/// One client; a modern one over HTTP is nobody in particular.
pub(crate) struct Session {
    state: Mutex<State>,
    pub(crate) inflight: Arc<Inflight>,
    /// The requests we sent that have no response yet, by their number. An error is a `None`.
    sent: Mutex<HashMap<u64, oneshot::Sender<Option<Box<RawValue>>>>>,
    next: AtomicU64,
    response_time: Duration,
}

struct State {
    /// Whether there was a handshake.
    introduced: bool,
    version: Version,
    caps: Caps,
    log_level: Level,
    subscriptions: BTreeMap<String, Watching>,
    /// What the client says it is, as JSON.
    client: Option<Arc<str>>,
}

impl Default for Session {
    fn default() -> Session {
        Session::new(Inflight::new(usize::MAX), RESPONSE_TIME)
    }
}

impl Session {
    /// A client that has nothing under way yet. One that never introduces itself is served as the oldest revision.
    pub(crate) fn new(inflight: Inflight, response_time: Duration) -> Session {
        Session {
            state: Mutex::new(State {
                introduced: false,
                version: Version::V2024_11_05,
                caps: Caps::default(),
                log_level: Level::Debug,
                subscriptions: BTreeMap::new(),
                client: None,
            }),
            inflight: Arc::new(inflight),
            sent: Mutex::default(),
            next: AtomicU64::new(1),
            response_time,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Settles the revision for a client that requested this one.
    pub(crate) fn introduce(&self, requested: &str, mut caps: Caps, client: Option<&RawValue>) -> Version {
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
        state.client = client.filter(|raw| raw.get().len() <= MAX_CLIENT).map(|raw| raw.get().into());
        version
    }

    /// What the client says it is, as JSON.
    pub(crate) fn client(&self) -> Option<Arc<str>> {
        self.state().client.clone()
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

    pub(crate) fn subscribe(&self, uri: &str, watch: impl FnOnce() -> Watching) -> Result<(), Fail> {
        if uri.len() > MAX_URI {
            return Err(long_uri());
        }
        let mut state = self.state();
        if state.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return Err(Fail::rpc(
                code::BUSY,
                format!(
                    "This client watches {MAX_SUBSCRIPTIONS} resources already; unsubscribe from some first"
                ),
            ));
        }
        let bytes: usize = state.subscriptions.keys().map(String::len).sum();
        if bytes + uri.len() > MAX_WATCHED {
            return Err(Fail::rpc(
                code::BUSY,
                "This client watches resources with very long addresses; unsubscribe from some first",
            ));
        }
        if !state.subscriptions.contains_key(uri) {
            state.subscriptions.insert(uri.to_owned(), watch());
        }
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        let watching = self.state().subscriptions.remove(uri);
        // Outside the lock: whoever observes this may have others to ask.
        drop(watching);
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        self.state().subscriptions.contains_key(uri)
    }

    /// Sends the requests to the client and adds its responses to `responses`.
    pub(crate) async fn request_input(
        &self,
        outlet: &dyn Outlet,
        requests: InputRequests,
        responses: &mut InputResponses,
    ) -> Result<(), Fail> {
        let with_mode = self.version().has_url_elicitation();
        responses.note(&requests);
        let mut waiting = Vec::new();
        for (key, request) in requests.requests {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let (sender, response) = oneshot::channel();
            unpoisoned(self.sent.lock()).insert(number, sender);
            let guard = Forget { session: self, number };
            let message = notify::request(&request_id(number), request.method(), &request.params(with_mode));
            if !outlet.insist(message) {
                return Err(out_of_reach());
            }
            waiting.push((key, response, guard));
        }
        let deadline = tokio::time::Instant::now() + self.response_time;
        for (key, response, _guard) in waiting {
            let response = tokio::time::timeout_at(deadline, response).await.map_err(|_| nobody())?;
            responses.given.insert(key, response.map_err(|_| gone())?.unwrap_or_else(cancelled));
        }
        responses.state = requests.state;
        Ok(())
    }

    /// Takes the client's response to one of our requests; responses nobody waits for are ignored.
    pub(crate) fn responded(&self, id: Option<IdRef<'_>>, result: Result<&RawValue, &RawValue>) {
        let number = id.and_then(|id| id.as_json().strip_prefix("\"ask-")?.strip_suffix('"')?.parse().ok());
        let Some(number) = number else { return };
        let waiting = unpoisoned(self.sent.lock()).remove(&number);
        if let Some(waiting) = waiting {
            // The handler may have been cancelled meanwhile.
            let _ = waiting.send(result.ok().map(ToOwned::to_owned));
        }
    }

    /// Nobody is left to respond.
    pub(crate) fn hang_up(&self) {
        unpoisoned(self.sent.lock()).clear();
    }
}

/// The address of a resource to be watched is too long to be remembered.
pub(crate) fn long_uri() -> Fail {
    Fail::rpc(code::INVALID_PARAMS, format!("A URI has at most {MAX_URI} bytes; this one is longer"))
}

/// Forgets a request whose handler is gone.
struct Forget<'a> {
    session: &'a Session,
    number: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        unpoisoned(self.session.sent.lock()).remove(&self.number);
    }
}

fn request_id(number: u64) -> String {
    format!("ask-{number}")
}

/// Over HTTP a request to the client travels in the stream of the response, and not every response has one.
fn out_of_reach() -> Fail {
    Fail::new(
        "This needs an answer from the client, which cannot be sent the request for it; over HTTP, accept \
         `text/event-stream` and do not send this in a batch",
    )
}

fn gone() -> Fail {
    Fail::new("The client went away before it answered")
}

fn nobody() -> Fail {
    Fail::new(
        "Nobody answered in time, so nothing was done; ask the person, and call again when they are there",
    )
}

/// A client that would not show a form is a person who closed it: what follows is the handler's to say.
fn cancelled() -> Box<RawValue> {
    serde_json::value::to_raw_value(&serde_json::json!({ "action": "cancel" }))
        .unwrap_or_else(|_| RawValue::NULL.to_owned())
}
