//! The lists of a far side that offers more than it was built with: read when it says so, and again when they change.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;

use crate::changes::Change;
use crate::client::{Client, Error};
use crate::echo::shown;
use crate::json::Elements;
use crate::surface::{ArgumentEntry, PromptEntry, ResourceEntry, Surface, ToolEntry};
use crate::tool::Hints;

use super::{Far, Inner, State};

/// How many entries of a list are read.
const MOST_ENTRIES: usize = 20_000;

/// How long one of them may be, of which schemas are the longest. Read, it takes more room for a moment.
const LONGEST_ENTRY: usize = 1_000_000;

/// How many arguments of a prompt are read.
const MOST_ARGUMENTS: usize = 100;

/// The time between two readings of lists that change.
const BETWEEN: Duration = Duration::from_millis(50);

/// Which lists must be read again.
#[derive(Debug, Default)]
pub(super) struct Stale {
    changes: Vec<Change>,
    /// Whether they are being read.
    is_under_way: bool,
}

impl Inner {
    /// The far side says that something changed there.
    pub(super) fn heard(self: &Arc<Self>, change: &Change) {
        match change {
            Change::Resource(_) => self.changes.tell(change),
            Change::Tools | Change::Prompts | Change::Resources => {
                let mut state = self.state();
                if !state.stale.changes.contains(change) {
                    state.stale.changes.push(change.clone());
                }
                self.refresh(&mut state);
            }
        }
    }

    /// Reads the lists that changed, if nobody does already. Those of a connection that is not settled wait until it is.
    pub(super) fn refresh(self: &Arc<Self>, state: &mut State) {
        if !state.stale.is_under_way && !state.stale.changes.is_empty() && matches!(state.far, Far::There(_))
        {
            let inner = Arc::clone(self);
            let reading = self.workers.spawn(async move { inner.list_again().await });
            state.stale.is_under_way = reading.is_ok();
        }
    }

    /// Reads the lists until nothing changed meanwhile. Clients are told when they are read: they list again at once.
    async fn list_again(&self) {
        loop {
            let (client, changes) = {
                let mut state = self.state();
                match &state.far {
                    Far::There(client) if !state.stale.changes.is_empty() => {
                        (client.clone(), std::mem::take(&mut state.stale.changes))
                    }
                    Far::There(_) | Far::Apart | Far::Connecting(_) => {
                        state.stale.is_under_way = false;
                        return;
                    }
                }
            };
            // A far side that cannot be listed now shows what it showed before.
            if let Ok(surface) = self.list(&client).await {
                let mut state = self.state();
                if matches!(&state.far, Far::There(now) if *now == client) {
                    state.listed = Some(surface);
                }
            }
            for change in &changes {
                self.changes.tell(change);
            }
            // One that changes without end is listed now and then.
            tokio::time::sleep(BETWEEN).await;
        }
    }

    /// Everything the far side offers now, if it says so in time: calls wait for it.
    pub(super) async fn list(&self, client: &Client) -> Result<Arc<Surface>, Error> {
        let patience = self.options.limits.greeting;
        let listed = tokio::time::timeout(patience, self.list_all(client)).await;
        listed.unwrap_or(Err(Error::Silent(patience)))
    }

    async fn list_all(&self, client: &Client) -> Result<Arc<Surface>, Error> {
        let declared = self.surface.declared();
        let mut parts = self.surface.parts();
        if declared.tools {
            let known = parts.tools;
            let entry = |tool: WireTool| tool.entry(&known);
            parts.tools = self.pages(client, "tools/list", entry, tool_name, &mut HashSet::new()).await?;
            // Clients that cannot read one schema refuse the whole list.
            if let Some(odd) = parts.tools.iter().find(|tool| !is_of_object(&tool.input_schema)) {
                let name = shown(&odd.name);
                return Err(Error::garbled(format_args!(
                    "the schema of its tool `{name}` is not that of an object"
                )));
            }
        }
        if declared.resources {
            let known = parts.resources;
            let entry = |resource: WireResource| resource.entry(&known);
            // Which of the two lists it is in, its address says.
            let mut names = HashSet::new();
            parts.resources = self.pages(client, "resources/list", entry, resource_uri, &mut names).await?;
            let templates = self.pages(client, "resources/templates/list", entry, resource_uri, &mut names);
            parts.resources.extend(templates.await?);
        }
        if declared.prompts {
            let known = parts.prompts;
            let entry = |prompt: WirePrompt| prompt.entry(&known);
            parts.prompts =
                self.pages(client, "prompts/list", entry, prompt_name, &mut HashSet::new()).await?;
        }
        Ok(Arc::new(Surface::new(parts).at_run_time(&self.surface)))
    }

