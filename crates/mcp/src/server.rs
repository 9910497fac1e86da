//! A server: state, tools, resources and prompts put together into a [`Service`].

mod erased;
mod offers;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use crate::args;
use crate::changes::Changes;
use crate::code;
use crate::content::Completion;
use crate::cx::Cx;
use crate::echo::shown;
use crate::fail::{Fail, Failures};
use crate::lock::unpoisoned;
use crate::prompt::Prompt;
use crate::request::{Reference, Request, Target};
use crate::resource::{Address, Resource};
use crate::service::{Completing, Handled, Outcome, Service};
use crate::surface::{Features, Identity, Kinds, Parts, Surface};
use crate::tool::Tool;

pub use offers::{Offers, Refused};

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
    /// What comes and goes.
    offers: Option<Offers>,
    /// The surface with what is offered besides, and the generation of that.
    with_offers: Mutex<Option<(u64, Arc<Surface>)>>,
    /// The first name that was offered twice.
    duplicate: Option<Refused>,
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
            offers: None,
            with_offers: Mutex::new(None),
            duplicate: None,
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

    /// Offers what comes and goes too, and declares that lists change. Say it last; changes are told where the offers tell
    /// them.
    pub fn offering(mut self, offers: Offers) -> Self {
        for tool in self.index.keys() {
            offers.reserve("tool", tool);
        }
        for resource in &self.resources {
            offers.reserve("resource", resource.about().uri);
        }
        for prompt in &self.prompts {
            offers.reserve("prompt", prompt.about().name);
        }
        self.changes = offers.changes().clone();
        self.offers = Some(offers);
        self
    }

    /// The first name that was offered twice, if there is one: a mistake, for tests to find. The first offer counts.
    pub fn duplicate(&self) -> Option<&Refused> {
        self.duplicate.as_ref()
    }

    fn refuse(&mut self, kind: &'static str, name: &str) {
        self.duplicate.get_or_insert_with(|| Refused::Duplicate { kind, name: name.to_owned() });
    }

    /// Offers a tool.
    pub fn tool<T: Tool<S>>(mut self, tool: T) -> Self {
        if self.index.contains_key(T::ABOUT.name) {
            self.refuse("tool", T::ABOUT.name);
            return self;
        }
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
        if self.resources.iter().any(|known| known.about().uri == R::ABOUT.uri) {
            self.refuse("resource", R::ABOUT.uri);
            return self;
        }
        self.resources.push(Arc::new(ResourceOf(Arc::new(resource))));
        self
    }

    /// Offers a prompt.
    pub fn prompt<P: Prompt<S>>(mut self, prompt: P) -> Self {
        if self.prompts.iter().any(|known| known.about().name == P::ABOUT.name) {
            self.refuse("prompt", P::ABOUT.name);
            return self;
        }
        self.prompts.push(Arc::new(PromptOf(Arc::new(prompt))));
        self
    }

    /// Its state.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    fn call(&self, at: Option<usize>, name: &str, arguments: Option<&RawValue>, cx: Cx) -> Handled {
        if let Some(tool) = at.and_then(|at| self.tools.get(at)) {
            return tool.start(&self.state, cx, arguments, self.failures, &self.pool);
        }
        let offered = self.offers.as_ref().and_then(|all| all.call(name, arguments, &cx, self.failures));
        offered.unwrap_or_else(|| Handled::Now(self.failures.resolve(Fail::unknown_tool(name))))
    }

    fn read(&self, uri: &str, cx: Cx) -> Handled {
        let found = self.resources.iter().find_map(|resource| {
            Address::matching(resource.about().uri, uri).map(|address| (resource, address))
        });
        if let Some((resource, address)) = found {
            return resource.start(&self.state, cx, address, &self.pool);
        }
        let offered = self.offers.as_ref().and_then(|all| all.read(uri, &cx));
        offered.unwrap_or_else(|| fail(Fail::resource_not_found(uri)))
    }

    fn get(&self, name: &str, arguments: Option<&RawValue>, cx: Cx) -> Handled {
        if let Some(prompt) = self.prompts.iter().find(|prompt| prompt.about().name == name) {
            return prompt.start(&self.state, cx, arguments, &self.pool);
        }
        let offered = self.offers.as_ref().and_then(|all| all.get(name, arguments, &cx));
        offered.unwrap_or_else(|| {
            fail(Fail::rpc(code::INVALID_PARAMS, format!("Unknown prompt: {}", shown(name))))
        })
    }

    fn complete(&self, reference: &Reference<'_>, typed: Completing<'_>) -> Result<Completion, Fail> {
        match reference {
            Reference::Prompt(name) => self
                .prompts
                .iter()
                .find(|prompt| prompt.about().name == name)
                .map(|prompt| prompt.complete(&self.state, typed))
                .ok_or_else(|| Fail::rpc(code::INVALID_PARAMS, format!("Unknown prompt: {}", shown(name)))),
            Reference::Template(uri) => self
                .resources
                .iter()
                .find(|resource| resource.about().uri == uri)
                .map(|resource| resource.complete(&self.state, typed))
                .ok_or_else(|| {
                    Fail::rpc(code::INVALID_PARAMS, format!("Unknown resource template: {}", shown(uri)))
                }),
        }
    }
}

