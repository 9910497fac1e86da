//! A server: state, tools, resources and prompts put together into a [`Service`].

mod erased;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use crate::args;
use crate::changes::Changes;
use crate::code;
use crate::content::Completion;
use crate::cx::Cx;
use crate::fail::{Fail, Failures};
use crate::prompt::Prompt;
use crate::resource::{Address, Resource};
use crate::service::{Completable, Completing, Handled, Outcome, Request, Service, Wanted};
use crate::surface::{Features, Identity, Parts, Surface};
use crate::tool::Tool;

use erased::{AnyPrompt, AnyResource, AnyTool, PromptOf, ResourceOf, ToolOf};

/// How many threads the blocking handlers of one server may hold at a time.
const BLOCKING_THREADS: usize = 16;

/// One server with its state.
pub struct Server<S> {
    identity: Identity,
    instructions: Option<String>,
    failures: Failures,
    features: Features,
    state: Arc<S>,
    tools: Vec<Arc<dyn AnyTool<S>>>,
    index: HashMap<&'static str, usize>,
    methods: Vec<(&'static str, usize)>,
    resources: Vec<Arc<dyn AnyResource<S>>>,
    prompts: Vec<Arc<dyn AnyPrompt<S>>>,
    changes: Changes,
    pool: Arc<Semaphore>,
    /// Made at the first request: starting a server does no work.
    surface: OnceLock<Arc<Surface>>,
}

impl<S: Send + Sync + 'static> Server<S> {
    /// A server of this name and version, with nothing to offer yet.
    pub fn new(name: impl Into<String>, version: impl Into<String>, state: S) -> Server<S> {
        Server {
            identity: Identity { name: name.into(), title: None, version: version.into(), description: None },
            instructions: None,
            failures: Failures::default(),
            features: Features::default(),
            state: Arc::new(state),
            tools: Vec::new(),
            index: HashMap::new(),
            methods: Vec::new(),
            resources: Vec::new(),
            prompts: Vec::new(),
            changes: Changes::default(),
            pool: Arc::new(Semaphore::new(BLOCKING_THREADS)),
            surface: OnceLock::new(),
        }
    }

    /// Its name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.identity.title = Some(title.into());
        self
    }

    /// What it is for, in a sentence.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.identity.description = Some(description.into());
        self
    }

    /// How to use it, for the model: the first and sometimes only thing it reads.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// How its failures travel.
    pub fn failures(mut self, failures: Failures) -> Self {
        self.failures = failures;
        self
    }

    /// What it does beyond answering.
    pub fn features(mut self, features: Features) -> Self {
        self.features = features;
        self
    }

    /// Where its state tells changes.
    pub fn telling(mut self, changes: Changes) -> Self {
        self.changes = changes;
        self
    }

    /// Offers a tool.
    pub fn tool<T: Tool<S>>(mut self, tool: T) -> Self {
        self.index.insert(T::ABOUT.name, self.tools.len());
        self.tools.push(Arc::new(ToolOf::new(tool)));
        self
    }

    /// Lets `T`, already offered as a tool, be called as a JSON-RPC method of its own as well: `params`
    /// are its arguments, and its structured content is the result.
    pub fn bare_method<T: Tool<S>>(mut self, method: &'static str) -> Self {
        if let Some(at) = self.index.get(T::ABOUT.name) {
            self.methods.push((method, *at));
        }
        self
    }

    /// Offers a resource or a pattern of resources.
    pub fn resource<R: Resource<S>>(mut self, resource: R) -> Self {
        self.resources.push(Arc::new(ResourceOf(Arc::new(resource))));
        self
    }

    /// Offers a prompt.
    pub fn prompt<P: Prompt<S>>(mut self, prompt: P) -> Self {
        self.prompts.push(Arc::new(PromptOf(Arc::new(prompt))));
        self
    }

    /// Its state.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    fn call(&self, at: Option<usize>, name: &str, arguments: Option<&RawValue>, cx: Cx) -> Handled {
        match at.and_then(|at| self.tools.get(at)) {
            Some(tool) => tool.start(&self.state, cx, arguments, self.failures, &self.pool),
            None => Handled::Now(self.failures.resolve(Fail::unknown_tool(name))),
        }
    }

    fn read(&self, uri: &str, cx: Cx) -> Handled {
        let found = self.resources.iter().find_map(|resource| {
            Address::matching(resource.about().uri, uri).map(|address| (resource, address))
        });
        match found {
            Some((resource, address)) => resource.start(&self.state, cx, address, &self.pool),
            None => fail(Fail::resource_not_found(uri)),
        }
    }

    fn get(&self, name: &str, arguments: Option<&RawValue>, cx: Cx) -> Handled {
        match self.prompts.iter().find(|prompt| prompt.about().name == name) {
            Some(prompt) => prompt.start(&self.state, cx, arguments, &self.pool),
            None => fail(Fail::rpc(code::INVALID_PARAMS, format!("Unknown prompt: {name}"))),
        }
    }

    fn complete(&self, typed: Completing<'_>) -> Result<Completion, Fail> {
        match typed.of {
            Completable::Prompt(name) => self
                .prompts
                .iter()
                .find(|prompt| prompt.about().name == name)
                .map(|prompt| prompt.complete(&self.state, typed))
                .ok_or_else(|| Fail::rpc(code::INVALID_PARAMS, format!("Unknown prompt: {name}"))),
            Completable::Template(uri) => self
                .resources
                .iter()
                .find(|resource| resource.about().uri == uri)
                .map(|resource| resource.complete(&self.state, typed))
                .ok_or_else(|| Fail::rpc(code::INVALID_PARAMS, format!("Unknown resource template: {uri}"))),
        }
    }
}

