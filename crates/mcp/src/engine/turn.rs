//! One request being served: what both eras do alike.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::ask::Answers;
use crate::cancel::Cancel;
use crate::caps::Caps;
use crate::code;
use crate::cx::{Cx, Level, Progress};
use crate::fail::Fail;
use crate::id::IdRef;
use crate::render::{self, Style};
use crate::run;
use crate::seal::Ticket;
use crate::service::{Completable, Completing, Handled, Outcome, Request, Wanted};
use crate::surface::{List, Surface};
use crate::version::Version;
use crate::wire::{kind, text_of};

use super::pending::{Origin, Pending};
use super::{Engine, Flow, Link, OwnedRequest, Parsed, Refusal, Status};

/// A request, the terms it is served on, and the surface at that moment.
pub(super) struct Turn<'a> {
    pub(super) engine: &'a Engine,
    pub(super) parsed: &'a Parsed<'a>,
    pub(super) link: &'a Link,
    pub(super) surface: Arc<Surface>,
    pub(super) version: Version,
    pub(super) caps: Caps,
    pub(super) log_level: Option<Level>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        parsed: &'a Parsed<'a>,
        link: &'a Link,
    ) -> Result<Turn<'a>, Refusal> {
        let (version, caps, log_level) = if parsed.modern {
            super::modern::terms(parsed)?
        } else {
            let (version, caps, level) = link.session.terms();
            (version, caps, Some(level))
        };
        let surface = engine.service.surface();
        Ok(Turn { engine, parsed, link, surface, version, caps, log_level })
    }

    pub(super) fn style(&self) -> Style<'_> {
        Style::new(self.version, &self.surface)
    }

    /// Answers with a result that is JSON already.
    pub(super) fn ready(&self, out: &mut Vec<u8>, result: &[u8]) -> Flow {
        render::ready(out, self.parsed.id, result);
        Flow::Done(Status::Ok)
    }

    pub(super) fn list(&self, out: &mut Vec<u8>, list: List) -> Result<Flow, Refusal> {
        let declared = match list {
            List::Tools => !self.surface.tools().is_empty(),
            List::Resources | List::Templates => !self.surface.resources().is_empty(),
            List::Prompts => !self.surface.prompts().is_empty(),
        };
        if !declared {
            return Err(Refusal::no_method(&self.parsed.method));
        }
        let cursor = optional_text(self.parsed.params.cursor, "cursor")?;
        let page = self.surface.page(list, self.version, cursor.as_deref())?;
        Ok(self.ready(out, page))
    }

    pub(super) fn read_resource(&self, out: &mut Vec<u8>, answers: Round) -> Result<Flow, Refusal> {
        self.require(!self.surface.resources().is_empty())?;
        let uri = required_text(self.parsed.params.uri, "uri")?;
        Ok(self.forward(out, Wanted::Resource { uri: &uri }, answers))
    }

    pub(super) fn get_prompt(&self, out: &mut Vec<u8>, answers: Round) -> Result<Flow, Refusal> {
        self.require(!self.surface.prompts().is_empty())?;
        let name = required_text(self.parsed.params.name, "name")?;
        let arguments = optional_object(self.parsed.params.arguments, "arguments")?;
        Ok(self.forward(out, Wanted::Prompt { name: &name, arguments }, answers))
    }

    pub(super) fn complete(&self, out: &mut Vec<u8>) -> Result<Flow, Refusal> {
        #[derive(serde::Deserialize)]
        struct Reference<'a> {
            #[serde(borrow, rename = "type")]
            kind: Cow<'a, str>,
            #[serde(borrow, default)]
            name: Cow<'a, str>,
            #[serde(borrow, default)]
            uri: Cow<'a, str>,
        }
        #[derive(serde::Deserialize)]
        struct Argument<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(borrow)]
            value: Cow<'a, str>,
        }
        #[derive(serde::Deserialize)]
        struct Context<'a> {
            #[serde(borrow, default)]
            arguments: Option<&'a RawValue>,
        }
        self.require(self.surface.completes())?;
        let reference: Reference<'_> = required_object(self.parsed.params.reference, "ref")?;
        let argument: Argument<'_> = required_object(self.parsed.params.argument, "argument")?;
        let others = match self.parsed.params.context {
            None => None,
            Some(raw) => required_object::<Context<'_>>(Some(raw), "context")?.arguments,
        };
        let of = match reference.kind.as_ref() {
            "ref/prompt" => Completable::Prompt(&reference.name),
            "ref/resource" => Completable::Template(&reference.uri),
            other => {
                let message =
                    format!("`params.ref.type` must be `ref/prompt` or `ref/resource`, not `{other}`");
                return Err(Fail::rpc(code::INVALID_PARAMS, message).into());
            }
        };
        let typed = Completing { of, argument: &argument.name, value: &argument.value, others };
        Ok(self.forward(out, Wanted::Completion(typed), Round::default()))
    }

    /// A capability that is not declared is a method that does not exist.
    pub(super) fn require(&self, declared: bool) -> Result<(), Refusal> {
        if declared { Ok(()) } else { Err(Refusal::no_method(&self.parsed.method)) }
    }

    pub(super) fn cx(&self, answers: Option<Arc<Answers>>) -> Cx {
        Cx {
            version: self.version,
            caps: self.caps,
            caller: Arc::clone(&self.link.caller),
            outlet: Arc::clone(&self.link.outlet),
            progress: self.progress_token().map(|token| Arc::new(Progress::new(token))),
            log_level: self.log_level,
            answers,
            cancel: Cancel::default(),
        }
    }

    /// A string or an integer, as ids are; anything else is no token, and no reason to refuse the request.
    fn progress_token(&self) -> Option<&'a RawValue> {
        self.parsed.meta.progress_token.filter(|token| IdRef::from_raw(token).is_some())
    }

    /// Hands the request to the service.
    pub(super) fn forward(&self, out: &mut Vec<u8>, wanted: Wanted<'_>, round: Round) -> Flow {
        let cx = self.cx(round.answers);
        let cancel = cx.cancel.clone();
        // Running again with answers takes the same context once more.
        let again = self.caps_allow_asking().then(|| cx.clone());
        let request = Request::of_message(wanted, self.parsed.text);
        let handled = run::guarded(|| self.engine.service.handle(request, cx));
        let origin = || Origin {
            id: self.parsed.id.to_owned(),
            version: self.version,
            surface: Arc::clone(&self.surface),
            request: OwnedRequest::new(&self.parsed.method, request, again.is_some()),
            seal: Arc::clone(&self.engine.seal),
            ticket: round.ticket,
            caller: Arc::clone(&self.link.caller),
            service: Arc::clone(&self.engine.service),
            session: Arc::clone(&self.link.session),
            again,
        };
        match handled {
            // In the modern era a question is an answer.
            Handled::Now(Outcome::Ask(asks)) if self.version.is_modern() => {
                let answered = origin().ask_modern(asks);
                out.extend_from_slice(&answered.frame.into_bytes());
                Flow::Done(answered.status)
            }
            Handled::Now(outcome @ Outcome::Ask(_)) => {
                let future = Box::pin(std::future::ready(outcome));
                Flow::Later(Pending { future, origin: origin(), cancel })
            }
            Handled::Now(outcome) => {
                self.style().outcome(out, self.parsed.id, &outcome);
                Flow::Done(Status::of(&outcome, self.version))
            }
            Handled::Later(future) => Flow::Later(Pending { future, origin: origin(), cancel }),
        }
    }

    fn caps_allow_asking(&self) -> bool {
        let Caps { form, url, sampling, roots, .. } = self.caps;
        form || url || sampling || roots
    }
}

