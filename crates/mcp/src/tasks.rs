//! The tasks extension: calls that go on without their caller, who comes back for the result.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use calendar::Utc;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::ask::{Answers, Asks, Question};
use crate::cancel::Cancel;
use crate::code;
use crate::cx::Cx;
use crate::engine::{Engine, OwnedRequest};
use crate::fail::Fail;
use crate::json::Object;
use crate::render::{self, Style};
use crate::run::{self, Guarded};
use crate::seal::random;
use crate::service::{Handled, Outcome, Service};
use crate::surface::Surface;
use crate::version::Version;

/// How long a task is kept after it was made.
const LIFETIME: Duration = Duration::from_secs(3_600);

/// How often a client should ask.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How many tasks are kept at a time.
const MAX_TASKS: usize = 1_000;

#[derive(Default)]
pub(crate) struct TaskStore {
    tasks: Mutex<HashMap<String, Arc<Task>>>,
}

pub(crate) struct Task {
    id: String,
    principal: String,
    created: SystemTime,
    state: Mutex<State>,
    cancel: Cancel,
    answered: Notify,
}

struct State {
    stage: Stage,
    updated: SystemTime,
    /// By the handler's keys.
    answers: Answers,
    /// The wire's key of every question ever asked: none is used twice in a task's life.
    used_keys: BTreeMap<String, String>,
    running: Option<AbortHandle>,
}

enum Stage {
    Working,
    /// Questions by the keys the client sees.
    InputRequired(Vec<(String, Question)>),
    Completed(Vec<u8>),
    Failed(Vec<u8>),
    Cancelled,
}

impl Stage {
    fn is_final(&self) -> bool {
        matches!(self, Stage::Completed(_) | Stage::Failed(_) | Stage::Cancelled)
    }
}

impl TaskStore {
    /// Makes a task and starts it.
    pub(crate) fn create(
        &self,
        engine: &Engine,
        request: OwnedRequest,
        cx: Cx,
        surface: &Arc<Surface>,
    ) -> Result<Arc<Task>, Fail> {
        let now = SystemTime::now();
        let mut id = String::with_capacity(32);
        for byte in random::<16>()? {
            let _ = write!(id, "{byte:02x}");
        }
        let task = Arc::new(Task {
            id: id.clone(),
            principal: cx.caller.principal.clone(),
            created: now,
            state: Mutex::new(State {
                stage: Stage::Working,
                updated: now,
                answers: cx.answers.as_deref().cloned().unwrap_or_default(),
                used_keys: BTreeMap::new(),
                running: None,
            }),
            cancel: cx.cancel.clone(),
            answered: Notify::new(),
        });
        {
            let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            make_room(&mut tasks, now)?;
            tasks.insert(id, Arc::clone(&task));
        }
        let run = Arc::clone(&task).run(Arc::clone(&engine.service), request, cx, Arc::clone(surface));
        let handle = engine
            .workers
            .spawn(run)
            .map_err(|error| Fail::rpc(code::INTERNAL_ERROR, format!("Cannot start a task: {error}")))?;
        task.state().running = Some(handle.abort_handle());
        Ok(task)
    }

    fn find(&self, id: &str, principal: &str) -> Result<Arc<Task>, Fail> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tasks.get(id).filter(|task| task.principal == principal);
        found.cloned().ok_or_else(|| Fail::rpc(code::INVALID_PARAMS, format!("Unknown task: {id}")))
    }

    pub(crate) fn get(
        &self,
        style: &Style<'_>,
        out: &mut Vec<u8>,
        id: &str,
        principal: &str,
    ) -> Result<(), Fail> {
        self.find(id, principal)?.write_detailed(style, out);
        Ok(())
    }

    pub(crate) fn cancel(&self, id: &str, principal: &str) -> Result<(), Fail> {
        let task = self.find(id, principal)?;
        let mut state = task.state();
        if !state.stage.is_final() {
            state.enter(Stage::Cancelled);
            task.cancel.set();
            if let Some(running) = state.running.take() {
                running.abort();
            }
        }
        Ok(())
    }

    /// Takes answers; keys nobody asked for are ignored.
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
        for (key, answer) in given {
            if let Some(at) = open.iter().position(|(asked, _)| *asked == key) {
                open.remove(at);
                let own_key = state.used_keys.get(&key).cloned().unwrap_or(key);
                state.answers.given.insert(own_key, answer);
            }
        }
        if open.is_empty() {
            state.enter(Stage::Working);
            task.answered.notify_one();
        }
        Ok(())
    }
}

