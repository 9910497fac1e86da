//! Where a handler's future runs: here, as a task, or on a thread of the bounded pool.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::sync::Semaphore;

use crate::code;
use crate::fail::Fail;
use crate::service::{BoxFuture, Handled, Outcome};
use crate::tool::Run;

/// Starts `future` where `run` says. `pool` bounds the threads that blocking work may hold.
pub(crate) fn start(
    run: Run,
    pool: &Arc<Semaphore>,
    future: impl Future<Output = Outcome> + Send + 'static,
) -> Handled {
    match run {
        Run::Inline => {
            let mut future: BoxFuture<Outcome> = Box::pin(future);
            match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(outcome) => Handled::Now(outcome),
                // It waits after all: no harm, it goes on as a task.
                Poll::Pending => Handled::Later(future),
            }
        }
        Run::Async => Handled::Later(Box::pin(future)),
        Run::Blocking => Handled::Later(Box::pin(on_a_thread(Arc::clone(pool), future))),
    }
}

/// For a handler with [`Run::Inline`] that has to wait this time: it leaves the reading thread, which has no runtime, and
/// goes on as a task.
pub async fn as_a_task() {
    let mut is_task = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut is_task, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

async fn on_a_thread(
    pool: Arc<Semaphore>,
    future: impl Future<Output = Outcome> + Send + 'static,
) -> Outcome {
    let Ok(permit) = pool.acquire_owned().await else {
        return Outcome::Fail(internal("the thread pool is closed"));
    };
    let runtime = tokio::runtime::Handle::current();
    let work = tokio::task::spawn_blocking(move || {
        // Held by the thread, not by the waiting task: a cancelled call still occupies its thread.
        let _permit = permit;
        runtime.block_on(future)
    });
    work.await.unwrap_or_else(|_| Outcome::Fail(panicked()))
}

/// A future that turns a panic into an error answer, so that its caller is not left waiting.
pub(crate) struct Guarded(pub(crate) BoxFuture<Outcome>);

impl Future for Guarded {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        // Nothing of a future that panicked is looked at again.
        catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)))
            .unwrap_or_else(|_| Poll::Ready(Outcome::Fail(panicked())))
    }
}

/// Drives a future to its end; `None` when it panics.
pub(crate) async fn caught<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

/// Calls a handler that may panic before it gets to its future.
pub(crate) fn guarded(handle: impl FnOnce() -> Handled) -> Handled {
    catch_unwind(AssertUnwindSafe(handle)).unwrap_or_else(|_| Handled::Now(Outcome::Fail(panicked())))
}

/// What a request is answered with when serving it panicked.
pub(crate) fn panicked() -> Fail {
    internal("the handler panicked")
}

fn internal(reason: &str) -> Fail {
    Fail::rpc(
        code::INTERNAL_ERROR,
        format!(
            "Internal error: {reason} while serving this request; the server goes on, and its stderr says more"
        ),
    )
}