impl<S: Send + Sync + 'static> Server<S> {
    /// What was built in.
    fn base(&self) -> &Arc<Surface> {
        self.surface.get_or_init(|| {
            Arc::new(Surface::new(Parts {
                identity: self.identity.clone(),
                instructions: self.instructions.clone(),
                features: Features {
                    list_changes: self.features.list_changes || self.offers.is_some(),
                    ..self.features
                },
                tools: self.tools.iter().map(|tool| tool.entry()).collect(),
                resources: self.resources.iter().map(|resource| (*resource.about()).into()).collect(),
                prompts: self.prompts.iter().map(|prompt| (*prompt.about()).into()).collect(),
                methods: self.methods.iter().map(|(method, _)| (*method).to_owned()).collect(),
                later: if self.offers.is_some() { Kinds::LISTS } else { Kinds::default() },
            }))
        })
    }
}

fn fail(fail: Fail) -> Handled {
    Handled::Now(Outcome::Fail(fail))
}

impl<S: Send + Sync + 'static> Service for Server<S> {
    fn surface(&self) -> Arc<Surface> {
        let Some(offers) = &self.offers else { return Arc::clone(self.base()) };
        // Before the offers are read: what changes meanwhile is read again.
        let generation = offers.generation();
        let mut known = unpoisoned(self.with_offers.lock());
        if let Some((of, surface)) = &*known
            && *of == generation
        {
            return Arc::clone(surface);
        }
        let surface = if generation == 0 {
            Arc::clone(self.base())
        } else {
            let mut parts = self.base().parts();
            offers.add_to(&mut parts);
            Arc::new(Surface::new(parts).at_run_time(self.base()))
        };
        *known = Some((generation, Arc::clone(&surface)));
        surface
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        match &request.target {
            Target::Tool { name, arguments } => {
                self.call(self.index.get(name.as_ref()).copied(), name, *arguments, cx)
            }
            Target::Method { name } => {
                let at = self.methods.iter().find(|(method, _)| *method == name.as_ref()).map(|(_, at)| *at);
                let arguments = request.params().map(args::without_meta);
                bare(self.call(at, name, arguments.as_deref(), cx))
            }
            Target::Resource { uri } => self.read(uri, cx),
            Target::Prompt { name, arguments } => self.get(name, *arguments, cx),
            Target::Completion { reference, argument, value, others } => {
                let typed = Completing { argument, value, others: *others };
                Handled::Now(match self.complete(reference, typed) {
                    Ok(completion) => Outcome::Completion(completion),
                    Err(failure) => Outcome::Fail(failure),
                })
            }
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
