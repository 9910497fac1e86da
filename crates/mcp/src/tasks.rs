//! The tasks extension: calls that go on without their caller, who comes back for the result.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use calendar::Utc;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::cancel::Cancel;
use crate::code;
use crate::cx::Cx;
use crate::echo::shown;
use crate::engine::Engine;
use crate::fail::Fail;
use crate::input::{InputRequest, InputRequests, InputResponses};
use crate::json::ObjectWriter;
use crate::lock::unpoisoned;
use crate::render::{self, Renderer};
use crate::request::Request;
use crate::run::{self, Guarded};
use crate::seal::random_id;
use crate::service::{Handled, Outcome, Service};
use crate::surface::Surface;
use crate::version::Version;

/// How long a task is kept after it was made, finished or not.
pub(crate) const LIFETIME: Duration = Duration::from_secs(3_600);

/// How often a client should poll.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How many tasks are kept at a time.
const MAX_TASKS: usize = 1_000;

/// How many bytes of requests and results are kept at a time.
const MAX_KEPT: usize = 128 * 1024 * 1024;

pub(crate) struct TaskStore {
    tasks: Mutex<HashMap<String, Arc<Task>>>,
    lifetime: Duration,
    kept: Arc<AtomicUsize>,
}

/// A share of the bytes that may be kept, until dropped.
struct Share {
    kept: Arc<AtomicUsize>,
    bytes: usize,
}

