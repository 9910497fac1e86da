//! A request under way: driven to its end, asking the client in between where the handler wants to know.

use std::sync::Arc;

use crate::ask::{Answers, Asks};
use crate::cancel::Cancel;
use crate::code;
use crate::cx::{Caller, Cx};
use crate::fail::Fail;
use crate::frame::Frame;
use crate::id::Id;
use crate::render::{self, Style};
use crate::run::{self, Guarded};
use crate::seal::{Seal, Ticket};
use crate::service::{BoxFuture, Handled, Outcome, Service};
use crate::session::Session;
use crate::surface::Surface;
use crate::version::Version;

use super::{OwnedRequest, Status};

/// A request that has not been answered yet.
pub(crate) struct Pending {
    pub(super) future: BoxFuture<Outcome>,
    pub(super) origin: Origin,
    pub(super) cancel: Cancel,
}

/// What is needed to answer it, and to run its handler again.
pub(super) struct Origin {
    pub(super) id: Id,
    pub(super) version: Version,
    pub(super) surface: Arc<Surface>,
    pub(super) request: OwnedRequest,
    pub(super) seal: Arc<Seal>,
    pub(super) ticket: Option<Ticket>,
    pub(super) caller: Arc<Caller>,
    pub(super) service: Arc<dyn Service>,
    pub(super) session: Arc<Session>,
    /// There only when the client can be asked.
    pub(super) again: Option<Cx>,
}

/// A finished response.
pub(crate) struct Answered {
    pub(crate) frame: Frame,
    pub(crate) status: Status,
}

impl Pending {
    pub(crate) fn id(&self) -> &Id {
        &self.origin.id
    }

    /// Told when the client gives up.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Drives the handler to its end and writes the response.
    pub(crate) async fn finish(self) -> Answered {
        let Pending { future, origin, .. } = self;
        let mut outcome = Guarded(future).await;
        let mut answers = origin.answers_so_far();
        while let Outcome::Ask(asks) = outcome {
            if origin.version.is_modern() {
                return origin.ask_modern(asks);
            }
            outcome = origin.ask_legacy(asks, &mut answers).await.unwrap_or_else(Outcome::Fail);
        }
        let frame = Style::new(origin.version, &origin.surface).frame((&origin.id).into(), &outcome);
        Answered { frame, status: Status::of(&outcome, origin.version) }
    }
}

impl Origin {
    fn answers_so_far(&self) -> Answers {
        self.again.as_ref().and_then(|cx| cx.answers.as_deref().cloned()).unwrap_or_default()
    }

    /// The question as a result; the client calls again with the answers and the sealed state.
    pub(super) fn ask_modern(&self, asks: Asks) -> Answered {
        // No effect precedes a question, so what was answered so far may be answered with again.
        if let Some(ticket) = self.ticket {
            self.seal.give_back(ticket);
        }
        let mut answers = self.answers_so_far();
        answers.note_questions(&asks);
        answers.state = asks.state;
        let id = (&self.id).into();
        let mut frame = Vec::new();
        let sealed = if self.request.may_ask() {
            self.seal.close(&self.request.binding(&self.caller.principal), &answers)
        } else {
            Err(Fail::rpc(
                code::INTERNAL_ERROR,
                "This can only be asked in a `tools/call`; call the tool by name",
            ))
        };
        match sealed {
            Ok(state) => {
                let style = Style::new(self.version, &self.surface);
                style.input_required(&mut frame, id, &asks.questions, &state);
            }
            Err(fail) => {
                render::fail(&mut frame, id, &fail, true);
            }
        }
        Answered { frame: frame.into(), status: Status::Ok }
    }

    /// The question as a request to the client; then the handler runs again, here.
    async fn ask_legacy(&self, asks: Asks, answers: &mut Answers) -> Result<Outcome, Fail> {
        let Some((cx, request)) = self.again.as_ref().zip(self.request.borrowed()) else {
            return Err(Fail::new("This needs an answer from the person, and the client cannot ask"));
        };
        self.session.ask(&*cx.outlet, asks, answers).await?;
        let cx = Cx { answers: Some(Arc::new(answers.clone())), ..cx.clone() };
        Ok(match run::guarded(|| self.service.handle(request, cx)) {
            Handled::Now(outcome) => outcome,
            Handled::Later(future) => Guarded(future).await,
        })
    }
}
