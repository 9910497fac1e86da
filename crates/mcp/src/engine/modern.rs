//! 2026-07-28: every request stands alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use crate::ask::Answers;
use crate::caps::Caps;
use crate::code;
use crate::cx::Level;
use crate::fail::Fail;
use crate::service::{Request, Wanted};
use crate::surface::List;
use crate::tool::Tasks;
use crate::version::Version;
use crate::wire::{kind, text_of};

use super::turn::{Round, Turn, invalid, optional_object, optional_text, required_object, required_text};
use super::{Filter, Flow, OwnedRequest, Parsed, Refusal};

/// Reads what a modern request says about itself.
pub(super) fn terms(parsed: &Parsed<'_>) -> Result<(Version, Caps, Option<Level>), Refusal> {
    const KEY: &str = "io.modelcontextprotocol";
    let refuse = |message: String| Refusal::bad_request(invalid(message));
    let Some(capabilities) = parsed.meta.capabilities else {
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
    let requested = parsed.meta.version.and_then(text_of);
    let Some(requested) = requested else {
        return Err(refuse(format!("`params._meta[\"{KEY}/protocolVersion\"]` must be there, as a string")));
    };
    if Version::parse(&requested) != Some(Version::MODERN) {
        let fail = Fail::rpc(code::UNSUPPORTED_VERSION, format!("Unsupported protocol version: {requested}"))
            .data(&json!({ "supported": Version::ALL.map(Version::as_str), "requested": requested }));
        return Err(Refusal::bad_request(fail));
    }
    let log_level = match parsed.meta.log_level {
        None => None,
        Some(raw) => match text_of(raw).and_then(|name| Level::parse(&name)) {
            Some(level) => Some(level),
            None => {
                return Err(refuse(format!(
                    "`params._meta[\"{KEY}/logLevel\"]`: no such level: {}",
                    raw.get()
                )));
            }
        },
    };
    Ok((Version::MODERN, Caps::read(capabilities), log_level))
}

impl Turn<'_> {
    pub(super) fn modern(self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        match self.parsed.method.as_ref() {
            "tools/call" => self.call_tool_modern(out),
            "server/discover" => Ok(self.ready(out, self.surface.greeting(self.version))),
            "tools/list" => self.list(out, List::Tools),
            "resources/list" => self.list(out, List::Resources),
            "resources/templates/list" => self.list(out, List::Templates),
            "prompts/list" => self.list(out, List::Prompts),
            "resources/read" => {
                let uri = required_text(self.parsed.params.uri, "uri")?;
                let round = self.round(Wanted::Resource { uri: &uri })?;
                self.read_resource(out, round)
            }
            "prompts/get" => {
                let name = required_text(self.parsed.params.name, "name")?;
                let arguments = optional_object(self.parsed.params.arguments, "arguments")?;
                let round = self.round(Wanted::Prompt { name: &name, arguments })?;
                self.get_prompt(out, round)
            }
            "completion/complete" => self.complete(out),
            "subscriptions/listen" => Ok(Flow::Listen(Filter::read(&self.parsed.params, &self.surface)?)),
            "tasks/get" => self.with_task(out, |turn, out, id| {
                turn.engine.tasks.get(&turn.style(), out, id, turn.principal())
            }),
            "tasks/cancel" => self.with_task(out, |turn, out, id| {
                turn.engine.tasks.cancel(id, turn.principal())?;
                turn.style().acknowledge(out);
                Ok(())
            }),
            "tasks/update" => self.with_task(out, |turn, out, id| {
                let answers = required_object(turn.parsed.params.input_responses, "inputResponses")?;
                turn.engine.tasks.update(id, turn.principal(), answers)?;
                turn.style().acknowledge(out);
                Ok(())
            }),
            method if self.surface.has_method(method) => {
                Ok(self.forward(out, Wanted::Method { name: method }, Round::default()))
            }
            method => Err(Refusal::no_method(method)),
        }
    }

    fn principal(&self) -> &str {
        &self.link.caller.principal
    }

    fn call_tool_modern(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        let name = required_text(self.parsed.params.name, "name")?;
        let arguments = optional_object(self.parsed.params.arguments, "arguments")?;
        let wanted = Wanted::Tool { name: &name, arguments };
        let round = self.round(wanted)?;
        let tasks = self.surface.tool(&name).map_or(Tasks::Never, |tool| tool.tasks);
        let as_task = match tasks {
            Tasks::Never => false,
            Tasks::Optional => self.caps.tasks,
            Tasks::Required | Tasks::RequiredAfterAsking if !self.caps.tasks => {
                return Err(Refusal::bad_request(Fail::missing_tasks()));
            }
            Tasks::Required => true,
            Tasks::RequiredAfterAsking => round.answers.is_some(),
        };
        if !as_task {
            return Ok(self.forward(out, wanted, round));
        }
        let request = Request::of_message(wanted, self.parsed.text);
        let request = OwnedRequest::new(&self.parsed.method, request, true);
        let task = self.engine.tasks.create(self.engine, request, self.cx(round.answers), &self.surface)?;
        let mut result = Vec::new();
        task.write_created(&self.style(), &mut result);
        Ok(self.ready(out, &result))
    }

    /// The answers a further round brings, and what its sealed state held.
    fn round(&self, wanted: Wanted<'_>) -> Result<Round, Refusal> {
        let params = &self.parsed.params;
        let given: BTreeMap<String, &RawValue> = match params.input_responses {
            None => BTreeMap::new(),
            some => required_object(some, "inputResponses")?,
        };
        let given = given.into_iter().map(|(key, raw)| (key, raw.to_owned()));
        let Some(state) = optional_text(params.request_state, "requestState")? else {
            // A client that knows the questions may answer before it is asked; only an approval must
            // have been asked for.
            let answers = Answers { given: given.collect(), ..Answers::default() };
            let answers = (!answers.given.is_empty()).then(|| Arc::new(answers));
            return Ok(Round { answers, ticket: None });
        };
        let request = OwnedRequest::new(&self.parsed.method, Request::new(wanted, None), false);
        let opened = self.engine.seal.open(&request.binding(self.principal()), &state)?;
        let mut answers = opened.answers;
        answers.given.extend(given);
        Ok(Round { answers: Some(Arc::new(answers)), ticket: Some(opened.ticket) })
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
        let id = required_text(self.parsed.params.task_id, "taskId")?;
        let mut result = Vec::new();
        serve(self, &mut result, &id)?;
        Ok(self.ready(out, &result))
    }
}
