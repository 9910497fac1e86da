//! A request under way: driven to its end, with requests for input in between where the handler needs some.

use std::pin::pin;
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
    ///
    /// Thousands of these may wait, so the future holds each part once: an `async fn` keeps its arguments beside the variables
    /// they are moved into.
    pub(crate) fn finish(self) -> impl Future<Output = Response> + Send {
        let Pending { future, origin, cancel: _, held } = self;
        async move {
            let responded = run::caught(pin!(origin.respond(future))).await;
            drop(held);
            responded.unwrap_or_else(|| {
                let mut frame = Vec::new();
                render::fail(&mut frame, (&origin.id).into(), &run::panicked(), origin.version.is_modern());
                Response { frame: frame.into(), status: Status::Ok }
            })
        }
    }
}

impl Origin {
    async fn respond(&self, future: BoxFuture<Outcome>) -> Response {
        let mut outcome = Guarded(future).await;
        if let Outcome::InputRequired(requests) = outcome {
            if self.version.is_modern() {
                return self.require_input(requests);
            }
            // Few do; the others need not have the room for it.
            outcome = Box::pin(self.request_input_until_done(requests)).await;
        }
        let frame = Renderer::new(self.version, &self.surface).frame((&self.id).into(), &outcome);
        Response { frame, status: Status::of(&outcome, self.version) }
    }

    /// Requests input as often as the handler wants some (legacy).
    async fn request_input_until_done(&self, mut requests: InputRequests) -> Outcome {
        let mut responses = self.responses_so_far();
        loop {
            match self.request_input(requests, &mut responses).await.unwrap_or_else(Outcome::Fail) {
                Outcome::InputRequired(more) => requests = more,
                outcome => return outcome,
            }
        }
    }

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