fn fail(fail: Fail) -> Handled {
    Handled::Now(Outcome::Fail(fail))
}

impl<S: Send + Sync + 'static> Service for Server<S> {
    fn surface(&self) -> Arc<Surface> {
        let surface = self.surface.get_or_init(|| {
            Arc::new(Surface::new(Parts {
                identity: self.identity.clone(),
                instructions: self.instructions.clone(),
                features: self.features,
                tools: self.tools.iter().map(|tool| tool.entry()).collect(),
                resources: self.resources.iter().map(|resource| *resource.about()).collect(),
                prompts: self.prompts.iter().map(|prompt| *prompt.about()).collect(),
                methods: self.methods.iter().map(|(method, _)| (*method).to_owned()).collect(),
            }))
        });
        Arc::clone(surface)
    }

    fn handle(&self, request: Request<'_>, cx: Cx) -> Handled {
        match request.ask {
            Wanted::Tool { name, arguments } => self.call(self.index.get(name).copied(), name, arguments, cx),
            Wanted::Method { name } => {
                let at = self.methods.iter().find(|(method, _)| *method == name).map(|(_, at)| *at);
                let arguments = request.params().map(args::without_meta);
                bare(self.call(at, name, arguments.as_deref(), cx))
            }
            Wanted::Resource { uri } => self.read(uri, cx),
            Wanted::Prompt { name, arguments } => self.get(name, arguments, cx),
            Wanted::Completion(typed) => Handled::Now(match self.complete(typed) {
                Ok(completion) => Outcome::Completion(completion),
                Err(failure) => Outcome::Fail(failure),
            }),
        }
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }
}

/// A bare method's result is the structured content itself.
fn bare(handled: Handled) -> Handled {
    fn unwrapped(outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Reply(reply) if !reply.is_error => match reply.structured {
                Some(structured) => Outcome::Raw(structured.into()),
                None => Outcome::Reply(reply),
            },
            other => other,
        }
    }
    match handled {
        Handled::Now(outcome) => Handled::Now(unwrapped(outcome)),
        Handled::Later(future) => Handled::Later(Box::pin(async move { unwrapped(future.await) })),
    }
}
