//! Batches, which were part of 2025-03-26 alone: every message is served, and one array answers them all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;

use crate::code;
use crate::fail::Fail;
use crate::frame::Frame;
use crate::id::IdRef;
use crate::json;
use crate::render::{self, Unreadable};
use crate::request::Request;
use crate::wire::{Batch, Message, Params};

use super::{Engine, Flow, Link};

/// What a batch is answered with, in the order of its requests.
pub(crate) struct BatchAnswer(Vec<Part>);

enum Part {
    Written(Vec<u8>),
    /// Nothing, in the end, for what was cancelled.
    UnderWay(JoinHandle<Option<Vec<u8>>>),
}

impl Engine {
    /// Serves every message of a batch. `held` is the room its body takes until the last one is answered; `notification` gets
    /// those that are one.
    pub(crate) fn batch(
        &self,
        batch: Batch<'_>,
        link: &Link,
        unreadable: Unreadable,
        held: Option<OwnedSemaphorePermit>,
        notification: impl Fn(&str, &Params<'_>),
    ) -> BatchAnswer {
        let mut parts = Vec::new();
        let room = Room::beside(held);
        for message in batch {
            match message {
                Err(bad) => parts.push(written(|out| render::malformed(out, &bad, unreadable))),
                Ok(Message::Notification { method, params }) => notification(&method, &params),
                Ok(Message::Response { id, result }) => link.session.responded(id, result),
                Ok(Message::Request(request)) => parts.push(self.batched(request, link, &room)),
            }
        }
        BatchAnswer(parts)
    }

    fn batched(&self, mut request: Request<'_>, link: &Link, room: &Room) -> Part {
        if let Err(fail) = may_be_batched(&request) {
            return failed(request.id, &fail);
        }
        let mut frame = Vec::new();
        match self.serve(&mut request, link, &mut frame) {
            // Started at once: its id is in use for the rest of the batch.
            Flow::Later(pending) => {
                let (id, room) = (request.id.to_owned(), room.clone());
                let deliver = move |frame: Frame| room.hold((&id).into(), frame.into_bytes());
                match link.session.inflight.start(&self.workers, pending, deliver) {
                    Ok(call) => Part::UnderWay(call),
                    Err((id, fail)) => failed((&id).into(), &fail),
                }
            }
            // There are no subscriptions before 2026-07-28.
            Flow::Done(_) | Flow::Listen(_) => Part::Written(room.hold(request.id, frame)),
        }
    }
}

/// The room that is left for the answers of a batch, which are held until the last one is there. A client that wants more takes
/// them one by one, as fast as it reads.
#[derive(Clone)]
struct Room {
    taken: Arc<AtomicUsize>,
    /// What the batch came in is kept with every call of it that is under way.
    _body: Option<Arc<OwnedSemaphorePermit>>,
}

impl Room {
    /// The answers that begin within so many bytes are given.
    const BYTES: usize = 64 * 1024 * 1024;

    fn beside(body: Option<OwnedSemaphorePermit>) -> Room {
        Room { taken: Arc::default(), _body: body.map(Arc::new) }
    }

    /// An answer as it is or, where those before it took all the room, an error in its place.
    fn hold(&self, id: IdRef<'_>, frame: Vec<u8>) -> Vec<u8> {
        if self.taken.fetch_add(frame.len(), Ordering::Relaxed) < Room::BYTES {
            return frame;
        }
        let text = "This was served, but the answers to its batch are too long together; send fewer requests at once";
        let mut out = Vec::new();
        render::fail(&mut out, id, &Fail::rpc(code::BUSY, text), false);
        out
    }
}

fn may_be_batched(request: &Request<'_>) -> Result<(), Fail> {
    let refuse = |text: &str| Err(Fail::rpc(code::INVALID_REQUEST, format!("Invalid request: {text}")));
    if request.method == "initialize" {
        return refuse("`initialize` cannot be part of a batch");
    }
    if request.modern {
        return refuse("a request of 2026-07-28 cannot be part of a batch");
    }
    Ok(())
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> Part {
    let mut frame = Vec::new();
    write(&mut frame);
    Part::Written(frame)
}

fn failed(id: IdRef<'_>, fail: &Fail) -> Part {
    written(|out| render::fail(out, id, fail, false))
}

impl BatchAnswer {
    /// Whether something of it is still under way.
    pub(crate) fn is_under_way(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::UnderWay(_)))
    }

    /// The whole array, when the last part of it is there; `None` where there is nothing to answer.
    pub(crate) async fn finish(self) -> Option<Vec<u8>> {
        let mut frames = Vec::new();
        for part in self.0 {
            match part {
                Part::Written(frame) => frames.push(frame),
                Part::UnderWay(call) => frames.extend(call.await.ok().flatten()),
            }
        }
        joined(&frames)
    }

    /// The whole array, where nothing of it is under way.
    pub(crate) fn at_once(self) -> Option<Vec<u8>> {
        let written = self.0.into_iter().filter_map(|part| match part {
            Part::Written(frame) => Some(frame),
            Part::UnderWay(_) => None,
        });
        joined(&written.collect::<Vec<_>>())
    }
}

fn joined(frames: &[Vec<u8>]) -> Option<Vec<u8>> {
    if frames.is_empty() {
        return None;
    }
    let mut all = Vec::new();
    json::array(&mut all, frames, |out, frame| out.extend_from_slice(frame));
    Some(all)
}
