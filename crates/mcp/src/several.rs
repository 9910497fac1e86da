//! Several services as one, and one service of which only some tools are offered.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use crate::changes::{Changes, Listening};
use crate::code;
use crate::cx::Cx;
use crate::echo::shown;
use crate::fail::Fail;
use crate::lock::unpoisoned;
use crate::request::{Reference, Request, Target};
use crate::service::{Handled, Outcome, Service};
use crate::surface::{Features, Identity, Kinds, Parts, PromptEntry, ResourceEntry, Surface, ToolEntry};

/// Two services that cannot be served together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// `tool`, `prompt` or `resource`.
    pub kind: &'static str,
    /// What both of them offer.
    pub name: String,
    /// The servers that offer it.
    pub servers: [String; 2],
}

impl std::fmt::Display for Clash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [first, second] = &self.servers;
        write!(
            f,
            "the {} `{}` is offered by both `{first}` and `{second}`; serve them separately",
            self.kind, self.name
        )
    }
}

impl std::error::Error for Clash {}

/// Several services behind one list of tools, resources and prompts.
pub struct Combined {
    parts: Vec<Arc<dyn Service>>,
    identity: Identity,
    instructions: Option<String>,
    changes: Changes,
    _listening: Vec<Listening>,
    merged: Mutex<Option<Merged>>,
}

/// A merged surface, and the surfaces it was made of.
struct Merged {
    of: Vec<Arc<Surface>>,
    surface: Arc<Surface>,
    /// Which part offers a tool.
    owners: Arc<HashMap<String, usize>>,
}

impl Combined {
    /// Refuses services that offer the same thing: nobody could say whose it is.
    pub fn new(
        identity: Identity,
        instructions: Option<String>,
        parts: Vec<Arc<dyn Service>>,
    ) -> Result<Combined, Clash> {
        find_clash(&parts)?;
        let changes = Changes::default();
        let listening = parts.iter().map(|part| changes.follow(part.changes())).collect();
        Ok(Combined {
            parts,
            identity,
            instructions,
            changes,
            _listening: listening,
            merged: Mutex::new(None),
        })
    }

    fn merged(&self) -> (Arc<Surface>, Arc<HashMap<String, usize>>) {
        let current: Vec<Arc<Surface>> = self.parts.iter().map(|part| part.surface()).collect();
        let mut merged = unpoisoned(self.merged.lock());
        if let Some(known) = &*merged
            && known.of.iter().zip(&current).all(|(old, new)| Arc::ptr_eq(old, new))
        {
            return (Arc::clone(&known.surface), Arc::clone(&known.owners));
        }
        let mut parts = Parts {
            identity: self.identity.clone(),
            instructions: self.instructions.clone(),
            features: Features::default(),
            tools: Vec::new(),
            resources: Vec::new(),
            prompts: Vec::new(),
            // A bare method belongs to its own server's endpoint.
            methods: Vec::new(),
            later: Kinds::default(),
        };
        let mut owners = HashMap::new();
        for (at, surface) in current.iter().enumerate() {
            // What comes at run time may have a name that another part has: the first counts.
            for tool in surface.tools() {
                if let Entry::Vacant(owner) = owners.entry(tool.name.clone()) {
                    owner.insert(at);
                    parts.tools.push(tool.clone());
                }
            }
            let is_new =
                |resource: &&ResourceEntry| !parts.resources.iter().any(|known| known.uri == resource.uri);
            let new: Vec<ResourceEntry> = surface.resources().iter().filter(is_new).cloned().collect();
            parts.resources.extend(new);
            let is_new = |prompt: &&PromptEntry| !parts.prompts.iter().any(|known| known.name == prompt.name);
            let new: Vec<PromptEntry> = surface.prompts().iter().filter(is_new).cloned().collect();
            parts.prompts.extend(new);
            parts.features = parts.features.union(surface.features);
            parts.later = parts.later.union(surface.later);
        }
        let surface = Arc::new(Surface::new(parts));
        let owners = Arc::new(owners);
        *merged = Some(Merged { of: current, surface: Arc::clone(&surface), owners: Arc::clone(&owners) });
        (surface, owners)
    }

