//! The sessions of an endpoint: a few hundred bytes each, counted, and forgotten when unused.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::fail::Fail;
use crate::id::Id;
use crate::inflight::Inflight;
use crate::lock::unpoisoned;
use crate::seal::random_id;
use crate::session::Session;

use super::Policy;
use super::events::{Budget, Events, Purpose};

/// How many streams of one session can be resumed.
const MAX_STREAMS: usize = 8;

pub(super) struct Sessions {
    all: Mutex<HashMap<Box<str>, Arc<HttpSession>>>,
    budget: Budget,
    most: usize,
    patience: Duration,
    started: Instant,
    /// Room for the requests of all sessions.
    room: Arc<Semaphore>,
    session_in_flight: usize,
    response_time: Duration,
}

pub(super) struct HttpSession {
    pub(super) session: Arc<Session>,
    principal: Box<str>,
    /// Nanoseconds since the endpoint started: fine enough to tell which of two was used last.
    used: AtomicU64,
    streams: Mutex<Streams>,
    /// How many clients wait for an answer that has not begun.
    attended: AtomicUsize,
}

/// A client waits for an answer.
pub(super) struct Attending(Arc<HttpSession>);

impl Drop for Attending {
    fn drop(&mut self) {
        self.0.attended.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Streams {
    last: u64,
    /// Those that can be resumed.
    kept: VecDeque<Arc<Events>>,
    /// The one that is open as long as the client likes.
    standing: Option<Arc<Events>>,
}

impl Sessions {
    pub(super) fn new(policy: &Policy) -> Sessions {
        Sessions {
            all: Mutex::default(),
            budget: Budget::new(policy.replay),
            most: policy.sessions.max(1),
            patience: policy.session_time,
            started: Instant::now(),
            room: Arc::new(Semaphore::new(policy.in_flight.min(Semaphore::MAX_PERMITS))),
            session_in_flight: policy.session_in_flight,
            response_time: policy.response_time,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<HttpSession>>> {
        unpoisoned(self.all.lock())
    }

    fn now(&self) -> u64 {
        nanoseconds(self.started.elapsed())
    }

    /// One whose client is there is in use, whatever its clock says. A call that nobody waits for keeps nothing alive.
    fn is_expired(&self, session: &HttpSession, now: u64) -> bool {
        let unused = now.saturating_sub(session.used.load(Ordering::Relaxed));
        unused >= nanoseconds(self.patience) && !session.is_busy()
    }

    pub(super) fn budget(&self) -> Budget {
        self.budget.clone()
    }

    /// Opens a session and returns its id.
    pub(super) fn open(&self, principal: &str) -> Result<(String, Arc<HttpSession>), Fail> {
        let id = random_id()?;
        let session = Arc::new(HttpSession {
            session: Arc::new(Session::new(
                Inflight::new(self.session_in_flight).within(&self.room),
                self.response_time,
            )),
            principal: principal.into(),
            used: AtomicU64::new(self.now()),
            streams: Mutex::default(),
            attended: AtomicUsize::new(0),
        });
        let mut all = self.all();
        if all.len() >= self.most {
            self.make_room(&mut all);
        }
        all.insert(id.as_str().into(), Arc::clone(&session));
        Ok((id, session))
    }

    /// Closes the sessions that are too old.
    pub(super) fn sweep(&self) {
        self.close_expired(&mut self.all());
    }

    fn close_expired(&self, all: &mut HashMap<Box<str>, Arc<HttpSession>>) {
        let now = self.now();
        all.retain(|_, session| {
            let expired = self.is_expired(session, now);
            if expired {
                session.close();
            }
            !expired
        });
    }

    /// Forgets the sessions that are too old, and the longest unused eighth where that is not enough:
    /// looking through all of them must not happen for every new one.
    fn make_room(&self, all: &mut HashMap<Box<str>, Arc<HttpSession>>) {
        self.close_expired(all);
        if all.len() < self.most {
            return;
        }
        let mut ages: Vec<(bool, u64, Box<str>)> = all
            .iter()
            .map(|(id, session)| (session.is_busy(), session.used.load(Ordering::Relaxed), id.clone()))
            .collect();
        ages.sort_unstable();
        for (_, _, id) in ages.into_iter().take(self.most.div_ceil(8)) {
            if let Some(session) = all.remove(&id) {
                session.close();
            }
        }
    }

    /// A session, for the caller that opened it. Being looked up counts as use.
    pub(super) fn find(&self, id: &str, principal: &str) -> Option<Arc<HttpSession>> {
        let mut all = self.all();
        let session = Arc::clone(all.get(id).filter(|session| *session.principal == *principal)?);
        let now = self.now();
        if self.is_expired(&session, now) {
            all.remove(id);
            drop(all);
            session.close();
            return None;
        }
        session.used.store(now, Ordering::Relaxed);
        Some(session)
    }

    pub(super) fn close(&self, id: &str, principal: &str) -> bool {
        let mut all = self.all();
        if all.get(id).is_none_or(|session| *session.principal != *principal) {
            return false;
        }
        let session = all.remove(id);
        drop(all);
        if let Some(session) = session {
            session.close();
        }
        true
    }

    pub(super) fn for_each_listening(&self, mut tell: impl FnMut(&Session, &Events)) {
        let listening: Vec<(Arc<HttpSession>, Arc<Events>)> = self
            .all()
            .values()
            .filter_map(|session| Some((Arc::clone(session), session.streams().standing.clone()?)))
            .collect();
        for (session, events) in listening {
            tell(&session.session, &events);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl HttpSession {
    fn streams(&self) -> MutexGuard<'_, Streams> {
        unpoisoned(self.streams.lock())
    }

    /// Whether its client is connected.
    fn is_busy(&self) -> bool {
        let streams = self.streams();
        self.attended.load(Ordering::Relaxed) > 0
            || streams.kept.iter().chain(&streams.standing).any(|events| events.is_read())
    }

    /// Counts a client that waits for an answer, until dropped.
    pub(super) fn attend(self: &Arc<Self>) -> Attending {
        self.attended.fetch_add(1, Ordering::Relaxed);
        Attending(Arc::clone(self))
    }

    fn purpose(&self, streams: &mut Streams, request: Option<Id>) -> Purpose {
        streams.last += 1;
        let priming = self.session.version() >= crate::version::Version::V2025_11_25;
        Purpose::Resumable { number: streams.last, priming, request }
    }

    /// A stream for one request.
    pub(super) fn request_stream(&self, request: Id, budget: Budget) -> Arc<Events> {
        Events::new(self.purpose(&mut self.streams(), Some(request)), budget)
    }

    /// Keeps a stream so that it can be resumed.
    pub(super) fn keep(&self, events: &Arc<Events>) {
        let mut streams = self.streams();
        streams.kept.push_back(Arc::clone(events));
        while streams.kept.len() > MAX_STREAMS {
            // Finished ones go first: the others are still being written.
            let finished = streams.kept.iter().position(|events| events.is_ended()).unwrap_or(0);
            streams.kept.remove(finished);
        }
    }

    /// The standing stream; one that was open before is over.
    pub(super) fn stand(&self, budget: Budget) -> Arc<Events> {
        let mut streams = self.streams();
        let purpose = self.purpose(&mut streams, None);
        let events = Events::new(purpose, budget);
        if let Some(old) = streams.standing.replace(Arc::clone(&events)) {
            old.end(None);
        }
        events
    }

    /// The stream with this number, if it is still kept.
    pub(super) fn stream(&self, number: u64) -> Option<Arc<Events>> {
        let streams = self.streams();
        let mut all = streams.kept.iter().chain(&streams.standing);
        all.find(|events| events.number() == Some(number)).cloned()
    }

    fn close(&self) {
        self.session.hang_up();
        self.session.inflight.stop_all();
        if let Some(standing) = self.streams().standing.take() {
            standing.end(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Policy, Sessions};

    #[test]
    fn a_session_does_not_expire_while_its_standing_stream_is_read() {
        let sessions = Sessions::new(&Policy { session_time: Duration::ZERO, ..Policy::default() });
        let (id, session) = sessions.open("me").expect("a session");
        let standing = session.stand(sessions.budget());
        let cursor = standing.read();
        assert!(sessions.find(&id, "me").is_some());
        standing.detach(&cursor);
        assert!(sessions.find(&id, "me").is_none());
    }
}
