//! One request being served: what both eras do alike.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::cancel::Cancel;
use crate::caps::Caps;
use crate::cx::{Cx, Level, Progress};
use crate::id::IdRef;
use crate::input::InputResponses;
use crate::render::{self, Renderer};
use crate::request::Request;
use crate::run;
use crate::seal::Ticket;
use crate::service::{Handled, Outcome};
use crate::surface::{List, Surface};
use crate::version::Version;
use crate::wire::{self, optional_text};

use super::pending::{Origin, Pending};
use super::{Engine, Flow, Link, Refusal, Status};

/// A request, the terms it is served on, and the surface at that moment.
pub(super) struct Turn<'t, 'a> {
    pub(super) engine: &'t Engine,
    pub(super) request: &'t mut Request<'a>,
    pub(super) link: &'t Link,
    pub(super) surface: Arc<Surface>,
    pub(super) version: Version,
    pub(super) caps: Caps,
    pub(super) log_level: Option<Level>,
}

impl<'t, 'a> Turn<'t, 'a> {
    pub(super) fn new(
        engine: &'t Engine,
        request: &'t mut Request<'a>,
        link: &'t Link,
    ) -> Result<Turn<'t, 'a>, Refusal> {
        let (version, caps, log_level) = if request.modern {
            super::modern::terms(request)?
        } else {
            let (version, caps, level) = link.session.terms();
            (version, caps, Some(level))
        };
        let surface = engine.service.surface();
        Ok(Turn { engine, request, link, surface, version, caps, log_level })
    }

    pub(super) fn renderer(&self) -> Renderer<'_> {
        Renderer::new(self.version, &self.surface)
    }

    /// Answers with a result that is JSON already.
    pub(super) fn ready(&self, out: &mut Vec<u8>, result: &[u8]) -> Flow {
        render::ready(out, self.request.id, result);
        Flow::Done(Status::Ok)
    }

    pub(super) fn list(&self, out: &mut Vec<u8>, list: List) -> Result<Flow, Refusal> {
        let declared = match list {
            List::Tools => self.surface.declared().tools,
            List::Resources | List::Templates => self.surface.declared().resources,
            List::Prompts => self.surface.declared().prompts,
        };
        if !declared {
            return Err(Refusal::no_method(&self.request.method));
        }
        let cursor = optional_text(self.request.params.cursor, "cursor")?;
        let page = self.surface.page(list, self.version, cursor.as_deref())?;
        Ok(self.ready(out, page))
    }

    /// A capability that is not declared is a method that does not exist.
    pub(super) fn require(&self, declared: bool) -> Result<(), Refusal> {
        if declared { Ok(()) } else { Err(Refusal::no_method(&self.request.method)) }
    }

    /// Reading, getting and completing need something that is offered.
    pub(super) fn require_offered(&self) -> Result<(), Refusal> {
        self.require(match self.request.method.as_ref() {
            "resources/read" => self.surface.declared().resources,
            "prompts/get" => self.surface.declared().prompts,
            "completion/complete" => self.surface.declared().completions,
            _ => true,
        })
    }

    pub(super) fn cx(&self, responses: Option<Arc<InputResponses>>) -> Cx {
        Cx {
            version: self.version,
            caps: self.caps,
            caller: Arc::clone(&self.link.caller),
            outlet: Arc::clone(&self.link.outlet),
            progress: self.progress_token().map(|token| Arc::new(Progress::new(token))),
            log_level: self.log_level,
            responses,
            cancel: Cancel::default(),
            client: self.client(),
            meta: self.other_meta(),
        }
    }

    fn client(&self) -> Option<Arc<str>> {
        match self.request.meta().client_info {
            Some(raw) => Some(raw.get().into()),
            None => self.link.session.client(),
        }
    }

    /// The whole `_meta`, where it has members that are no business of the protocol.
    fn other_meta(&self) -> Option<Arc<RawValue>> {
        let raw = self.request.meta().has_others.then(|| wire::raw_meta(self.request.text())).flatten();
        raw.map(|raw| raw.to_owned().into())
    }

    /// A string or an integer, as ids are; anything else is no token, and no reason to refuse the request.
    fn progress_token(&self) -> Option<&'a RawValue> {
        self.request.meta().progress_token.filter(|token| IdRef::from_raw(token).is_some())
    }

    /// Hands the request, whose target is settled, to the service.
    pub(super) fn forward(&self, out: &mut Vec<u8>, round: Round) -> Flow {
        let cx = self.cx(round.responses);
        let cancel = cx.cancel.clone();
        // Running again with input takes the same context once more.
        let again = self.can_request_input().then(|| cx.clone());
        let handled = run::guarded(|| self.engine.service.handle(self.request, cx));
        let origin = || Origin {
            id: self.request.id.to_owned(),
            version: self.version,
            surface: Arc::clone(&self.surface),
            message: (again.is_some() || self.version.is_modern()).then(|| self.request.text().into()),
            seal: Arc::clone(&self.engine.seal),
            ticket: round.ticket,
            caller: Arc::clone(&self.link.caller),
            service: Arc::clone(&self.engine.service),
            session: Arc::clone(&self.link.session),
            again,
        };
        match handled {
            // In the modern era a request for input is a response.
            Handled::Now(Outcome::InputRequired(requests)) if self.version.is_modern() => {
                let response = origin().require_input(requests);
                out.extend_from_slice(&response.frame.into_bytes());
                Flow::Done(response.status)
            }
            Handled::Now(outcome @ Outcome::InputRequired(_)) => {
                let future = Box::pin(std::future::ready(outcome));
                Flow::Later(Pending { future, origin: origin(), cancel, held: None })
            }
            Handled::Now(outcome) => {
                self.renderer().outcome(out, self.request.id, &outcome);
                Flow::Done(Status::of(&outcome, self.version))
            }
            Handled::Later(future) => Flow::Later(Pending { future, origin: origin(), cancel, held: None }),
        }
    }

    fn can_request_input(&self) -> bool {
        let Caps { form, url, sampling, roots, .. } = self.caps;
        form || url || sampling || roots
    }
}

/// What came with a request that is a further round of an earlier one.
#[derive(Default)]
pub(super) struct Round {
    pub(super) responses: Option<Arc<InputResponses>>,
    pub(super) ticket: Option<Ticket>,
}
