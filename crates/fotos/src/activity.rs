//! What agents did, and the switch that pauses them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use calendar::Utc;
use serde::Serialize;
use tokio::sync::watch;

/// How many calls are remembered.
const MOST: usize = 1_000;

/// One call of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Counts calls.
    pub number: u64,
    /// When it came, in UTC.
    pub time: String,
    /// What the agent's program calls itself.
    pub client: String,
    /// Its process, where that is known.
    pub pid: Option<u32>,
    /// The tool, or what else was asked for, such as `resources/read`.
    pub tool: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is under way.
    Running,
    /// It was answered.
    Done,
    /// It failed.
    Failed,
    /// The person paused agents.
    Paused,
    /// A restriction forbids it.
    Refused,
    /// The agent gave up.
    Cancelled,
}

/// Why agents are paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// The person wants it.
    Person,
    /// What the person wants nobody to see is not known: the settings could not be read.
    Settings,
}

/// What agents did, the latest calls only, and whether they may.
#[derive(Debug, Default)]
pub struct Activity {
    pause: watch::Sender<Option<Pause>>,
    next: AtomicU64,
    calls: Mutex<VecDeque<Call>>,
}

impl Activity {
    /// The latest calls, the newest first.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().iter().rev().cloned().collect()
    }

    /// Whether agents are paused.
    pub fn is_paused(&self) -> bool {
        self.pause().is_some()
    }

    /// Why they are, if they are.
    pub fn pause(&self) -> Option<Pause> {
        *self.pause.borrow()
    }

    pub(crate) fn set_pause(&self, pause: Option<Pause>) {
        self.pause.send_replace(pause);
    }

    /// Resolves as soon as agents are paused.
    pub(crate) async fn until_paused(&self) -> Pause {
        let mut pause = self.pause.subscribe();
        let now = pause.wait_for(Option::is_some).await.ok().and_then(|now| *now);
        match now {
            Some(pause) => pause,
            // Never: the sender is part of this.
            None => std::future::pending().await,
        }
    }

    /// Enters a call, and returns its number.
    pub(crate) fn begin(&self, client: String, pid: Option<u32>, tool: String, outcome: Outcome) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let time = Utc::from(SystemTime::now()).to_string();
        let mut calls = self.lock();
        if calls.len() >= MOST {
            calls.pop_front();
        }
        calls.push_back(Call { number, time, client, pid, tool, outcome });
        number
    }

    /// Takes note of what became of a call.
    pub(crate) fn end(&self, number: u64, outcome: Outcome) {
        if let Some(call) = self.lock().iter_mut().rev().find(|call| call.number == number) {
            call.outcome = outcome;
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, MOST, Outcome};

    #[test]
    fn the_latest_calls_are_remembered_with_what_became_of_them() {
        let activity = Activity::default();
        let numbers: Vec<u64> = (0..MOST + 5)
            .map(|_| activity.begin("Claude".into(), Some(7), "take_screenshot".into(), Outcome::Running))
            .collect();
        activity.end(numbers[0], Outcome::Done);
        activity.end(numbers[MOST + 4], Outcome::Failed);
        let calls = activity.calls();
        assert_eq!(
            (calls.len(), calls[0].outcome, calls[1].outcome),
            (MOST, Outcome::Failed, Outcome::Running)
        );
    }
}
