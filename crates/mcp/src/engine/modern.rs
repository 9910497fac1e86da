//! 2026-07-28: every request stands alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use crate::caps::Caps;
use crate::code;
use crate::cx::Level;
use crate::echo::shown;
use crate::fail::Fail;
use crate::input::InputResponses;
use crate::request::{Request, Target};
use crate::surface::List;
use crate::tool::Tasks;
use crate::version::Version;
use crate::wire::{invalid_params, kind, optional_text, required_object, required_text, text_of};

use super::turn::{Round, Turn};
use super::{Filter, Flow, Refusal};

/// Reads what a modern request says about itself.
pub(super) fn terms(request: &Request<'_>) -> Result<(Version, Caps, Option<Level>), Refusal> {
    const KEY: &str = "io.modelcontextprotocol";
    let refuse = |message: String| Refusal::bad_request(invalid_params(message));
    let meta = request.meta();
    let Some(capabilities) = meta.capabilities else {
        return Err(refuse(format!(
            "`params._meta[\"{KEY}/clientCapabilities\"]` is missing: an object is required"
        )));
    };
    if !capabilities.get().starts_with('{') {
        let got = kind(capabilities);
        return Err(refuse(format!(
            "`params._meta[\"{KEY}/clientCapabilities\"]` must be an object, not {got}"
        )));
    }
    let requested = meta.version.and_then(text_of);
    let Some(requested) = requested else {
        return Err(refuse(format!("`params._meta[\"{KEY}/protocolVersion\"]` must be there, as a string")));
    };
    if Version::parse(&requested) != Some(Version::MODERN) {
        let fail = Fail::rpc(
            code::UNSUPPORTED_VERSION,
            format!("Unsupported protocol version: {}", shown(&requested)),
        )
        .data(&json!({ "supported": Version::ALL.map(Version::as_str), "requested": shown(&requested) }));
        return Err(Refusal::bad_request(fail));
    }
    let log_level = match meta.log_level {
        None => None,
        Some(raw) => match text_of(raw).and_then(|name| Level::parse(&name)) {
            Some(level) => Some(level),
            None => {
                return Err(refuse(format!(
                    "`params._meta[\"{KEY}/logLevel\"]`: no such level: {}",
                    shown(raw.get())
                )));
            }
        },
    };
    Ok((Version::MODERN, Caps::read(capabilities), log_level))
}

impl Turn<'_, '_> {
    pub(super) fn modern(self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        match self.request.method.as_ref() {
            "tools/call" => self.call_tool(out),
            "server/discover" if self.caps.relay => Ok(self.ready(out, &self.surface.greeting_with_hash())),
            "server/discover" => Ok(self.ready(out, self.surface.greeting(self.version))),
            "tools/list" => self.list(out, List::Tools),
            "resources/list" => self.list(out, List::Resources),
            "resources/templates/list" => self.list(out, List::Templates),
            "prompts/list" => self.list(out, List::Prompts),
            "resources/read" | "prompts/get" => {
                self.require_offered()?;
                self.request.settle()?;
                let round = self.round()?;
                Ok(self.forward(out, round))
            }
            "completion/complete" => {
                self.require_offered()?;
                self.request.settle()?;
                Ok(self.forward(out, Round::default()))
            }
            "subscriptions/listen" => Ok(Flow::Listen(Filter::read(&self.request.params, &self.surface)?)),
            "tasks/get" => self.with_task(out, |turn, out, id| {
                turn.engine.tasks.get(&turn.renderer(), out, id, turn.principal())
            }),
            "tasks/cancel" => self.with_task(out, |turn, out, id| {
                turn.engine.tasks.cancel(id, turn.principal())?;
                turn.renderer().acknowledge(out);
                Ok(())
            }),
            "tasks/update" => self.with_task(out, |turn, out, id| {
                let given = required_object(turn.request.params.input_responses, "inputResponses")?;
                turn.engine.tasks.update(id, turn.principal(), given)?;
                turn.renderer().acknowledge(out);
                Ok(())
            }),
            method if self.surface.has_method(method) => Ok(self.forward(out, Round::default())),
            method => Err(Refusal::no_method(method)),
        }
    }

    fn principal(&self) -> &str {
        &self.link.caller.principal
    }

    fn call_tool(self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        self.request.settle()?;
        let round = self.round()?;
        let tool = match &self.request.target {
            Target::Tool { name, .. } => self.surface.tool(name),
            _ => None,
        };
        let tasks = tool.map_or(Tasks::Never, |tool| tool.tasks);
        let as_task = match tasks {
            Tasks::Never => false,
            // It has the task; here is only the work.
            _ if self.caps.relay => false,
            Tasks::Optional => self.caps.tasks,
            Tasks::Required | Tasks::RequiredAfterInput if !self.caps.tasks => {
                return Err(Refusal::bad_request(Fail::missing_tasks()));
            }
            Tasks::Required => true,
            Tasks::RequiredAfterInput => round.responses.is_some(),
        };
        if !as_task {
            return Ok(self.forward(out, round));
        }
        let (message, cx) = (self.request.text().into(), self.cx(round.responses));
        let task = self.engine.tasks.create(self.engine, message, cx, &self.surface)?;
        let mut result = Vec::new();
        task.write_created(&self.renderer(), &mut result);
        Ok(self.ready(out, &result))
    }

    /// The input a further round brings, and what its sealed state held.
    fn round(&self) -> Result<Round, Refusal> {
        let params = &self.request.params;
        let given: BTreeMap<String, &RawValue> = match params.input_responses {
            None => BTreeMap::new(),
            some => required_object(some, "inputResponses")?,
        };
        let given = given.into_iter().map(|(key, raw)| (key, raw.to_owned()));
        let Some(state) = optional_text(params.request_state, "requestState")? else {
            // A client that knows the requests may respond before it gets them; only an approval must have been
            // requested.
            let responses = InputResponses { given: given.collect(), ..InputResponses::default() };
            let responses = (!responses.given.is_empty()).then(|| Arc::new(responses));
            return Ok(Round { responses, ticket: None });
        };
        let opened = self.engine.seal.open(&self.request.binding(self.principal()), &state)?;
        let mut responses = opened.responses;
        responses.given.extend(given);
        Ok(Round { responses: Some(Arc::new(responses)), ticket: Some(opened.ticket) })
    }

    fn with_task(
        &self,
        out: &mut Vec<u8>,
        serve: impl FnOnce(&Self, &mut Vec<u8>, &str) -> Result<(), Fail>,
    ) -> Result<Flow, Refusal> {
        self.require(self.surface.has_tasks())?;
        if !self.caps.tasks {
            return Err(Refusal::bad_request(Fail::missing_tasks()));
        }
        let id = required_text(self.request.params.task_id, "taskId")?;
        let mut result = Vec::new();
        serve(self, &mut result, &id)?;
        Ok(self.ready(out, &result))
    }
}
