//! A request's body, whole, within its limits.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::code;

use super::responses::Refused;
use super::{Policy, bad_request, refused};

/// So much of every body counts as nothing: most are no longer.
const FREE: usize = 64 * 1024;

/// Room for the bodies of all clients, beyond what is free.
pub(super) struct Room(Arc<Semaphore>);

/// Room for so many bytes.
const UNIT: usize = 64 * 1024;

impl Room {
    pub(super) fn new(bytes: usize) -> Room {
        Room(Arc::new(Semaphore::new((bytes / UNIT).min(Semaphore::MAX_PERMITS))))
    }
}

/// A body, and the room it takes as long as it is worked on.
pub(super) struct Whole {
    pub(super) bytes: Bytes,
    pub(super) held: Option<OwnedSemaphorePermit>,
}

/// Reads the whole body. A timer is only started for one that is not there yet.
pub(super) async fn whole<B>(mut body: B, policy: &Policy, room: &Room) -> Result<Whole, Refused>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let announced = body.size_hint().lower();
    if announced > u64::try_from(policy.body).unwrap_or(u64::MAX) {
        return Err(too_large(policy.body));
    }
    let mut collected = Collected::new(room);
    if let Poll::Ready(done) =
        collected.poll(Pin::new(&mut body), policy.body, &mut Context::from_waker(Waker::noop()))
    {
        return done;
    }
    let mut quiet = std::pin::pin!(tokio::time::sleep(policy.body_time));
    let rest = poll_fn(|cx| {
        let before = collected.len();
        if let Poll::Ready(done) = collected.poll(Pin::new(&mut body), policy.body, cx) {
            return Poll::Ready(done);
        }
        // What arrives renews the time.
        if collected.len() > before {
            quiet.as_mut().reset(Instant::now() + policy.body_time);
        }
        quiet.as_mut().poll(cx).map(|()| Err(too_slow()))
    });
    // A byte now and then does not hold a connection for ever.
    tokio::time::timeout(policy.body_time.saturating_mul(10), rest).await.unwrap_or_else(|_| Err(too_slow()))
}

fn too_slow() -> Refused {
    refused(StatusCode::REQUEST_TIMEOUT, code::INVALID_REQUEST, "The body took too long")
}

fn too_large(limit: usize) -> Refused {
    let message = format!("Invalid request: message over {} MB; send less at once", limit / 1_000_000);
    refused(StatusCode::PAYLOAD_TOO_LARGE, code::INVALID_REQUEST, &message)
}

fn no_room() -> Refused {
    let message = "Too much is being sent at once; try again when some of it is done";
    refused(StatusCode::SERVICE_UNAVAILABLE, code::BUSY, message)
}

/// Most bodies are one piece, which is then handed on without a copy.
struct Collected {
    first: Bytes,
    more: Vec<u8>,
    room: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Collected {
    fn new(room: &Room) -> Collected {
        Collected { first: Bytes::new(), more: Vec::new(), room: Arc::clone(&room.0), held: None }
    }

    /// Takes room for what has arrived: what is only announced holds up nobody.
    fn take_room(&mut self) -> bool {
        let needed = self.len().saturating_sub(FREE).div_ceil(UNIT);
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = u32::try_from(needed.saturating_sub(held)).unwrap_or(u32::MAX);
        if more == 0 {
            return true;
        }
        match (Arc::clone(&self.room).try_acquire_many_owned(more), &mut self.held) {
            (Err(_), _) => return false,
            (Ok(new), Some(held)) => held.merge(new),
            (Ok(new), held @ None) => *held = Some(new),
        }
        true
    }

    fn poll<B>(
        &mut self,
        mut body: Pin<&mut B>,
        limit: usize,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Whole, Refused>>
    where
        B: http_body::Body<Data = Bytes>,
    {
        loop {
            match body.as_mut().poll_frame(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Ok(self.take())),
                Poll::Ready(Some(Err(_))) => {
                    return Poll::Ready(Err(bad_request("Invalid request: the body broke off")));
                }
                Poll::Ready(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        if self.len() + data.len() > limit {
                            return Poll::Ready(Err(too_large(limit)));
                        }
                        self.push(data);
                        if !self.take_room() {
                            return Poll::Ready(Err(no_room()));
                        }
                    }
                }
            }
        }
    }

    fn len(&self) -> usize {
        self.first.len() + self.more.len()
    }

    fn push(&mut self, data: Bytes) {
        if self.len() == 0 {
            self.first = data;
        } else {
            let first = std::mem::take(&mut self.first);
            self.more.extend_from_slice(&first);
            self.more.extend_from_slice(&data);
        }
    }

    fn take(&mut self) -> Whole {
        let bytes = if self.more.is_empty() {
            std::mem::take(&mut self.first)
        } else {
            std::mem::take(&mut self.more).into()
        };
        Whole { bytes, held: self.held.take() }
    }
}
