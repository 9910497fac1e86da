//! A request under way: driven to its end, with requests for input in between where the handler needs some.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use crate::cancel::Cancel;
use crate::code;
use crate::cx::{Caller, Cx};
use crate::fail::Fail;
use crate::frame::Frame;
use crate::id::Id;
use crate::input::{InputRequests, InputResponses};
use crate::render::{self, Renderer};
use crate::request::Request;
use crate::run::{self, Guarded};
use crate::seal::{Seal, Ticket};
use crate::service::{BoxFuture, Handled, Outcome, Service};
use crate::session::Session;
use crate::surface::Surface;
use crate::version::Version;

use super::Status;

/// A request that has no response yet.
pub(crate) struct Pending {
    pub(super) future: BoxFuture<Outcome>,
    pub(super) origin: Origin,
    pub(super) cancel: Cancel,
    /// Room that it takes until it is answered.
    pub(super) held: Option<OwnedSemaphorePermit>,
}

/// What is needed to answer it, and to run its handler again.
pub(super) struct Origin {
    pub(super) id: Id,
    pub(super) version: Version,
    pub(super) surface: Arc<Surface>,
    /// What it came in, kept where the handler may run again.
    pub(super) message: Option<Box<str>>,
    pub(super) seal: Arc<Seal>,
    pub(super) ticket: Option<Ticket>,
    pub(super) caller: Arc<Caller>,
    pub(super) service: Arc<dyn Service>,
    pub(super) session: Arc<Session>,
    /// There only when the client takes requests for input.
    pub(super) again: Option<Cx>,
}

/// A finished response.
#[cfg_attr(not(feature = "http"), allow(dead_code))]
pub(crate) struct Response {
    pub(crate) frame: Frame,
    pub(crate) status: Status,
}

impl Pending {
    pub(crate) fn id(&self) -> &Id {
        &self.origin.id
    }

    /// Keeps this room until it is answered.
    #[cfg(feature = "http")]
    pub(crate) fn holding(self, held: Option<OwnedSemaphorePermit>) -> Pending {
        Pending { held, ..self }
    }

    /// Told when the client gives up.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Drives the handler to its end and writes the response. There is one whatever happens on the way.
    pub(crate) async fn finish(self) -> Response {
        let (id, is_modern) = (self.origin.id.clone(), self.origin.version.is_modern());
        let finished = run::caught(self.finish_unguarded()).await;
        finished.unwrap_or_else(|| {
            let mut frame = Vec::new();
            render::fail(&mut frame, (&id).into(), &run::panicked(), is_modern);
            Response { frame: frame.into(), status: Status::Ok }
        })
    }

    async fn finish_unguarded(self) -> Response {
        let Pending { future, origin, cancel: _, held: _held } = self;
        let mut outcome = Guarded(future).await;
        let mut responses = origin.responses_so_far();
        while let Outcome::InputRequired(requests) = outcome {
            if origin.version.is_modern() {
                return origin.require_input(requests);
            }
            outcome = origin.request_input(requests, &mut responses).await.unwrap_or_else(Outcome::Fail);
        }
        let frame = Renderer::new(origin.version, &origin.surface).frame((&origin.id).into(), &outcome);
        Response { frame, status: Status::of(&outcome, origin.version) }
    }
}

impl Origin {
    fn responses_so_far(&self) -> InputResponses {
        self.again.as_ref().and_then(|cx| cx.responses.as_deref().cloned()).unwrap_or_default()
    }

    /// The request for input as a result (modern); the client calls again with the input and the sealed state.
    pub(super) fn require_input(&self, requests: InputRequests) -> Response {
        // No effect precedes a request for input, so what came so far may come again.
        if let Some(ticket) = self.ticket {
            self.seal.give_back(ticket);
        }
        let mut responses = self.responses_so_far();
        responses.note(&requests);
        responses.state = requests.state;
        let id = (&self.id).into();
        let mut frame = Vec::new();
        let sealed = match self.message.as_deref().and_then(Request::again) {
            Some(request) if request.may_require_input() => {
                self.seal.close(&request.binding(&self.caller.principal), &responses)
            }
            _ => Err(Fail::rpc(
                code::INTERNAL_ERROR,
                "This can only be asked in a `tools/call`; call the tool by name",
            )),
        };
        match sealed {
            Ok(state) => {
                let renderer = Renderer::new(self.version, &self.surface);
                renderer.input_required(&mut frame, id, &requests.requests, &state);
            }
            Err(fail) => {
                render::fail(&mut frame, id, &fail, true);
            }
        }
        Response { frame: frame.into(), status: Status::Ok }
    }

    /// The request for input as a request to the client (legacy); then the handler runs again, here.
    async fn request_input(
        &self,
        requests: InputRequests,
        responses: &mut InputResponses,
    ) -> Result<Outcome, Fail> {
        let Some((cx, message)) = self.again.as_ref().zip(self.message.as_deref()) else {
            return Err(Fail::new("This needs an answer from the person, and the client cannot ask"));
        };
        self.session.request_input(&*cx.outlet, requests, responses).await?;
        let Some(request) = Request::again(message) else {
            return Err(Fail::rpc(code::INTERNAL_ERROR, "The request cannot be read a second time"));
        };
        let cx = Cx { responses: Some(Arc::new(responses.clone())), ..cx.clone() };
        let handled = run::guarded(|| self.service.handle(&request, cx));
        // Not held while waiting: it is not needed any more.
        drop(request);
        Ok(match handled {
            Handled::Now(outcome) => outcome,
            Handled::Later(future) => Guarded(future).await,
        })
    }
}
