//! What a service offers: its identity, tools, resources and prompts, and how each revision lists them.

mod entries;
mod headers;
mod pages;

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::changes::Change;
use crate::code;
use crate::echo::shown;
use crate::fail::Fail;
use crate::json::ObjectWriter;
use crate::resource::Address;
use crate::tool::{About, Hints, Tasks};
use crate::version::Version;

pub use entries::{ArgumentEntry, PromptEntry, ResourceEntry};
pub(crate) use headers::HeaderParam;
#[cfg(feature = "http")]
pub(crate) use headers::HeaderType;
pub(crate) use pages::List;
use pages::Rendered;

/// Who a server or a client says it is.
#[doc(alias = "Implementation")]
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Identity {
    /// The name clients know it by.
    pub name: String,
    /// For people.
    #[serde(default)]
    pub title: Option<String>,
    /// Of the build.
    #[serde(default)]
    pub version: String,
    /// What it is for, in a sentence.
    #[serde(default)]
    pub description: Option<String>,
}

/// A tool in the list.
#[doc(alias = "Tool")]
#[derive(Debug, Clone)]
pub struct ToolEntry {
    /// Unique among all tools.
    pub name: String,
    /// For people.
    pub title: String,
    /// For the model.
    pub description: String,
    /// The schema of its arguments.
    pub input_schema: Box<RawValue>,
    /// The schema of its structured content, where it always has some.
    pub output_schema: Option<Box<RawValue>>,
    /// What it may do to the world.
    pub hints: Hints,
    /// Whether it may run as a task.
    pub tasks: Tasks,
    /// Whether it is offered where many servers share one list.
    pub core: bool,
    /// Passed through as `_meta`.
    pub meta: Option<Box<RawValue>>,
    /// Arguments that HTTP clients repeat in headers.
    pub(crate) headers: Vec<HeaderParam>,
}

impl ToolEntry {
    /// A tool that may do anything; the fields say more. `input_schema` is the schema of an object.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
        input_schema: Box<RawValue>,
    ) -> ToolEntry {
        ToolEntry {
            name: name.into(),
            title: title.into(),
            description: description.into(),
            input_schema,
            output_schema: None,
            hints: About::new("", "", "").hints,
            tasks: Tasks::Never,
            core: false,
            meta: None,
            headers: Vec::new(),
        }
        .find_headers()
    }

    pub(crate) fn find_headers(mut self) -> ToolEntry {
        self.headers = headers::find(&self.input_schema);
        self
    }
}

/// What a service does beyond answering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent capabilities of the wire
#[doc(alias = "ServerCapabilities")]
pub struct Features {
    /// Its lists change while it runs, and it says so.
    pub list_changes: bool,
    /// Its resources change, and it says so.
    pub resource_updates: bool,
    /// It sends log messages.
    pub logging: bool,
}

impl Features {
    /// What either of two services does.
    pub(crate) fn union(self, other: Features) -> Features {
        Features {
            list_changes: self.list_changes || other.list_changes,
            resource_updates: self.resource_updates || other.resource_updates,
            logging: self.logging || other.logging,
        }
    }
}

/// Kinds of things that may be offered later. They are declared from the start: a client asks only for what was declared
/// when it connected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent capabilities of the wire
pub struct Kinds {
    /// Tools.
    pub tools: bool,
    /// Resources.
    pub resources: bool,
    /// Prompts.
    pub prompts: bool,
    /// Completion of arguments.
    pub completions: bool,
}

impl Kinds {
    pub(crate) const LISTS: Kinds = Kinds { tools: true, resources: true, prompts: true, completions: false };

    pub(crate) fn union(self, other: Kinds) -> Kinds {
        Kinds {
            tools: self.tools || other.tools,
            resources: self.resources || other.resources,
            prompts: self.prompts || other.prompts,
            completions: self.completions || other.completions,
        }
    }
}

