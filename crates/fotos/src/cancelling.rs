//! Work that ends when nobody waits for it any more.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use mcp::Cx;

/// The result of some work, or nothing when nobody waits for it any more.
pub(crate) async fn unless_cancelled<T>(cx: &Cx, work: impl Future<Output = T>) -> Option<T> {
    let (mut work, mut cancelled) = (pin!(work), pin!(cx.cancelled()));
    poll_fn(|task| match work.as_mut().poll(task) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => cancelled.as_mut().poll(task).map(|()| None),
    })
    .await
}
