//! The lists of a surface, serialised once for each revision that asks.

use serde_json::json;

use crate::json::{self, Object};
use crate::prompt::PromptAbout;
use crate::resource::ResourceAbout;
use crate::version::Version;

use super::{Surface, ToolEntry};

/// The lists a client can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

/// How many entries one answer holds.
const PAGE: usize = 100;

/// How long a client may keep a list, in milliseconds. Ours only change with the process or by notice.
const LIST_TTL_MS: u32 = 300_000;

pub(super) struct Rendered {
    pub(super) greeting: Vec<u8>,
    pub(super) server_info: Vec<u8>,
    tools: Vec<Vec<u8>>,
    resources: Vec<Vec<u8>>,
    templates: Vec<Vec<u8>>,
    prompts: Vec<Vec<u8>>,
}

impl Rendered {
    pub(super) fn new(surface: &Surface, version: Version) -> Rendered {
        let mut server_info = Vec::new();
        surface.write_identity(&mut server_info, version);
        let (templates, resources): (Vec<&ResourceAbout>, Vec<&ResourceAbout>) =
            surface.resources.iter().partition(|resource| resource.is_template());
        let style = Style { version, server_info: &server_info };
        Rendered {
            greeting: style.greeting(surface),
            tools: style.pages("tools", &surface.tools.iter().collect::<Vec<_>>(), write_tool),
            resources: style.pages("resources", &resources, write_resource),
            templates: style.pages("resourceTemplates", &templates, write_resource),
            prompts: style.pages("prompts", &surface.prompts.iter().collect::<Vec<_>>(), write_prompt),
            server_info,
        }
    }

    pub(super) fn page(&self, list: List, cursor: Option<&str>) -> Option<&[u8]> {
        let pages = match list {
            List::Tools => &self.tools,
            List::Resources => &self.resources,
            List::Templates => &self.templates,
            List::Prompts => &self.prompts,
        };
        let at = match cursor {
            // Some clients send an empty cursor for the first page.
            None | Some("") => 0,
            Some(cursor) => cursor.strip_prefix("page-")?.parse::<usize>().ok().filter(|at| *at > 0)?,
        };
        pages.get(at).map(Vec::as_slice)
    }
}

struct Style<'a> {
    version: Version,
    server_info: &'a [u8],
}

impl Style<'_> {
    fn pages<T: Copy>(&self, name: &str, entries: &[T], write: fn(&mut Vec<u8>, T, Version)) -> Vec<Vec<u8>> {
        let count = entries.len().div_ceil(PAGE).max(1);
        (0..count)
            .map(|at| {
                let mut out = Vec::new();
                let mut object = Object::open(&mut out);
                self.open_result(&mut object);
                let entries = entries.iter().skip(at * PAGE).take(PAGE);
                json::array(object.member(name), entries, |out, entry| write(out, *entry, self.version));
                if at + 1 < count {
                    object.string("nextCursor", &format!("page-{}", at + 1));
                }
                self.close_result(&mut object);
                object.close();
                out
            })
            .collect()
    }

    fn greeting(&self, surface: &Surface) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        self.open_result(&mut object);
        if self.version.is_modern() {
            object.value("supportedVersions", &Version::ALL.map(Version::as_str));
        } else {
            object.string("protocolVersion", self.version.as_str());
        }
        surface.write_capabilities(object.member("capabilities"), self.version);
        if !self.version.is_modern() {
            object.raw("serverInfo", self.server_info);
        }
        if let Some(instructions) = &surface.instructions {
            object.string("instructions", instructions);
        }
        self.close_result(&mut object);
        object.close();
        out
    }

    fn open_result(&self, object: &mut Object<'_>) {
        if self.version.is_modern() {
            object.raw("resultType", b"\"complete\"");
        }
    }

    fn close_result(&self, object: &mut Object<'_>) {
        if self.version.is_modern() {
            object.value("ttlMs", &LIST_TTL_MS).raw("cacheScope", b"\"private\"");
            let mut meta = Object::open(object.member("_meta"));
            meta.raw("io.modelcontextprotocol/serverInfo", self.server_info);
            meta.close();
        }
    }
}

fn write_tool(out: &mut Vec<u8>, tool: &ToolEntry, version: Version) {
    let mut object = Object::open(out);
    object.string("name", &tool.name);
    if version.has_titles() {
        object.string("title", &tool.title);
    }
    object.string("description", &tool.description);
    object.raw("inputSchema", tool.input_schema.get().as_bytes());
    if let Some(schema) = &tool.output_schema
        && version.has_structured_content()
    {
        object.raw("outputSchema", schema.get().as_bytes());
    }
    if version.has_annotations() {
        object.value(
            "annotations",
            &json!({
                "title": tool.title,
                "readOnlyHint": tool.hints.read_only,
                "destructiveHint": tool.hints.destructive,
                "idempotentHint": tool.hints.idempotent,
                "openWorldHint": tool.hints.open_world,
            }),
        );
    }
    if let Some(meta) = &tool.meta {
        object.raw("_meta", meta.get().as_bytes());
    }
    object.close();
}

fn write_resource(out: &mut Vec<u8>, resource: &ResourceAbout, version: Version) {
    let mut object = Object::open(out);
    object.string(if resource.is_template() { "uriTemplate" } else { "uri" }, resource.uri);
    object.string("name", resource.name);
    if version.has_titles() {
        object.string("title", resource.title);
    }
    object.string("description", resource.description).string("mimeType", resource.mime);
    if let Some(meta) = resource.meta {
        object.raw("_meta", meta.as_bytes());
    }
    object.close();
}

fn write_prompt(out: &mut Vec<u8>, prompt: &PromptAbout, version: Version) {
    let mut object = Object::open(out);
    object.string("name", prompt.name);
    if version.has_titles() {
        object.string("title", prompt.title);
    }
    object.string("description", prompt.description);
    json::array(object.member("arguments"), prompt.arguments, |out, argument| {
        let mut object = Object::open(out);
        object.string("name", argument.name).string("description", argument.description);
        object.value("required", &argument.required);
        object.close();
    });
    object.close();
}
