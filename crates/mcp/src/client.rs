//! A client of 2026-07-28 on any stream of bytes: many requests at once, and dropping one cancels it at the far side.
//!
//! When the connection ends, every request under way ends with an error. Connecting again is the caller's business, and
//! so is what to do about a request of which nobody knows whether it took effect.

mod call;
mod reading;
mod silence;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::caps::Caps;
use crate::changes::Change;
use crate::echo::shown;
use crate::json::ObjectWriter;
use crate::lock::unpoisoned;
use crate::stream::{Outgoing, Rejected, Stream};
use crate::surface::Identity;
use crate::version::Version;
use crate::wipe::Wiped;

pub use call::{Answer, Call, Note, RpcError};

/// What the far side may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest answer that is read; a longer one is an error of its request.
    pub line: usize,
    /// How many requests may be under way at a time.
    pub in_flight: usize,
    /// How many bytes may wait for a far side that does not read.
    pub unread: usize,
    /// How long the far side may take for the greeting, and for its lists where a relay reads them.
    pub greeting: Duration,
    /// How long the far side may say nothing about a request: neither progress nor an answer.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            line: 96_000_000,
            in_flight: 10_000,
            unread: 64 * 1024 * 1024,
            greeting: Duration::from_secs(5),
            silence: Duration::from_secs(600),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was sent.
    #[error("the connection is closed; connect again")]
    Closed,
    /// The request was sent, and nobody knows what became of it.
    #[error(
        "the connection ended before the answer came, and the call may have taken effect; check before you repeat it"
    )]
    Lost,
    /// The request was sent, and was cancelled then.
    #[error("no answer within {} s; try again when the other side is less busy", .0.as_secs())]
    Silent(Duration),
    /// Nothing was sent.
    #[error("too many calls are under way; wait for some of them")]
    Busy,
    /// The request was answered, and nobody knows how.
    #[error("the answer is longer than {} MB; ask for less", .0 / 1_000_000)]
    TooLong(usize),
    /// Nothing was sent.
    #[error("the parameters cannot be written as JSON: {0}")]
    Unwritable(String),
    /// What came is no answer.
    #[error("the other side does not speak the protocol: {0}")]
    Garbled(String),
}

impl Error {
    /// What the far side said may be of any length; a message repeats little of it.
    pub(crate) fn garbled(reason: impl std::fmt::Display) -> Error {
        Error::Garbled(shown(&reason.to_string()).into_owned())
    }

    /// Whether the request may have been carried out.
    pub fn may_have_taken_effect(&self) -> bool {
        !matches!(self, Error::Closed | Error::Busy | Error::Unwritable(_))
    }
}

/// A connection to a server. Clones share it; it ends with the last of them.
#[derive(Clone)]
pub struct Client {
    link: Arc<Link>,
}

impl PartialEq for Client {
    /// Whether it is the same connection.
    fn eq(&self, other: &Client) -> bool {
        Arc::ptr_eq(&self.link, &other.link)
    }
}

struct Link {
    shared: Arc<Shared>,
    tasks: [AbortHandle; 2],
}

impl Drop for Link {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        self.shared.end(&Error::Lost);
    }
}

/// What the reading task and the requests share.
struct Shared {
    outgoing: Arc<Outgoing>,
    state: Mutex<State>,
    next: AtomicU64,
    limits: Limits,
    runtime: Handle,
}

#[derive(Default)]
struct State {
    ended: bool,
    waiting: HashMap<u64, Waiting>,
    listeners: HashMap<u64, Arc<Listener>>,
    /// Gives up what the far side says nothing about; there while something waits, and a while longer.
    watching: Option<AbortHandle>,
}

type Listener = dyn Fn(&Change) + Send + Sync;

struct Waiting {
    answer: oneshot::Sender<Result<Answer, Error>>,
    notes: Option<mpsc::Sender<Note>>,
    /// When it was sent, or something was said about it.
    heard: Instant,
}

/// Who the far side is.
#[doc(alias = "DiscoverResult")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Greeting {
    /// Its name and version.
    pub identity: Identity,
    /// The hash of what was built into it, where it says so; see [`Surface::hash`](crate::Surface::hash).
    pub surface: Option<String>,
    /// Whether its lists differ from what was built into it.
    pub offers_more: bool,
}

/// The changes a subscription is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Of the lists of tools, resources and prompts.
    Lists,
    /// Of the resource at this URI.
    Resource(String),
}

