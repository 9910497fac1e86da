//! The revisions with a handshake: 2024-11-05 to 2025-11-25.

use crate::caps::Caps;
use crate::cx::Level;
use crate::service::Wanted;
use crate::surface::List;

use super::turn::{Round, Turn, invalid, optional_object, optional_text, required_text};
use super::{Flow, Refusal};

impl Turn<'_> {
    pub(super) fn legacy(self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        match self.parsed.method.as_ref() {
            "tools/call" => self.call_tool(out),
            "initialize" => self.initialize(out),
            "ping" => Ok(self.ready(out, b"{}")),
            "tools/list" => self.list(out, List::Tools),
            "resources/list" => self.list(out, List::Resources),
            "resources/templates/list" => self.list(out, List::Templates),
            "prompts/list" => self.list(out, List::Prompts),
            "resources/read" => self.read_resource(out, Round::default()),
            "prompts/get" => self.get_prompt(out, Round::default()),
            "completion/complete" => self.complete(out),
            "resources/subscribe" => {
                let uri = self.watched()?;
                self.link.session.subscribe(&uri)?;
                Ok(self.ready(out, b"{}"))
            }
            "resources/unsubscribe" => {
                self.link.session.unsubscribe(&self.watched()?);
                Ok(self.ready(out, b"{}"))
            }
            "logging/setLevel" => self.set_level(out),
            method if self.surface.has_method(method) => {
                Ok(self.forward(out, Wanted::Method { name: method }, Round::default()))
            }
            method => Err(Refusal::no_method(method)),
        }
    }

    fn initialize(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        let requested = optional_text(self.parsed.params.protocol_version, "protocolVersion")?;
        let capabilities = optional_object(self.parsed.params.capabilities, "capabilities")?;
        let caps = capabilities.map(Caps::read).unwrap_or_default();
        let version = self.link.session.introduce(requested.as_deref().unwrap_or_default(), caps);
        Ok(self.ready(out, self.surface.greeting(version)))
    }

    fn call_tool(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        let name = required_text(self.parsed.params.name, "name")?;
        let arguments = optional_object(self.parsed.params.arguments, "arguments")?;
        Ok(self.forward(out, Wanted::Tool { name: &name, arguments }, Round::default()))
    }

    fn watched(&self) -> Result<std::borrow::Cow<'_, str>, Refusal> {
        self.require(self.surface.features.resource_updates)?;
        Ok(required_text(self.parsed.params.uri, "uri")?)
    }

    fn set_level(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        self.require(self.surface.features.logging)?;
        let name = required_text(self.parsed.params.level, "level")?;
        let level = Level::parse(&name).ok_or_else(|| {
            let known = Level::NAMES.map(|(name, _)| name).join(", ");
            invalid(format!("`params.level` must be one of {known}; not `{name}`"))
        })?;
        self.link.session.set_log_level(level);
        Ok(self.ready(out, b"{}"))
    }
}
