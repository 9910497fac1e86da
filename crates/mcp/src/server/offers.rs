//! Tools, resources and prompts that are known only while a server runs, and come and go.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::value::RawValue;

use crate::args::{self, Limits};
use crate::changes::{Change, Changes};
use crate::content::{Item, Messages, Reply};
use crate::cx::Cx;
use crate::echo::Sent;
use crate::fail::{Failures, Stop};
use crate::lock::unpoisoned;
use crate::resource::Address;
use crate::service::{BoxFuture, Handled, Outcome};
use crate::surface::{Parts, PromptEntry, ResourceEntry, ToolEntry};
use crate::tool::Reading;

/// How many of a kind there may be.
const MOST: usize = 10_000;

type Call = dyn Fn(Cx, Box<RawValue>) -> BoxFuture<Result<Reply, Stop>> + Send + Sync;
type Read = dyn Fn(Cx, Address) -> BoxFuture<Result<Vec<Item>, Stop>> + Send + Sync;
type Get = dyn Fn(Cx, BTreeMap<String, String>) -> BoxFuture<Result<Messages, Stop>> + Send + Sync;

/// Why something cannot be offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Two things of one name: nobody could say which is meant.
    #[error("there is a {kind} `{name}` already; take another name, or remove that one first")]
    Duplicate {
        /// `tool`, `prompt` or `resource`.
        kind: &'static str,
        /// The name, or the URI.
        name: String,
    },
    /// More than clients can be expected to list.
    #[error("{MOST} of this kind are offered already; remove some first")]
    TooMany,
}

/// What a server offers besides what was built into it. Clones share their offers; every change is told to clients.
#[derive(Clone, Default)]
pub struct Offers {
    changes: Changes,
    all: Arc<Mutex<All>>,
}

#[derive(Default)]
struct All {
    /// Counts the changes, so that a list is put together once for each.
    generation: u64,
    tools: Kind<ToolEntry, Call>,
    resources: Kind<ResourceEntry, Read>,
    prompts: Kind<PromptEntry, Get>,
    /// Names that were built in.
    taken: Vec<(&'static str, String)>,
}

/// Everything of one kind, in the order it was offered.
struct Kind<E, H: ?Sized>(Vec<(E, Arc<H>)>);

impl<E, H: ?Sized> Default for Kind<E, H> {
    fn default() -> Self {
        Kind(Vec::new())
    }
}

impl Offers {
    /// Changes are told where the server tells its own.
    pub fn new(changes: Changes) -> Offers {
        Offers { changes, all: Arc::default() }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        unpoisoned(self.all.lock())
    }

    /// Where its changes are told.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Names that cannot be offered: they were built in.
    pub(super) fn reserve(&self, kind: &'static str, name: &str) {
        self.all().taken.push((kind, name.to_owned()));
    }

    /// Offers a tool. `call` gets the arguments, an object that keeps to the schema.
    pub fn tool<F>(
        &self,
        entry: ToolEntry,
        call: impl Fn(Cx, Box<RawValue>) -> F + Send + Sync + 'static,
    ) -> Result<(), Refused>
    where
        F: Future<Output = Result<Reply, Stop>> + Send + 'static,
    {
        let handler: Arc<Call> = Arc::new(move |cx, arguments| Box::pin(call(cx, arguments)));
        let mut all = self.all();
        all.check("tool", &entry.name, all.tools.0.iter().map(|(tool, _)| tool.name.as_str()))?;
        all.tools.0.push((entry, handler));
        self.changed(all, &Change::Tools);
        Ok(())
    }

    /// Offers a resource, or a template. `read` gets the address that was requested.
    pub fn resource<F>(
        &self,
        entry: ResourceEntry,
        read: impl Fn(Cx, Address) -> F + Send + Sync + 'static,
    ) -> Result<(), Refused>
    where
        F: Future<Output = Result<Vec<Item>, Stop>> + Send + 'static,
    {
        let handler: Arc<Read> = Arc::new(move |cx, address| Box::pin(read(cx, address)));
        let mut all = self.all();
        all.check("resource", &entry.uri, all.resources.0.iter().map(|(resource, _)| resource.uri.as_ref()))?;
        all.resources.0.push((entry, handler));
        self.changed(all, &Change::Resources);
        Ok(())
    }

    /// Offers a prompt. `get` gets its arguments.
    pub fn prompt<F>(
        &self,
        entry: PromptEntry,
        get: impl Fn(Cx, BTreeMap<String, String>) -> F + Send + Sync + 'static,
    ) -> Result<(), Refused>
    where
        F: Future<Output = Result<Messages, Stop>> + Send + 'static,
    {
        let handler: Arc<Get> = Arc::new(move |cx, arguments| Box::pin(get(cx, arguments)));
        let mut all = self.all();
        all.check("prompt", &entry.name, all.prompts.0.iter().map(|(prompt, _)| prompt.name.as_ref()))?;
        all.prompts.0.push((entry, handler));
        self.changed(all, &Change::Prompts);
        Ok(())
    }

