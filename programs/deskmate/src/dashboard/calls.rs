//! The tool calls of this process: what was called, by which app, how long it took and how it ended. Neither arguments nor answers
//! are kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use askama::Template;
use mcp::{Changes, Cx, Handled, Outcome, Request, Service, Surface, Target};

/// How many are kept.
const MOST: usize = 100;

/// How many letters of a name somebody else chose are shown.
const LONGEST: usize = 60;

/// The last calls.
#[derive(Debug, Default)]
pub struct CallLog(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    next: u64,
    calls: VecDeque<Call>,
}

#[derive(Debug, Clone)]
struct Call {
    number: u64,
    tool: String,
    client: String,
    began: SystemTime,
    took: Option<Duration>,
    ended: Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    NotYet,
    Well,
    Failed,
    Asking,
    Cancelled,
}

impl CallLog {
    /// The same service, whose calls are noted here.
    pub fn watch(self: &Arc<Self>, service: Arc<dyn Service>) -> Arc<dyn Service> {
        Arc::new(Watched { inner: service, log: Arc::clone(self) })
    }

    fn locked(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(self: &Arc<Self>, tool: &str, client: &str) -> UnderWay {
        let mut log = self.locked();
        let number = log.next;
        log.next += 1;
        if log.calls.len() >= MOST {
            log.calls.pop_front();
        }
        let short = |text: &str| text.chars().take(LONGEST).collect::<String>();
        let (tool, client, began) = (short(tool), short(client), SystemTime::now());
        log.calls.push_back(Call { number, tool, client, began, took: None, ended: Ended::NotYet });
        UnderWay { log: Arc::clone(self), number, since: Instant::now(), ended: Ended::Cancelled }
    }

    /// The last calls, the newest first, for the page.
    pub(super) fn shown(&self) -> Calls {
        let calls = self.locked().calls.iter().rev().cloned().map(Row::of).collect();
        Calls { calls }
    }
}

/// A call that has begun. Dropping it ends it: a client that gives up drops the future it is in.
struct UnderWay {
    log: Arc<CallLog>,
    number: u64,
    since: Instant,
    ended: Ended,
}

impl UnderWay {
    fn end(mut self, outcome: &Outcome) {
        self.ended = match outcome {
            Outcome::Reply(reply) if reply.is_error() => Ended::Failed,
            Outcome::Fail(_) => Ended::Failed,
            Outcome::InputRequired(_) => Ended::Asking,
            _ => Ended::Well,
        };
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut log = self.log.locked();
        if let Some(call) = log.calls.iter_mut().find(|call| call.number == self.number) {
            call.took = Some(self.since.elapsed());
            call.ended = self.ended;
        }
    }
}

struct Watched {
    inner: Arc<dyn Service>,
    log: Arc<CallLog>,
}

impl Service for Watched {
    fn surface(&self) -> Arc<Surface> {
        self.inner.surface()
    }

    fn handle(&self, request: &Request<'_>, cx: Cx) -> Handled {
        let Target::Tool { name, .. } = &request.target else { return self.inner.handle(request, cx) };
        let client =
            cx.client().map_or_else(|| "an app".to_owned(), |client| client.title.unwrap_or(client.name));
        let call = self.log.begin(name, &client);
        match self.inner.handle(request, cx) {
            Handled::Now(outcome) => {
                call.end(&outcome);
                Handled::Now(outcome)
            }
            Handled::Later(working) => Handled::Later(Box::pin(async move {
                let outcome = working.await;
                call.end(&outcome);
                outcome
            })),
        }
    }

    fn changes(&self) -> &Changes {
        self.inner.changes()
    }
}

/// The calls, as the page shows them.
#[derive(Template)]
#[template(path = "calls.html")]
pub(super) struct Calls {
    calls: Vec<Row>,
}

struct Row {
    tool: String,
    client: String,
    /// RFC 3339, in UTC.
    time: String,
    /// The same, shorter.
    clock: String,
    took: String,
    kind: &'static str,
    word: &'static str,
}

impl Row {
    fn of(call: Call) -> Row {
        let millis = call.began.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let time = calendar::Utc(i64::try_from(millis).unwrap_or_default()).to_string();
        let (kind, word) = match call.ended {
            Ended::NotYet => ("open", "running"),
            Ended::Well => ("ok", "done"),
            Ended::Failed => ("bad", "failed"),
            Ended::Asking => ("open", "asked for input"),
            Ended::Cancelled => ("open", "cancelled"),
        };
        let took = call.took.map_or_else(String::new, |took| match took.as_millis() {
            0 => "under 1 ms".to_owned(),
            millis @ 1..10_000 => format!("{millis} ms"),
            millis => format!("{} s", millis / 1_000),
        });
        let clock = time.get(11..19).unwrap_or_default().to_owned();
        Row { tool: call.tool, client: call.client, time, clock, took, kind, word }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcp::{Outcome, Reply};

    use super::{CallLog, MOST};

    fn words(log: &CallLog) -> Vec<&'static str> {
        log.shown().calls.iter().map(|row| row.word).collect()
    }

    #[test]
    fn calls_end_well_badly_or_not_at_all() {
        let log = Arc::new(CallLog::default());
        let (first, second, third) = (log.begin("a", "x"), log.begin("b", "x"), log.begin("c", "x"));
        assert_eq!(words(&log), ["running", "running", "running"]);
        first.end(&Outcome::Reply(Reply::text("fine")));
        second.end(&Outcome::Reply(Reply::error("no")));
        drop(third);
        assert_eq!(words(&log), ["cancelled", "failed", "done"]);
    }

    #[test]
    fn the_log_is_bounded_and_so_are_names() {
        let log = Arc::new(CallLog::default());
        for _ in 0..MOST + 5 {
            log.begin("tool", &"x".repeat(10_000)).end(&Outcome::Reply(Reply::text("fine")));
        }
        let shown = log.shown();
        assert_eq!((shown.calls.len(), shown.calls[0].client.len()), (MOST, super::LONGEST));
    }
}
