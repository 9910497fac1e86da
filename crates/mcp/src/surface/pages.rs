//! The lists of a surface, serialised once for each revision that is spoken.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::changes::Change;
use crate::json::{self, ObjectWriter};
use crate::version::Version;

use super::{PromptEntry, ResourceEntry, Surface, ToolEntry};

/// The lists a client can request.
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
        let renderer = ListRenderer { version, server_info: &server_info };
        let [tools, resources, templates, prompts] = renderer.lists(surface);
        Rendered {
            greeting: renderer.greeting(surface, Hash::Untold),
            tools,
            resources,
            templates,
            prompts,
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

impl Rendered {
    pub(super) fn differences(&self, other: &Rendered) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.tools != other.tools {
            changes.push(Change::Tools);
        }
        if self.resources != other.resources || self.templates != other.templates {
            changes.push(Change::Resources);
        }
        if self.prompts != other.prompts {
            changes.push(Change::Prompts);
        }
        changes
    }
}

/// Whether a greeting tells the hash of the surface: it is made for relays alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hash {
    Told,
    Untold,
}

/// The result of `server/discover` for a relay, which compares the hash with that of what it was built with.
pub(super) fn greeting_with_hash(surface: &Surface) -> Vec<u8> {
    let version = Version::MODERN;
    ListRenderer { version, server_info: surface.server_info(version) }.greeting(surface, Hash::Told)
}

/// SHA-256 over the lists as the newest revision has them, in hexadecimal.
pub(super) fn hash(surface: &Surface) -> String {
    let mut server_info = Vec::new();
    surface.write_identity(&mut server_info, Version::MODERN);
    let mut hasher = Sha256::new();
    let renderer = ListRenderer { version: Version::MODERN, server_info: &server_info };
    let [tools, resources, templates, prompts] = renderer.lists(surface);
    for page in [tools, resources, templates, prompts].iter().flatten() {
        hasher.update(page);
    }
    let mut rest = Vec::new();
    json::value(&mut rest, &(&surface.methods, &surface.instructions));
    hasher.update(&rest);
    hasher.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

struct ListRenderer<'a> {
    version: Version,
    server_info: &'a [u8],
}

impl ListRenderer<'_> {
    /// Tools, resources, templates and prompts.
    fn lists(&self, surface: &Surface) -> [Vec<Vec<u8>>; 4] {
        let (templates, resources): (Vec<&ResourceEntry>, Vec<&ResourceEntry>) =
            surface.resources.iter().partition(|resource| resource.is_template());
        [
            self.pages("tools", &surface.tools.iter().collect::<Vec<_>>(), write_tool),
            self.pages("resources", &resources, write_resource),
            self.pages("resourceTemplates", &templates, write_resource),
            self.pages("prompts", &surface.prompts.iter().collect::<Vec<_>>(), write_prompt),
        ]
    }

    fn pages<T: Copy>(&self, name: &str, entries: &[T], write: fn(&mut Vec<u8>, T, Version)) -> Vec<Vec<u8>> {
        let count = entries.len().div_ceil(PAGE).max(1);
        (0..count)
            .map(|at| {
                let mut out = Vec::new();
                let mut object = ObjectWriter::open(&mut out);
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

    fn greeting(&self, surface: &Surface, hash: Hash) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
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
        match hash {
            Hash::Told => self.close(&mut object, |meta| {
                meta.string("surfaceHash", surface.hash());
                if !surface.is_built_in() {
                    meta.raw("offersMore", b"true");
                }
            }),
            Hash::Untold => self.close_result(&mut object),
        }
        object.close();
        out
    }

    fn open_result(&self, object: &mut ObjectWriter<'_>) {
        if self.version.is_modern() {
            object.raw("resultType", b"\"complete\"");
        }
    }

    fn close_result(&self, object: &mut ObjectWriter<'_>) {
        self.close(object, |_| {});
    }

    fn close(&self, object: &mut ObjectWriter<'_>, more: impl FnOnce(&mut ObjectWriter<'_>)) {
        if self.version.is_modern() {
            object.value("ttlMs", &LIST_TTL_MS).raw("cacheScope", b"\"private\"");
            let mut meta = ObjectWriter::open(object.member("_meta"));
            meta.raw("io.modelcontextprotocol/serverInfo", self.server_info);
            more(&mut meta);
            meta.close();
        }
    }
}

fn write_tool(out: &mut Vec<u8>, tool: &ToolEntry, version: Version) {
    let mut object = ObjectWriter::open(out);
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
        write_annotations(object.member("annotations"), tool, version);
    }
    if let Some(meta) = &tool.meta {
        object.raw("_meta", meta.get().as_bytes());
    }
    object.close();
}

/// What goes without saying is not said: a title that stands beside it, what a tool that changes nothing might do, and that
/// others are not idempotent.
fn write_annotations(out: &mut Vec<u8>, tool: &ToolEntry, version: Version) {
    let mut object = ObjectWriter::open(out);
    if !version.has_titles() {
        object.string("title", &tool.title);
    }
    if tool.hints.read_only {
        object.value("readOnlyHint", &true);
    } else {
        object.value("destructiveHint", &tool.hints.destructive);
        if tool.hints.idempotent {
            object.value("idempotentHint", &true);
        }
    }
    object.value("openWorldHint", &tool.hints.open_world);
    object.close();
}

fn write_resource(out: &mut Vec<u8>, resource: &ResourceEntry, version: Version) {
    let mut object = ObjectWriter::open(out);
    object.string(if resource.is_template() { "uriTemplate" } else { "uri" }, &resource.uri);
    object.string("name", &resource.name);
    if version.has_titles() {
        object.string("title", &resource.title);
    }
    object.string("description", &resource.description).string("mimeType", &resource.mime);
    if let Some(meta) = &resource.meta {
        object.raw("_meta", meta.as_bytes());
    }
    object.close();
}

fn write_prompt(out: &mut Vec<u8>, prompt: &PromptEntry, version: Version) {
    let mut object = ObjectWriter::open(out);
    object.string("name", &prompt.name);
    if version.has_titles() {
        object.string("title", &prompt.title);
    }
    object.string("description", &prompt.description);
    json::array(object.member("arguments"), &prompt.arguments, |out, argument| {
        let mut object = ObjectWriter::open(out);
        object.string("name", &argument.name).string("description", &argument.description);
        object.value("required", &argument.required);
        object.close();
    });
    object.close();
}