    /// Takes a tool back; `false` where there is none of this name.
    pub fn remove_tool(&self, name: &str) -> bool {
        let mut all = self.all();
        let before = all.tools.0.len();
        all.tools.0.retain(|(tool, _)| tool.name != name);
        let removed = all.tools.0.len() < before;
        if removed {
            self.changed(all, &Change::Tools);
        }
        removed
    }

    /// Takes a resource back; `false` where there is none with this URI.
    pub fn remove_resource(&self, uri: &str) -> bool {
        let mut all = self.all();
        let before = all.resources.0.len();
        all.resources.0.retain(|(resource, _)| resource.uri != uri);
        let removed = all.resources.0.len() < before;
        if removed {
            self.changed(all, &Change::Resources);
        }
        removed
    }

    /// Takes a prompt back; `false` where there is none of this name.
    pub fn remove_prompt(&self, name: &str) -> bool {
        let mut all = self.all();
        let before = all.prompts.0.len();
        all.prompts.0.retain(|(prompt, _)| prompt.name != name);
        let removed = all.prompts.0.len() < before;
        if removed {
            self.changed(all, &Change::Prompts);
        }
        removed
    }

    fn changed(&self, mut all: MutexGuard<'_, All>, change: &Change) {
        all.generation += 1;
        drop(all);
        self.changes.tell(change);
    }

    /// Counts the changes there were.
    pub(super) fn generation(&self) -> u64 {
        self.all().generation
    }

    /// Adds what is offered now.
    pub(super) fn add_to(&self, parts: &mut Parts) {
        let all = self.all();
        parts.tools.extend(all.tools.0.iter().map(|(entry, _)| entry.clone()));
        parts.resources.extend(all.resources.0.iter().map(|(entry, _)| entry.clone()));
        parts.prompts.extend(all.prompts.0.iter().map(|(entry, _)| entry.clone()));
    }

    pub(super) fn call(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        cx: &Cx,
        failures: Failures,
    ) -> Option<Handled> {
        let (schema, call) = self
            .all()
            .tools
            .0
            .iter()
            .find(|(tool, _)| tool.name == name)
            .map(|(tool, call)| (tool.input_schema.clone(), Arc::clone(call)))?;
        let sent = Sent::in_arguments(arguments);
        let arguments = match args::held_to(&schema, arguments) {
            Ok(arguments) => arguments,
            Err(fail) => return Some(Handled::Now(failures.resolve(fail))),
        };
        let future = call(cx.clone(), arguments);
        Some(Handled::Later(Box::pin(async move {
            match future.await {
                Ok(reply) => Outcome::Reply(reply),
                Err(Stop::Fail(fail)) => failures.resolve(fail.repeating_little(&sent)),
                Err(Stop::InputRequired(requests)) => Outcome::InputRequired(requests),
            }
        })))
    }

    pub(super) fn read(&self, uri: &str, cx: &Cx) -> Option<Handled> {
        let (read, address) = self.all().resources.0.iter().find_map(|(resource, read)| {
            Address::matching(&resource.uri, uri).map(|address| (Arc::clone(read), address))
        })?;
        let sent = Sent::in_address(&address);
        let future = read(cx.clone(), address);
        Some(Handled::Later(Box::pin(async move {
            let read = future.await.map_err(|stop| stop.repeating_little(&sent));
            read.map_or_else(Outcome::from, Outcome::Contents)
        })))
    }

    pub(super) fn get(&self, name: &str, arguments: Option<&RawValue>, cx: &Cx) -> Option<Handled> {
        let (schema, get) = self
            .all()
            .prompts
            .0
            .iter()
            .find(|(prompt, _)| prompt.name == name)
            .map(|(prompt, get)| (prompt.schema(), Arc::clone(get)))?;
        let sent = Sent::in_arguments(arguments);
        let read = args::read(arguments, Reading::Lenient, &Limits::default(), || &schema);
        let arguments = match read {
            Ok(arguments) => arguments,
            Err(fail) => return Some(Handled::Now(Outcome::Fail(fail.code(crate::code::INVALID_PARAMS)))),
        };
        let future = get(cx.clone(), arguments);
        Some(Handled::Later(Box::pin(async move {
            let got = future.await.map_err(|stop| stop.repeating_little(&sent));
            got.map_or_else(Outcome::from, Outcome::Messages)
        })))
    }
}

impl All {
    fn check<'a>(
        &self,
        kind: &'static str,
        name: &str,
        mut others: impl ExactSizeIterator<Item = &'a str>,
    ) -> Result<(), Refused> {
        if others.len() >= MOST {
            return Err(Refused::TooMany);
        }
        let is_taken = self.taken.iter().any(|(of, taken)| *of == kind && taken == name);
        if is_taken || others.any(|other| other == name) {
            return Err(Refused::Duplicate { kind, name: name.to_owned() });
        }
        Ok(())
    }
}