fn make_room(tasks: &mut HashMap<String, Arc<Task>>, now: SystemTime) -> Result<(), Fail> {
    tasks.retain(|_, task| task.created + LIFETIME > now || !task.state().stage.is_final());
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
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(
        self: Arc<Self>,
        service: Arc<dyn Service>,
        request: OwnedRequest,
        cx: Cx,
        surface: Arc<Surface>,
    ) {
        loop {
            let Some(borrowed) = request.borrowed() else { return };
            let cx = Cx { answers: Some(Arc::new(self.state().answers.clone())), ..cx.clone() };
            let outcome = match run::guarded(|| service.handle(borrowed, cx)) {
                Handled::Now(outcome) => outcome,
                Handled::Later(future) => Guarded(future).await,
            };
            match outcome {
                Outcome::Ask(asks) => {
                    self.park(asks);
                    self.answered.notified().await;
                }
                outcome => return self.end(&outcome, &surface),
            }
        }
    }

    fn park(&self, asks: Asks) {
        let mut state = self.state();
        state.answers.note_questions(&asks);
        state.answers.state = asks.state;
        let mut open = Vec::new();
        for (own_key, question) in asks.questions {
            let mut key = own_key.clone();
            while state.used_keys.contains_key(&key) {
                key = format!("{own_key}-{}", state.used_keys.len() + 1);
            }
            state.answers.given.remove(&own_key);
            state.used_keys.insert(key.clone(), own_key);
            open.push((key, question));
        }
        if open.is_empty() {
            self.answered.notify_one();
        } else if !state.stage.is_final() {
            state.enter(Stage::InputRequired(open));
        }
    }

    fn end(&self, outcome: &Outcome, surface: &Surface) {
        let style = Style::new(Version::MODERN, surface);
        let mut bytes = Vec::new();
        let last = match outcome {
            Outcome::Fail(fail) => {
                render::error_object(&mut bytes, fail, true);
                Stage::Failed(bytes)
            }
            Outcome::Raw(result) => Stage::Completed(result.to_vec()),
            outcome => {
                style.result(&mut bytes, outcome);
                Stage::Completed(bytes)
            }
        };
        let mut state = self.state();
        if !state.stage.is_final() {
            state.enter(last);
        }
        state.running = None;
    }

    /// The task as the answer to the call that made it.
    pub(crate) fn write_created(&self, style: &Style<'_>, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.raw("resultType", b"\"task\"");
        // A client may poll a task that has ended already; here it only learns of it.
        self.write_common(&mut object, "working", self.created);
        style.meta(&mut object, None);
        object.close();
    }

    fn write_detailed(&self, style: &Style<'_>, out: &mut Vec<u8>) {
        let state = self.state();
        let mut object = Object::open(out);
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
        style.meta(&mut object, None);
        object.close();
    }

    fn write_common(&self, object: &mut Object<'_>, status: &str, updated: SystemTime) {
        object
            .string("taskId", &self.id)
            .string("status", status)
            .string("createdAt", &Utc::from(self.created).to_string())
            .string("lastUpdatedAt", &Utc::from(updated).to_string())
            .value("ttlMs", &LIFETIME.as_millis())
            .value("pollIntervalMs", &POLL_INTERVAL.as_millis());
    }
}
