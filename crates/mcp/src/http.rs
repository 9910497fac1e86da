//! MCP over Streamable HTTP: a request in, a response out. The listener, and who may talk to it, are the business of
//! somebody else.
//!
//! The handshake revisions have sessions, standing streams and resumption; in 2026-07-28 every POST
//! stands alone, and a client that hangs up has cancelled.

mod body;
mod events;
mod headers;
mod legacy;
mod modern;
mod reading;
mod responses;
mod sessions;

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;

use crate::changes::{Change, Listening};
use crate::code;
use crate::cx::Caller;
use crate::engine::Engine;
use crate::lock::unpoisoned;
use crate::render::{self, Unreadable};
use crate::service::Service;
use crate::session::Session;
use crate::wire::{self, Line, Malformed, Message};
use crate::workers::Workers;

pub use body::Body;
use events::Events;
use headers::Head;
use reading::Whole;
use responses::Refused;
use sessions::Sessions;

/// What clients may cost.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The largest body that is read.
    pub body: usize,
    /// How many bytes of bodies may be held at a time, beyond the first 64 KiB of each.
    pub bodies: usize,
    /// How long a body may keep us waiting for more of it; all of it may take ten times as long.
    pub body_time: Duration,
    /// How many sessions are kept; beyond that the one longest unused is forgotten.
    pub sessions: usize,
    /// How long a session may be unused.
    pub session_time: Duration,
    /// How many requests of sessions may be under way in all.
    pub in_flight: usize,
    /// How many of one session.
    pub session_in_flight: usize,
    /// How long a person has to respond to a request for input in a session.
    pub response_time: Duration,
    /// How long a task is kept after it was made, finished or not.
    pub task_time: Duration,
    /// How many bytes of streams are kept so that they can be resumed.
    pub replay: usize,
    /// How often a comment keeps a quiet stream open.
    pub keep_alive: Duration,
    /// Seals state that clients carry. Several processes with the same key serve the same clients.
    pub seal_key: Option<[u8; 32]>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            body: 64_000_000,
            bodies: 128_000_000,
            body_time: Duration::from_secs(60),
            sessions: 4_096,
            session_time: Duration::from_secs(3_600),
            in_flight: 10_000,
            session_in_flight: 1_000,
            response_time: crate::session::RESPONSE_TIME,
            task_time: crate::tasks::LIFETIME,
            replay: 64_000_000,
            keep_alive: Duration::from_secs(15),
            seal_key: None,
        }
    }
}

/// A request, and the room its body takes until it is answered.
struct Arriving<'r, 'a> {
    request: &'r mut crate::request::Request<'a>,
    held: Option<OwnedSemaphorePermit>,
}

/// One service at one URL. Clones are the same endpoint.
#[derive(Clone)]
pub struct Endpoint {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    policy: Policy,
    sessions: Sessions,
    bodies: reading::Room,
    /// For requests without one.
    no_session: Arc<Session>,
    /// Streams that only end when somebody ends them.
    standing: Mutex<Vec<Weak<Events>>>,
    news: Mutex<Option<Listening>>,
}

/// Serves `service` over HTTP. Must be called in the runtime that will serve it.
pub fn endpoint(service: Arc<dyn Service>, policy: Policy) -> Endpoint {
    let workers = Workers::Shared(tokio::runtime::Handle::current());
    let shared = Arc::new(Shared {
        engine: Engine::new(service, workers, policy.seal_key).keeping_tasks(policy.task_time),
        sessions: Sessions::new(&policy),
        bodies: reading::Room::new(policy.bodies),
        policy,
        no_session: Arc::default(),
        standing: Mutex::default(),
        news: Mutex::default(),
    });
    let told = Arc::downgrade(&shared);
    let listening = shared.engine.service.changes().listen(move |change| {
        if let Some(shared) = told.upgrade() {
            shared.tell_sessions(change);
        }
    });
    *unpoisoned(shared.news.lock()) = Some(listening);
    Endpoint { shared }
}