/// Hears of changes until dropped.
pub struct Subscription {
    link: Arc<Link>,
    id: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.link.shared.state().listeners.remove(&self.id).is_some() {
            self.link.shared.cancel(self.id);
        }
    }
}

impl Client {
    /// Talks on this stream, from tasks on the runtime it is called on.
    pub fn new(stream: Stream, limits: Limits) -> Client {
        let Stream { reader, writer } = stream;
        let outgoing = Arc::new(Outgoing::new(writer, limits.unread));
        let shared = Arc::new(Shared {
            outgoing: Arc::clone(&outgoing),
            state: Mutex::default(),
            next: AtomicU64::new(1),
            limits,
            runtime: Handle::current(),
        });
        let writing = tokio::spawn(async move { outgoing.write_all().await }).abort_handle();
        let reading = tokio::spawn(reading::run(Arc::clone(&shared), reader)).abort_handle();
        Client { link: Arc::new(Link { shared, tasks: [reading, writing] }) }
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.link.shared.state().ended
    }

    /// Resolves when the connection has ended.
    pub fn closed(&self) -> impl Future<Output = ()> + Send + 'static {
        let outgoing = Arc::clone(&self.link.shared.outgoing);
        async move { outgoing.closed().await }
    }

    /// Asks the far side who it is.
    pub async fn discover(&self) -> Result<Greeting, Error> {
        let call = self.call("server/discover", &serde_json::Map::new())?;
        let patience = self.link.shared.limits.greeting;
        let answer = tokio::time::timeout(patience, call.finish(|_| {})).await;
        greeting(&answer.map_err(|_| Error::Silent(patience))??)
    }

    /// Sends a request at once. `write` gets its number, which is also a progress token that may be used, and appends the
    /// parameters, an object on one line.
    pub fn request(
        &self,
        method: &str,
        notes: Notes,
        write: impl FnOnce(u64, &mut Vec<u8>),
    ) -> Result<Call, Error> {
        let shared = &self.link.shared;
        let id = shared.next.fetch_add(1, Ordering::Relaxed);
        let line = line(Some(id), method, |params| write(id, params));
        let (answer, answered) = oneshot::channel();
        let (sender, receiver) = match notes {
            Notes::Wanted => {
                let (sender, receiver) = mpsc::channel(call::MOST_NOTES);
                (Some(sender), Some(receiver))
            }
            Notes::Ignored => (None, None),
        };
        let mut state = shared.state();
        if state.ended {
            return Err(Error::Closed);
        }
        if state.waiting.len() >= shared.limits.in_flight {
            return Err(Error::Busy);
        }
        let is_only = state.waiting.is_empty();
        state.waiting.insert(id, Waiting { answer, notes: sender, heard: Instant::now() });
        shared.watch(&mut state);
        drop(state);
        let call = Call::new(Arc::clone(&self.link), id, answered, receiver);
        // Where there are others, it goes out together with those that follow.
        let sent = if is_only {
            shared.outgoing.send(Wiped::from(line).bytes())
        } else {
            shared.outgoing.push(line)
        };
        match sent {
            Ok(()) => Ok(call),
            Err(rejected) => {
                // Nothing was sent, so there is nothing to cancel.
                shared.state().waiting.remove(&id);
                drop(call);
                match rejected {
                    Rejected::Full => Err(Error::Busy),
                    Rejected::Closed => {
                        // Whoever tries again is not sent here: what is read may tell later that the far side is gone.
                        if is_only {
                            shared.end(&Error::Lost);
                        }
                        Err(Error::Closed)
                    }
                }
            }
        }
    }

    /// Sends a request of our own at once. `params` is serialised as an object; what every request says about itself is added.
    pub fn call(&self, method: &str, params: &(impl Serialize + ?Sized)) -> Result<Call, Error> {
        let mut size = Counted(0);
        serde_json::to_writer(&mut size, params).map_err(|error| Error::Unwritable(error.to_string()))?;
        let mut text = Vec::with_capacity(size.0);
        // The second time it is the same, and in memory, which cannot fail.
        let _ = serde_json::to_writer(&mut text, params);
        let text = Wiped::from(text);
        let members = std::str::from_utf8(text.bytes())
            .ok()
            .and_then(|text| text.strip_prefix('{').and_then(|text| text.strip_suffix('}')));
        let members = members.ok_or_else(|| Error::Unwritable("they are no object".to_owned()))?;
        self.request(method, Notes::Ignored, |_, out| {
            // Room for all of it at once: what grows leaves copies behind.
            out.reserve(members.len() + 1024);
            let mut params = ObjectWriter::open(out);
            params.members(members);
            let mut meta = ObjectWriter::open(params.member("_meta"));
            write_version(&mut meta);
            Caps::default().write_relayed(meta.member("io.modelcontextprotocol/clientCapabilities"));
            meta.close();
            params.close();
        })
    }

    /// Calls `listener` at every such change, from the task that reads; it must only pass it on.
    pub fn listen(
        &self,
        subject: &Subject,
        listener: impl Fn(&Change) + Send + Sync + 'static,
    ) -> Result<Subscription, Error> {
        let shared = &self.link.shared;
        let id = shared.next.fetch_add(1, Ordering::Relaxed);
        let line = line(Some(id), "subscriptions/listen", |params| {
            let mut params = ObjectWriter::open(params);
            let mut wanted = ObjectWriter::open(params.member("notifications"));
            match subject {
                Subject::Lists => {
                    for list in ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] {
                        wanted.raw(list, b"true");
                    }
                }
                Subject::Resource(uri) => drop(wanted.value("resourceSubscriptions", &[uri])),
            }
            wanted.close();
            let mut meta = ObjectWriter::open(params.member("_meta"));
            write_version(&mut meta);
            meta.raw("io.modelcontextprotocol/clientCapabilities", b"{}");
            meta.close();
            params.close();
        });
        {
            let mut state = shared.state();
            if state.ended {
                return Err(Error::Closed);
            }
            state.listeners.insert(id, Arc::new(listener));
        }
        let subscription = Subscription { link: Arc::clone(&self.link), id };
        shared.outgoing.push(line).map_err(|rejected| match rejected {
            Rejected::Full => Error::Busy,
            Rejected::Closed => Error::Closed,
        })?;
        Ok(subscription)
    }
}