    fn part_with(&self, offers: impl Fn(&Surface) -> bool) -> Option<&Arc<dyn Service>> {
        self.parts.iter().find(|part| offers(&part.surface()))
    }
}

fn find_clash(parts: &[Arc<dyn Service>]) -> Result<(), Clash> {
    let mut seen: HashMap<(&'static str, String), String> = HashMap::new();
    for part in parts {
        let surface = part.surface();
        let server = &surface.identity().name;
        let names = (surface.tools().iter().map(|tool| ("tool", tool.name.clone())))
            .chain(surface.prompts().iter().map(|prompt| ("prompt", prompt.name.clone().into_owned())))
            .chain(
                surface.resources().iter().map(|resource| ("resource", resource.uri.clone().into_owned())),
            );
        for (kind, name) in names {
            if let Some(first) = seen.insert((kind, name.clone()), server.clone()) {
                return Err(Clash { kind, name, servers: [first, server.clone()] });
            }
        }
    }
    Ok(())
}

impl Service for Combined {
    fn surface(&self) -> Arc<Surface> {
        self.merged().0
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        let offers_prompt =
            |name: &str| self.part_with(|surface| surface.prompts().iter().any(|prompt| prompt.name == name));
        let (owner, missing) = match &request.target {
            Target::Tool { name, .. } => {
                let owner = self.merged().1.get(name.as_ref()).and_then(|at| self.parts.get(*at));
                (owner, Fail::unknown_tool(name))
            }
            Target::Method { name } => {
                (None, Fail::rpc(code::METHOD_NOT_FOUND, format!("Method not found: {}", shown(name))))
            }
            Target::Resource { uri } => {
                (self.part_with(|surface| surface.covers(uri)), Fail::resource_not_found(uri))
            }
            Target::Prompt { name, .. } => (
                offers_prompt(name),
                Fail::rpc(code::INVALID_PARAMS, format!("Unknown prompt: {}", shown(name))),
            ),
            Target::Completion { reference, .. } => (
                match reference {
                    Reference::Prompt(name) => offers_prompt(name),
                    Reference::Template(uri) => self
                        .part_with(|surface| surface.resources().iter().any(|resource| resource.uri == *uri)),
                },
                Fail::rpc(code::INVALID_PARAMS, "`params.ref` names nothing that is offered here"),
            ),
        };
        match owner {
            Some(service) => service.handle(request, cx),
            None => Handled::Now(Outcome::Fail(missing)),
        }
    }

    fn changes(&self) -> &Changes {
        &self.changes
    }
}

/// A service of which only some tools are offered.
pub struct Selected {
    inner: Arc<dyn Service>,
    keep: Box<dyn Fn(&ToolEntry) -> bool + Send + Sync>,
    /// What there was to select from, and what was selected.
    last: Mutex<Option<(Arc<Surface>, Arc<Surface>)>>,
}

impl Selected {
    /// Offers the tools that `keep` accepts. The others cannot be called either, by whatever name.
    pub fn new(
        inner: Arc<dyn Service>,
        keep: impl Fn(&ToolEntry) -> bool + Send + Sync + 'static,
    ) -> Selected {
        Selected { inner, keep: Box::new(keep), last: Mutex::new(None) }
    }
}

impl Service for Selected {
    fn surface(&self) -> Arc<Surface> {
        let all = self.inner.surface();
        let mut last = unpoisoned(self.last.lock());
        if let Some((of, some)) = &*last
            && Arc::ptr_eq(of, &all)
        {
            return Arc::clone(some);
        }
        let mut parts = all.parts();
        parts.tools.retain(|tool| (self.keep)(tool));
        // Which tool a method stands for is the server's secret: with tools left out, so are methods.
        if parts.tools.len() < all.tools().len() {
            parts.methods.clear();
        }
        let some = Arc::new(Surface::new(parts));
        *last = Some((all, Arc::clone(&some)));
        some
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        match &request.target {
            Target::Tool { name, .. } if self.surface().tool(name).is_none() => {
                Handled::Now(Outcome::Fail(Fail::unknown_tool(name)))
            }
            _ => self.inner.handle(request, cx),
        }
    }

    fn changes(&self) -> &Changes {
        self.inner.changes()
    }
}