/// What came with a request that is a further round of an earlier one.
#[derive(Default)]
pub(super) struct Round {
    pub(super) answers: Option<Arc<Answers>>,
    pub(super) ticket: Option<Ticket>,
}

pub(super) fn invalid(message: impl Into<String>) -> Fail {
    Fail::rpc(code::INVALID_PARAMS, message)
}

pub(super) fn optional_text<'a>(
    field: Option<&'a RawValue>,
    name: &str,
) -> Result<Option<Cow<'a, str>>, Fail> {
    match field {
        None => Ok(None),
        Some(raw) => match text_of(raw) {
            Some(text) => Ok(Some(text)),
            None => Err(invalid(format!("`params.{name}` must be a string, not {}", kind(raw)))),
        },
    }
}

pub(super) fn required_text<'a>(field: Option<&'a RawValue>, name: &str) -> Result<Cow<'a, str>, Fail> {
    optional_text(field, name)?
        .ok_or_else(|| invalid(format!("`params.{name}` is missing: a string is required")))
}

pub(super) fn optional_object<'a>(
    field: Option<&'a RawValue>,
    name: &str,
) -> Result<Option<&'a RawValue>, Fail> {
    match field {
        Some(raw) if !raw.get().starts_with('{') => {
            Err(invalid(format!("`params.{name}` must be an object, not {}", kind(raw))))
        }
        other => Ok(other),
    }
}

pub(super) fn required_object<'a, T: serde::Deserialize<'a>>(
    field: Option<&'a RawValue>,
    name: &str,
) -> Result<T, Fail> {
    let Some(raw) = optional_object(field, name)? else {
        return Err(invalid(format!("`params.{name}` is missing: an object is required")));
    };
    serde_json::from_str(raw.get())
        .map_err(|error| invalid(format!("`params.{name}`: {}", crate::wire::plain(&error))))
}