/// Whether a request wants to hear of its progress and its log messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notes {
    /// They are handed to [`Call::finish`].
    Wanted,
    /// They are dropped.
    Ignored,
}

/// Counts what is written to it.
struct Counted(usize);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What every request of 2026-07-28 carries first.
pub(crate) fn write_version(meta: &mut ObjectWriter<'_>) {
    meta.string("io.modelcontextprotocol/protocolVersion", Version::MODERN.as_str());
}

/// One message with its newline.
fn line(id: Option<u64>, method: &str, params: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut line = Vec::with_capacity(512);
    let mut message = ObjectWriter::open(&mut line);
    message.raw("jsonrpc", b"\"2.0\"");
    if let Some(id) = id {
        message.value("id", &id);
    }
    message.string("method", method);
    params(message.member("params"));
    message.close();
    line.push(b'\n');
    line
}

fn greeting(answer: &Answer) -> Result<Greeting, Error> {
    #[derive(Deserialize)]
    struct Discovered {
        #[serde(rename = "_meta")]
        meta: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/serverInfo")]
        server: Identity,
        #[serde(default, rename = "surfaceHash")]
        surface: Option<String>,
        #[serde(default, rename = "offersMore")]
        offers_more: bool,
    }
    let result = answer.result().map_err(Error::garbled)?;
    let Discovered { meta } = serde_json::from_str(result)
        .map_err(|error| Error::garbled(format_args!("its greeting cannot be read: {error}")))?;
    Ok(Greeting { identity: meta.server, surface: meta.surface, offers_more: meta.offers_more })
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Tells the far side that nobody waits for this any more.
    fn cancel(&self, id: u64) {
        let line = line(None, "notifications/cancelled", |params| {
            let mut params = ObjectWriter::open(params);
            params.value("requestId", &id);
            params.close();
        });
        // A far side that is gone has nothing to cancel.
        let _ = self.outgoing.push(line);
    }

    /// Ends the connection: whoever waits is told.
    fn end(&self, why: &Error) {
        let mut state = self.state();
        state.ended = true;
        let (waiting, listeners) = (std::mem::take(&mut state.waiting), std::mem::take(&mut state.listeners));
        let watching = state.watching.take();
        drop(state);
        watching.inspect(AbortHandle::abort);
        // A listener may hold things of its own that want the lock.
        drop(listeners);
        for (_, waiting) in waiting {
            let _ = waiting.answer.send(Err(why.clone()));
        }
        self.outgoing.close();
    }
}