impl Share {
    /// `None` where there is no room for so much.
    fn of(kept: &Arc<AtomicUsize>, bytes: usize) -> Option<Share> {
        if kept.fetch_add(bytes, Ordering::Relaxed) + bytes > MAX_KEPT {
            kept.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        Some(Share { kept: Arc::clone(kept), bytes })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.kept.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Default for TaskStore {
    fn default() -> TaskStore {
        TaskStore::new(LIFETIME)
    }
}

pub(crate) struct Task {
    id: String,
    principal: String,
    created: SystemTime,
    lifetime: Duration,
    state: Mutex<State>,
    kept: Arc<AtomicUsize>,
    cancel: Cancel,
    resumed: Notify,
}

struct State {
    stage: Stage,
    updated: SystemTime,
    /// By the handler's keys.
    responses: InputResponses,
    /// The wire's key of every request for input there ever was: none is used twice in a task's life.
    used_keys: BTreeMap<String, String>,
    running: Option<AbortHandle>,
    /// What its request takes, and then its result.
    share: Option<Share>,
}

enum Stage {
    Working,
    /// Requests by the keys the client sees.
    InputRequired(Vec<(String, InputRequest)>),
    Completed(Vec<u8>),
    Failed(Vec<u8>),
    Cancelled,
}

impl Stage {
    /// How many bytes it keeps.
    fn len(&self) -> usize {
        match self {
            Stage::Completed(bytes) | Stage::Failed(bytes) => bytes.len(),
            Stage::Working | Stage::InputRequired(_) | Stage::Cancelled => 0,
        }
    }

    fn is_final(&self) -> bool {
        matches!(self, Stage::Completed(_) | Stage::Failed(_) | Stage::Cancelled)
    }
}

impl TaskStore {
    pub(crate) fn new(lifetime: Duration) -> TaskStore {
        TaskStore { tasks: Mutex::default(), lifetime, kept: Arc::default() }
    }

    /// Makes a task of the request in `message` and starts it.
    pub(crate) fn create(
        &self,
        engine: &Engine,
        message: Box<str>,
        cx: Cx,
        surface: &Arc<Surface>,
    ) -> Result<Arc<Task>, Fail> {
        let now = SystemTime::now();
        let id = random_id()?;
        let task = Arc::new(Task {
            id: id.clone(),
            principal: cx.caller.principal.clone(),
            created: now,
            lifetime: self.lifetime,
            state: Mutex::new(State {
                stage: Stage::Working,
                updated: now,
                responses: cx.responses.as_deref().cloned().unwrap_or_default(),
                used_keys: BTreeMap::new(),
                running: None,
                share: None,
            }),
            kept: Arc::clone(&self.kept),
            cancel: cx.cancel.clone(),
            resumed: Notify::new(),
        });
        {
            let mut tasks = unpoisoned(self.tasks.lock());
            make_room(&mut tasks, now)?;
            let share = Share::of(&self.kept, message.len()).ok_or_else(|| {
                Fail::rpc(code::BUSY, "Tasks hold all the memory they may; wait until some of them expire")
            })?;
            task.state().share = Some(share);
            tasks.insert(id, Arc::clone(&task));
        }
        let run = Arc::clone(&task).run(Arc::clone(&engine.service), message, cx, Arc::clone(surface));
        let (expiring, lifetime) = (Arc::clone(&task), self.lifetime);
        let bounded = async move {
            if tokio::time::timeout(lifetime, run).await.is_err() {
                expiring.stop();
            }
        };
        let handle = engine
            .workers
            .spawn(bounded)
            .map_err(|error| Fail::rpc(code::INTERNAL_ERROR, format!("Cannot start a task: {error}")))?;
        task.state().running = Some(handle.abort_handle());
        Ok(task)
    }

    fn find(&self, id: &str, principal: &str) -> Result<Arc<Task>, Fail> {
        let tasks = unpoisoned(self.tasks.lock());
        let is_there = |task: &&Arc<Task>| task.principal == principal && !task.is_expired(SystemTime::now());
        let found = tasks.get(id).filter(is_there);
        found.cloned().ok_or_else(|| Fail::rpc(code::INVALID_PARAMS, format!("Unknown task: {}", shown(id))))
    }

    pub(crate) fn get(
        &self,
        renderer: &Renderer<'_>,
        out: &mut Vec<u8>,
        id: &str,
        principal: &str,
    ) -> Result<(), Fail> {
        self.find(id, principal)?.write_detailed(renderer, out);
        Ok(())
    }

    pub(crate) fn cancel(&self, id: &str, principal: &str) -> Result<(), Fail> {
        self.find(id, principal)?.stop();
        Ok(())
    }

    /// Takes input; keys that were not requested are ignored.
    pub(crate) fn update(
        &self,
        id: &str,
        principal: &str,
        given: BTreeMap<String, Box<RawValue>>,
    ) -> Result<(), Fail> {
        let task = self.find(id, principal)?;
        let mut state = task.state();
        let state = &mut *state;
        let Stage::InputRequired(open) = &mut state.stage else { return Ok(()) };
        for (key, response) in given {
            if let Some(at) = open.iter().position(|(requested, _)| *requested == key) {
                open.remove(at);
                let own_key = state.used_keys.get(&key).cloned().unwrap_or(key);
                state.responses.given.insert(own_key, response);
            }
        }
        if open.is_empty() {
            state.enter(Stage::Working);
            task.resumed.notify_one();
        }
        Ok(())
    }
}

fn make_room(tasks: &mut HashMap<String, Arc<Task>>, now: SystemTime) -> Result<(), Fail> {
    tasks.retain(|_, task| !task.is_expired(now));
    if tasks.len() >= MAX_TASKS {
        // Nobody waits for anything of these.
        tasks.retain(|_, task| !matches!(task.state().stage, Stage::Cancelled));
    }
    if tasks.len() < MAX_TASKS {
        return Ok(());
    }
    Err(Fail::rpc(
        code::BUSY,
        format!("{MAX_TASKS} tasks are kept already; cancel some or wait until they expire"),
    ))
}

impl State {
    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.updated = SystemTime::now();
    }
}

impl Task {
    fn is_expired(&self, now: SystemTime) -> bool {
        self.created + self.lifetime <= now
    }

    /// Cancels what is not finished.
    fn stop(&self) {
        let mut state = self.state();
        if !state.stage.is_final() {
            state.enter(Stage::Cancelled);
            state.share = None;
            self.cancel.set();
            if let Some(running) = state.running.take() {
                running.abort();
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    async fn run(
        self: Arc<Self>,
        service: Arc<dyn Service>,
        message: Box<str>,
        cx: Cx,
        surface: Arc<Surface>,
    ) {
        loop {
            let cx = Cx { responses: Some(Arc::new(self.state().responses.clone())), ..cx.clone() };
            let handled = {
                let Some(request) = Request::again(&message) else { return };
                run::guarded(|| service.handle(&request, cx))
            };
            let outcome = match handled {
                Handled::Now(outcome) => outcome,
                Handled::Later(future) => Guarded(future).await,
            };
            match outcome {
                Outcome::InputRequired(requests) => {
                    self.park(requests);
                    self.resumed.notified().await;
                }
                outcome => return self.end(&outcome, &surface),
            }
        }
    }

    fn park(&self, requests: InputRequests) {
        let mut state = self.state();
        state.responses.note(&requests);
        state.responses.state = requests.state;
        let mut open = Vec::new();
        for (own_key, request) in requests.requests {
            let mut key = own_key.clone();
            while state.used_keys.contains_key(&key) {
                key = format!("{own_key}-{}", state.used_keys.len() + 1);
            }
            state.responses.given.remove(&own_key);
            state.used_keys.insert(key.clone(), own_key);
            open.push((key, request));
        }
        if open.is_empty() {
            self.resumed.notify_one();
        } else if !state.stage.is_final() {
            state.enter(Stage::InputRequired(open));
        }
    }

    fn end(&self, outcome: &Outcome, surface: &Surface) {
        let renderer = Renderer::new(Version::MODERN, surface);
        let mut bytes = Vec::new();
        let last = match outcome {
            Outcome::Fail(fail) => {
                render::error_object(&mut bytes, fail, true);
                Stage::Failed(bytes)
            }
            Outcome::Raw(result) => Stage::Completed(result.to_vec()),
            outcome => {
                renderer.result(&mut bytes, outcome);
                Stage::Completed(bytes)
            }
        };
        let mut state = self.state();
        // The request is not needed any more.
        drop(state.share.take());
        if state.stage.is_final() {
            // Cancelled meanwhile: nothing of it is kept.
            return;
        }
        let last = match (Share::of(&self.kept, last.len()), last) {
            (None, _) => {
                let text = "This was done, but its result is too long to be kept beside those of other tasks";
                let mut bytes = Vec::new();
                render::error_object(&mut bytes, &Fail::rpc(code::BUSY, text), true);
                Stage::Failed(bytes)
            }
            (share, last) => {
                state.share = share;
                last
            }
        };
        state.enter(last);
        state.running = None;
    }

    /// The task as the answer to the call that made it.
    pub(crate) fn write_created(&self, renderer: &Renderer<'_>, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::open(out);
        object.raw("resultType", b"\"task\"");
        // A client may poll a task that has ended already; here it only learns of it.
        self.write_common(&mut object, "working", self.created);
        renderer.meta(&mut object, None);
        object.close();
    }

    fn write_detailed(&self, renderer: &Renderer<'_>, out: &mut Vec<u8>) {
        let state = self.state();
        let mut object = ObjectWriter::open(out);
        object.raw("resultType", b"\"complete\"");
        let status = match state.stage {
            Stage::Working => "working",
            Stage::InputRequired(_) => "input_required",
            Stage::Completed(_) => "completed",
            Stage::Failed(_) => "failed",
            Stage::Cancelled => "cancelled",
        };
        self.write_common(&mut object, status, state.updated);
        match &state.stage {
            Stage::InputRequired(open) => render::input_requests(object.member("inputRequests"), open),
            Stage::Completed(result) => drop(object.raw("result", result)),
            Stage::Failed(error) => drop(object.raw("error", error)),
            Stage::Working | Stage::Cancelled => {}
        }
        renderer.meta(&mut object, None);
        object.close();
    }

    fn write_common(&self, object: &mut ObjectWriter<'_>, status: &str, updated: SystemTime) {
        object
            .string("taskId", &self.id)
            .string("status", status)
            .string("createdAt", &Utc::from(self.created).to_string())
            .string("lastUpdatedAt", &Utc::from(updated).to_string())
            .value("ttlMs", &self.lifetime.as_millis())
            .value("pollIntervalMs", &POLL_INTERVAL.as_millis());
    }
}