impl Endpoint {
    /// Answers one HTTP request. `caller` is whoever the listener found out it is.
    pub async fn respond<B>(&self, request: Request<B>, caller: Arc<Caller>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Unpin,
    {
        let (parts, body) = request.into_parts();
        let head = match Head::read(&parts.headers) {
            Ok(head) => head,
            Err(refused) => return *refused,
        };
        let response = match parts.method {
            Method::POST => self.post(&parts.headers, &head, body, caller).await,
            Method::GET => self.shared.get(&head, &caller),
            Method::DELETE => self.shared.delete(&head, &caller),
            _ => Ok(responses::not_allowed("GET, POST, DELETE")),
        };
        response.unwrap_or_else(|refused| *refused)
    }

    async fn post<B>(
        &self,
        headers: &http::HeaderMap,
        head: &Head<'_>,
        body: B,
        caller: Arc<Caller>,
    ) -> Result<Response<Body>, Refused>
    where
        B: http_body::Body<Data = Bytes> + Unpin,
    {
        headers::check_content(headers)?;
        if !head.takes_json {
            return Err(refused(
                StatusCode::NOT_ACCEPTABLE,
                code::INVALID_REQUEST,
                "Invalid request: `Accept` must allow `application/json` and `text/event-stream`",
            ));
        }
        let Whole { bytes, held } = reading::whole(body, &self.shared.policy, &self.shared.bodies).await?;
        let line = wire::parse(&bytes).map_err(|bad| malformed(&bad))?;
        match line {
            Line::Blank => Err(malformed(&Malformed::empty())),
            Line::Batch(batch) => self.shared.batch(head, batch, held, caller).await,
            Line::One(Message::Notification { method, params }) => {
                self.shared.notification(head, &method, &params, &caller)
            }
            Line::One(Message::Response { id, result }) => {
                self.shared.session_of(head, &caller)?.session.responded(id, result);
                Ok(responses::accepted())
            }
            Line::One(Message::Request(mut request)) => {
                request.modern |= head.is_modern();
                if request.modern {
                    self.shared.modern(headers, head, Arriving { request: &mut request, held }, caller).await
                } else {
                    self.shared.legacy(head, Arriving { request: &mut request, held }, caller).await
                }
            }
        }
    }

    /// Forgets sessions that nobody came back for; call it now and then.
    pub fn sweep(&self) {
        self.shared.sessions.sweep();
    }

    /// Ends standing streams: subscriptions with their response, sessions without a word.
    pub fn close(&self) {
        let standing = std::mem::take(&mut *unpoisoned(self.shared.standing.lock()));
        for events in standing.iter().filter_map(Weak::upgrade) {
            events.end(events.subscription().map(|id| {
                let mut last = Vec::new();
                self.shared.engine.end_subscription(&mut last, id.into());
                last
            }));
        }
    }
}

impl Shared {
    /// Remembers a stream that only ends when somebody ends it.
    fn stand(&self, events: &Arc<Events>) {
        let mut standing = unpoisoned(self.standing.lock());
        standing.retain(|old| old.strong_count() > 0);
        standing.push(Arc::downgrade(events));
    }

    fn tell_sessions(&self, change: &Change) {
        self.sessions.for_each_listening(|session, events| {
            let wanted = match change {
                Change::Resource(uri) => session.watches(uri),
                Change::Tools | Change::Prompts | Change::Resources => true,
            };
            if wanted {
                use crate::cx::Outlet as _;
                events.notify(crate::notify::change(change, None));
            }
        });
    }
}

/// A message that is no request is the HTTP client's fault too.
fn malformed(bad: &Malformed) -> Refused {
    let mut out = Vec::new();
    render::malformed(&mut out, bad, Unreadable::Absent);
    Box::new(responses::json(StatusCode::BAD_REQUEST, out))
}

/// An error without an id, for what is wrong around the message.
fn refused(status: StatusCode, code: i32, message: &str) -> Refused {
    let bad = Malformed { id: None, code, message: message.to_owned() };
    let mut out = Vec::new();
    render::malformed(&mut out, &bad, Unreadable::Absent);
    Box::new(responses::json(status, out))
}

fn bad_request(message: &str) -> Refused {
    refused(StatusCode::BAD_REQUEST, code::INVALID_REQUEST, message)
}
