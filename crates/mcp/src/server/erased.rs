//! Tools, resources and prompts without their types, so that a server can hold them in lists.

use std::sync::{Arc, OnceLock};

use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::Semaphore;

use crate::args::{self, Limits};
use crate::code;
use crate::content::{Completion, Output};
use crate::cx::Cx;
use crate::echo::Sent;
use crate::fail::{Failures, Stop};
use crate::prompt::{Prompt, PromptAbout};
use crate::resource::{Address, Resource, ResourceAbout};
use crate::run;
use crate::service::{Completing, Handled, Outcome};
use crate::surface::{PromptEntry, ToolEntry};
use crate::tool::{Reading, Tool};

pub(super) trait AnyTool<S>: Send + Sync {
    fn entry(&self) -> ToolEntry;
    fn start(
        &self,
        state: &Arc<S>,
        cx: Cx,
        arguments: Option<&RawValue>,
        failures: Failures,
        pool: &Arc<Semaphore>,
    ) -> Handled;
}

pub(super) struct ToolOf<T> {
    tool: Arc<T>,
    schema: OnceLock<Box<RawValue>>,
    limits: Limits,
}

impl<T> ToolOf<T> {
    pub(super) fn new(tool: T) -> ToolOf<T> {
        ToolOf { tool: Arc::new(tool), schema: OnceLock::new(), limits: Limits::default() }
    }

    fn schema<S>(&self) -> &RawValue
    where
        T: Tool<S>,
    {
        self.schema
            .get_or_init(|| to_raw_value(&T::input_schema()).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

impl<S: Send + Sync + 'static, T: Tool<S>> AnyTool<S> for ToolOf<T> {
    fn entry(&self) -> ToolEntry {
        let about = T::ABOUT;
        // A result schema that is not an object would be refused before 2026-07-28, and says little.
        let output = if about.describes_output { T::Out::schema() } else { None };
        let output = output.filter(|schema| schema.get("type").is_some_and(|kind| kind == "object"));
        ToolEntry {
            name: about.name.into(),
            title: about.title.into(),
            description: about.description.into(),
            input_schema: self.schema::<S>().to_owned(),
            output_schema: output.and_then(|schema| to_raw_value(&schema).ok()),
            hints: about.hints,
            tasks: about.tasks,
            core: about.core,
            meta: about.meta.and_then(|json| serde_json::from_str(json).ok()),
            headers: Vec::new(),
        }
        .find_headers()
    }

    fn start(
        &self,
        state: &Arc<S>,
        cx: Cx,
        arguments: Option<&RawValue>,
        failures: Failures,
        pool: &Arc<Semaphore>,
    ) -> Handled {
        let input: T::In = match args::read(arguments, T::READING, &self.limits, || self.schema::<S>()) {
            Ok(input) => input,
            Err(fail) => return Handled::Now(failures.resolve(fail)),
        };
        let (tool, state) = (Arc::clone(&self.tool), Arc::clone(state));
        let sent = Sent::in_arguments(arguments);
        run::start(T::RUN, pool, async move {
            let answer = tool.call(&state, &cx, input).await;
            match answer.and_then(|output| output.into_reply().map_err(Stop::Fail)) {
                Ok(reply) => Outcome::Reply(reply),
                Err(Stop::Fail(fail)) => failures.resolve(fail.repeating_little(&sent)),
                Err(Stop::InputRequired(requests)) => Outcome::InputRequired(requests),
            }
        })
    }
}

pub(super) trait AnyResource<S>: Send + Sync {
    fn about(&self) -> &'static ResourceAbout;
    fn start(&self, state: &Arc<S>, cx: Cx, at: Address, pool: &Arc<Semaphore>) -> Handled;
    fn complete(&self, state: &S, typed: Completing<'_>) -> Completion;
}

pub(super) struct ResourceOf<R>(pub(super) Arc<R>);

impl<S: Send + Sync + 'static, R: Resource<S>> AnyResource<S> for ResourceOf<R> {
    fn about(&self) -> &'static ResourceAbout {
        &R::ABOUT
    }

    fn start(&self, state: &Arc<S>, cx: Cx, at: Address, pool: &Arc<Semaphore>) -> Handled {
        let resource = Arc::clone(&self.0);
        let state = Arc::clone(state);
        let sent = Sent::in_address(&at);
        run::start(R::RUN, pool, async move {
            let read = resource.read(&state, &cx, at).await.map_err(|stop| stop.repeating_little(&sent));
            read.map_or_else(Outcome::from, Outcome::Contents)
        })
    }

    fn complete(&self, state: &S, typed: Completing<'_>) -> Completion {
        self.0.complete(state, typed)
    }
}

pub(super) trait AnyPrompt<S>: Send + Sync {
    fn about(&self) -> &'static PromptAbout;
    fn start(&self, state: &Arc<S>, cx: Cx, arguments: Option<&RawValue>, pool: &Arc<Semaphore>) -> Handled;
    fn complete(&self, state: &S, typed: Completing<'_>) -> Completion;
}

pub(super) struct PromptOf<P>(pub(super) Arc<P>);

impl<S: Send + Sync + 'static, P: Prompt<S>> AnyPrompt<S> for PromptOf<P> {
    fn about(&self) -> &'static PromptAbout {
        &P::ABOUT
    }

    fn start(&self, state: &Arc<S>, cx: Cx, arguments: Option<&RawValue>, pool: &Arc<Semaphore>) -> Handled {
        let schema = PromptEntry::from(P::ABOUT).schema();
        let input: P::In = match args::read(arguments, Reading::Lenient, &Limits::default(), || &schema) {
            Ok(input) => input,
            Err(fail) => return Handled::Now(Outcome::Fail(fail.code(code::INVALID_PARAMS))),
        };
        let prompt = Arc::clone(&self.0);
        let state = Arc::clone(state);
        let sent = Sent::in_arguments(arguments);
        run::start(P::RUN, pool, async move {
            let got = prompt.get(&state, &cx, input).await.map_err(|stop| stop.repeating_little(&sent));
            got.map_or_else(Outcome::from, Outcome::Messages)
        })
    }

    fn complete(&self, state: &S, typed: Completing<'_>) -> Completion {
        self.0.complete(state, typed)
    }
}