    /// All pages of a list. Two entries of one name are refused: nobody could say which is meant, and some clients then take
    /// nothing of the list.
    async fn pages<W: DeserializeOwned, E>(
        &self,
        client: &Client,
        method: &str,
        entry: impl Fn(W) -> E,
        name: impl Fn(&E) -> &str,
        names: &mut HashSet<String>,
    ) -> Result<Vec<E>, Error> {
        // All pages of a list together may be as long as one line.
        let most = self.options.limits.line;
        let mut length = 0;
        let mut entries = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
            let answer = client.call(method, &params)?.finish(|_| {}).await?;
            let result = answer.result().map_err(Error::garbled)?;
            length += result.len();
            if length > most {
                return Err(Error::TooLong(most));
            }
            let unreadable =
                |error: serde_json::Error| Error::garbled(format_args!("its list cannot be read: {error}"));
            let page: Page<'_> = serde_json::from_str(result).map_err(unreadable)?;
            if !page.entries.get().starts_with('[') {
                return Err(Error::garbled("its list is no array"));
            }
            // One by one: an entry takes more room than the few letters it may be.
            let before = entries.len();
            for raw in Elements::of(page.entries.get()).take(MOST_ENTRIES - before) {
                if raw.get().len() > LONGEST_ENTRY {
                    let most = LONGEST_ENTRY / 1_000_000;
                    return Err(Error::garbled(format_args!(
                        "an entry of its list is longer than {most} MB"
                    )));
                }
                let entry = entry(serde_json::from_str(raw.get()).map_err(unreadable)?);
                if !names.insert(name(&entry).to_owned()) {
                    let name = shown(name(&entry));
                    return Err(Error::garbled(format_args!("its list has `{name}` twice")));
                }
                entries.push(entry);
            }
            cursor = page.next_cursor;
            if cursor.is_none() || entries.len() == before || entries.len() == MOST_ENTRIES {
                return Ok(entries);
            }
        }
    }
}

/// Whether this is the schema of an object, as that of arguments must be.
fn is_of_object(schema: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
    }
    is_object(schema)
        && serde_json::from_str::<Typed<'_>>(schema.get()).is_ok_and(|typed| typed.kind == "object")
}

fn is_object(json: &RawValue) -> bool {
    json.get().starts_with('{')
}

fn tool_name(tool: &ToolEntry) -> &str {
    &tool.name
}

fn resource_uri(resource: &ResourceEntry) -> &str {
    &resource.uri
}

fn prompt_name(prompt: &PromptEntry) -> &str {
    &prompt.name
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, alias = "tools", alias = "resources", alias = "resourceTemplates", alias = "prompts")]
    entries: &'a RawValue,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTool {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    input_schema: Box<RawValue>,
    #[serde(default)]
    output_schema: Option<Box<RawValue>>,
    #[serde(default)]
    annotations: Annotations,
    #[serde(default, rename = "_meta")]
    meta: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::struct_field_names)] // as on the wire
struct Annotations {
    read_only_hint: bool,
    destructive_hint: Option<bool>,
    idempotent_hint: bool,
    open_world_hint: Option<bool>,
}

impl WireTool {
    /// What was built in is known better than the wire can say.
    fn entry(self, known: &[ToolEntry]) -> ToolEntry {
        if let Some(known) = known.iter().find(|known| known.name == self.name) {
            return known.clone();
        }
        let hints = Hints {
            read_only: self.annotations.read_only_hint,
            destructive: self.annotations.destructive_hint.unwrap_or(!self.annotations.read_only_hint),
            idempotent: self.annotations.idempotent_hint,
            open_world: self.annotations.open_world_hint.unwrap_or(true),
        };
        ToolEntry {
            // As with our own tools: before 2026-07-28 any other would be refused.
            output_schema: self.output_schema.filter(|schema| is_of_object(schema)),
            hints,
            meta: self.meta.filter(|meta| is_object(meta)),
            ..ToolEntry::new(self.name, self.title, self.description, self.input_schema)
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireResource {
    #[serde(alias = "uriTemplate")]
    uri: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    mime_type: String,
    #[serde(default, rename = "_meta")]
    meta: Option<Box<RawValue>>,
}

impl WireResource {
    fn entry(self, known: &[ResourceEntry]) -> ResourceEntry {
        if let Some(known) = known.iter().find(|known| known.uri == self.uri) {
            return known.clone();
        }
        ResourceEntry {
            uri: self.uri.into(),
            name: self.name.into(),
            title: self.title.into(),
            description: self.description.into(),
            mime: self.mime_type.into(),
            completes: false,
            meta: self.meta.filter(|meta| is_object(meta)).map(|meta| meta.get().to_owned().into()),
        }
    }
}

#[derive(Deserialize)]
struct WirePrompt {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct WireArgument {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    required: bool,
}

impl WirePrompt {
    fn entry(self, known: &[PromptEntry]) -> PromptEntry {
        if let Some(known) = known.iter().find(|known| known.name == self.name) {
            return known.clone();
        }
        let argument = |argument: WireArgument| ArgumentEntry {
            name: argument.name.into(),
            description: argument.description.into(),
            required: argument.required,
        };
        PromptEntry {
            name: self.name.into(),
            title: self.title.into(),
            description: self.description.into(),
            arguments: Elements::of(self.arguments.as_deref().map_or("[]", RawValue::get))
                .take(MOST_ARGUMENTS)
                .filter_map(|raw| serde_json::from_str(raw.get()).ok())
                .map(argument)
                .collect(),
            completes: false,
        }
    }
}
