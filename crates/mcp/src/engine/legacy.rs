//! The revisions with a handshake: 2024-11-05 to 2025-11-25.

use std::borrow::Cow;

use crate::caps::Caps;
use crate::cx::Level;
use crate::echo::shown;
use crate::surface::List;
use crate::wire::{invalid_params, optional_object, optional_text, required_text};

use super::turn::{Round, Turn};
use super::{Flow, Refusal};

impl<'a> Turn<'_, 'a> {
    pub(super) fn legacy(self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        match self.request.method.as_ref() {
            "tools/call" => {
                self.request.settle()?;
                Ok(self.forward(out, Round::default()))
            }
            "initialize" => self.initialize(out),
            "ping" => Ok(self.ready(out, b"{}")),
            "tools/list" => self.list(out, List::Tools),
            "resources/list" => self.list(out, List::Resources),
            "resources/templates/list" => self.list(out, List::Templates),
            "prompts/list" => self.list(out, List::Prompts),
            "resources/read" | "prompts/get" | "completion/complete" => {
                self.require_offered()?;
                self.request.settle()?;
                Ok(self.forward(out, Round::default()))
            }
            "resources/subscribe" => {
                let uri = self.watched()?;
                self.link.session.subscribe(&uri, || self.engine.service.changes().watch(&uri))?;
                Ok(self.ready(out, b"{}"))
            }
            "resources/unsubscribe" => {
                self.link.session.unsubscribe(&self.watched()?);
                Ok(self.ready(out, b"{}"))
            }
            "logging/setLevel" => self.set_level(out),
            method if self.surface.has_method(method) => Ok(self.forward(out, Round::default())),
            method => Err(Refusal::no_method(method)),
        }
    }

    fn initialize(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        let requested = optional_text(self.request.params.protocol_version, "protocolVersion")?;
        let capabilities = optional_object(self.request.params.capabilities, "capabilities")?;
        let caps = capabilities.map(Caps::read).unwrap_or_default();
        let client = self.request.params.client_info;
        let version = self.link.session.introduce(requested.as_deref().unwrap_or_default(), caps, client);
        Ok(self.ready(out, self.surface.greeting(version)))
    }

    fn watched(&self) -> Result<Cow<'a, str>, Refusal> {
        self.require(self.surface.features.resource_updates)?;
        Ok(required_text(self.request.params.uri, "uri")?)
    }

    fn set_level(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        self.require(self.surface.features.logging)?;
        let name = required_text(self.request.params.level, "level")?;
        let level = Level::parse(&name).ok_or_else(|| {
            let known = Level::NAMES.map(|(name, _)| name).join(", ");
            invalid_params(format!("`params.level` must be one of {known}; not `{}`", shown(&name)))
        })?;
        self.link.session.set_log_level(level);
        Ok(self.ready(out, b"{}"))
    }
}