/// Everything a service offers at one time.
#[doc(alias("ListToolsResult", "DiscoverResult", "InitializeResult"))]
pub struct Surface {
    pub(crate) identity: Identity,
    pub(crate) instructions: Option<String>,
    pub(crate) features: Features,
    tools: Vec<ToolEntry>,
    tool_index: HashMap<String, usize>,
    resources: Vec<ResourceEntry>,
    prompts: Vec<PromptEntry>,
    methods: Vec<String>,
    pub(crate) later: Kinds,
    declared: Kinds,
    is_built_in: bool,
    hash: OnceLock<String>,
    /// Made when a revision is first spoken.
    rendered: [OnceLock<Rendered>; Version::ALL.len()],
}

/// The parts of a surface.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Who it is.
    pub identity: Identity,
    /// How to use it, for the model.
    pub instructions: Option<String>,
    /// What it does beyond answering.
    pub features: Features,
    /// In the order they are listed.
    pub tools: Vec<ToolEntry>,
    /// Addresses and patterns, in the order they are listed.
    pub resources: Vec<ResourceEntry>,
    /// In the order they are listed.
    pub prompts: Vec<PromptEntry>,
    /// JSON-RPC methods of its own.
    pub methods: Vec<String>,
    /// What may come later, besides what is there.
    pub later: Kinds,
}

impl Surface {
    /// Puts a surface together.
    pub fn new(parts: Parts) -> Surface {
        let declared = parts.later.union(Kinds {
            tools: !parts.tools.is_empty(),
            resources: !parts.resources.is_empty(),
            prompts: !parts.prompts.is_empty(),
            completions: parts.prompts.iter().any(|prompt| prompt.completes)
                || parts.resources.iter().any(|resource| resource.completes),
        });
        let tool_index = parts.tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        Surface {
            identity: parts.identity,
            instructions: parts.instructions,
            features: parts.features,
            tools: parts.tools,
            tool_index,
            resources: parts.resources,
            prompts: parts.prompts,
            methods: parts.methods,
            later: parts.later,
            declared,
            is_built_in: true,
            hash: OnceLock::new(),
            rendered: Default::default(),
        }
    }

    /// With the hash of what was built in: what comes and goes at run time is no difference between two builds.
    pub(crate) fn at_run_time(self, base: &Surface) -> Surface {
        Surface { hash: OnceLock::from(base.hash().to_owned()), is_built_in: false, ..self }
    }

    /// Whether it has only what was built in.
    pub(crate) fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// The parts again, for a service that shows a different selection.
    pub fn parts(&self) -> Parts {
        Parts {
            identity: self.identity.clone(),
            instructions: self.instructions.clone(),
            features: self.features,
            tools: self.tools.clone(),
            resources: self.resources.clone(),
            prompts: self.prompts.clone(),
            methods: self.methods.clone(),
            later: self.later,
        }
    }

    /// The same offers without these methods, for whom they are not.
    pub(crate) fn without_methods(&self, names: &[&str]) -> Surface {
        let mut parts = self.parts();
        parts.methods.retain(|method| !names.contains(&method.as_str()));
        Surface { is_built_in: self.is_built_in, ..Surface::new(parts).at_run_time(self) }
    }

    /// The same offers, with everything declared that `other` does and has as well: for a service that shows now the one and
    /// now the other.
    pub(crate) fn interchangeable_with(&self, other: &Surface) -> Surface {
        let mut parts = self.parts();
        parts.features = Features { list_changes: true, ..self.features.union(other.features) };
        parts.later = parts.later.union(other.declared);
        let is_built_in = self.is_built_in;
        Surface { is_built_in, ..Surface::new(parts).at_run_time(self) }
    }

    /// The lists that are not the same in `other`.
    pub(crate) fn differences(&self, other: &Surface) -> Vec<Change> {
        let (ours, theirs) = (self.rendered(Version::MODERN), other.rendered(Version::MODERN));
        ours.differences(theirs)
    }

    /// Who it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its tools, in order.
    pub fn tools(&self) -> &[ToolEntry] {
        &self.tools
    }

