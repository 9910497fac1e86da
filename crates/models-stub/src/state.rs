//! What the stub knows: what it was asked, and what it says next.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::behaviour::Behaviour;

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    /// Its method.
    pub method: String,
    /// Its path, with the query.
    pub path: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body; null if that is not JSON.
    pub body: Value,
}

impl Seen {
    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The key it came with, wherever that is.
    pub fn key(&self) -> &str {
        let bearer = self.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        bearer.or(self.header("x-api-key")).or(self.header("x-goog-api-key")).unwrap_or_default()
    }
}

#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) seen: Vec<Seen>,
    pub(crate) hang_ups: usize,
    next: VecDeque<Behaviour>,
    over: bool,
}

#[derive(Default)]
pub(crate) struct State {
    contents: Mutex<Contents>,
    changed: Condvar,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Contents)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    pub(crate) fn push(&self, behaviour: Behaviour) {
        self.change(|contents| contents.next.push_back(behaviour));
    }

    /// Remembers a request and says how to answer it.
    pub(crate) fn take(&self, seen: Seen) -> Option<Behaviour> {
        let mut behaviour = None;
        self.change(|contents| {
            contents.seen.push(seen);
            behaviour = contents.next.pop_front();
        });
        behaviour
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.lock().seen.clone()
    }

    pub(crate) fn forget(&self) {
        self.change(|contents| {
            contents.seen.clear();
            contents.next.clear();
        });
    }

    pub(crate) fn hung_up(&self) {
        self.change(|contents| contents.hang_ups += 1);
    }

    pub(crate) fn end(&self) {
        self.change(|contents| contents.over = true);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().over
    }

    pub(crate) fn wait(&self, until: impl Fn(&Contents) -> bool) {
        let mut contents = self.lock();
        while !until(&contents) {
            contents = self.changed.wait(contents).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