    /// One tool.
    pub fn tool(&self, name: &str) -> Option<&ToolEntry> {
        self.tool_index.get(name).and_then(|at| self.tools.get(*at))
    }

    /// Its resources and patterns of resources, in order.
    pub fn resources(&self) -> &[ResourceEntry] {
        &self.resources
    }

    /// Its prompts, in order.
    pub fn prompts(&self) -> &[PromptEntry] {
        &self.prompts
    }

    /// A hash of everything that was built into it, and of who it is: two builds with the same one can stand in for each other.
    pub fn hash(&self) -> &str {
        self.hash.get_or_init(|| pages::hash(self))
    }

    pub(crate) fn has_method(&self, name: &str) -> bool {
        self.methods.iter().any(|method| method == name)
    }

    /// Whether some resource or pattern covers this address.
    pub fn covers(&self, uri: &str) -> bool {
        self.resources.iter().any(|resource| Address::matching(&resource.uri, uri).is_some())
    }

    /// What it has, now or later.
    pub(crate) fn declared(&self) -> Kinds {
        self.declared
    }

    pub(crate) fn has_tasks(&self) -> bool {
        self.tools.iter().any(|tool| tool.tasks != Tasks::Never)
    }

    fn rendered(&self, version: Version) -> &Rendered {
        let slot = Version::ALL.iter().position(|known| *known == version).unwrap_or_default();
        // `slot` comes from the array the slots were made for.
        self.rendered.get(slot).unwrap_or(&self.rendered[0]).get_or_init(|| Rendered::new(self, version))
    }

    /// The result object of a list request, whole and serialised.
    pub(crate) fn page(&self, list: List, version: Version, cursor: Option<&str>) -> Result<&[u8], Fail> {
        self.rendered(version).page(list, cursor).ok_or_else(|| {
            let cursor = cursor.unwrap_or_default();
            Fail::rpc(
                code::INVALID_PARAMS,
                format!("Unknown cursor `{}`; list again from the start", shown(cursor)),
            )
        })
    }

    /// The result of `initialize`, or of `server/discover` in the modern era.
    pub(crate) fn greeting(&self, version: Version) -> &[u8] {
        &self.rendered(version).greeting
    }

    /// The same for a relay, with the hash.
    pub(crate) fn greeting_with_hash(&self) -> Vec<u8> {
        pages::greeting_with_hash(self)
    }

    /// `{"name":…,"version":…}`, as modern results carry it.
    pub(crate) fn server_info(&self, version: Version) -> &[u8] {
        &self.rendered(version).server_info
    }

    fn write_identity(&self, out: &mut Vec<u8>, version: Version) {
        let mut object = ObjectWriter::open(out);
        object.string("name", &self.identity.name).string("version", &self.identity.version);
        if let Some(title) = self.identity.title.as_deref().filter(|_| version.has_titles()) {
            object.string("title", title);
        }
        if let Some(description) = &self.identity.description {
            object.string("description", description);
        }
        object.close();
    }

    fn write_capabilities(&self, out: &mut Vec<u8>, version: Version) {
        let mut object = ObjectWriter::open(out);
        let lists = |out: &mut Vec<u8>, changes: bool, subscribe: bool| {
            let mut inner = ObjectWriter::open(out);
            if changes {
                inner.value("listChanged", &true);
            }
            if subscribe {
                inner.value("subscribe", &true);
            }
            inner.close();
        };
        if self.declared.tools {
            lists(object.member("tools"), self.features.list_changes, false);
        }
        if self.declared.resources {
            lists(object.member("resources"), self.features.list_changes, self.features.resource_updates);
        }
        if self.declared.prompts {
            lists(object.member("prompts"), self.features.list_changes, false);
        }
        if self.features.logging {
            object.raw("logging", b"{}");
        }
        if self.declared.completions && version.has_completions_capability() {
            object.raw("completions", b"{}");
        }
        if version.is_modern() && self.has_tasks() {
            object.raw("extensions", br#"{"io.modelcontextprotocol/tasks":{}}"#);
        }
        object.close();
    }
}
