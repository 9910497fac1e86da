//! Who may see a screenshot, and where copies of it went.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use serde::Serialize;
use uuid::Uuid;

use super::Screenshot;

/// A copy that is out of reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "to")]
pub enum Left {
    /// It was copied.
    Clipboard,
    /// It was saved, dragged out or attached.
    File {
        /// Where.
        path: String,
    },
    /// An agent got it.
    Agent {
        /// What the agent's program calls itself.
        client: String,
    },
    /// A model got it.
    Model {
        /// Whose.
        provider: String,
    },
    /// It is still in the screenshot that this one was made of.
    Screenshot {
        /// Which one.
        id: Uuid,
    },
}

/// More places than a person wants to hear of.
const MOST_LEFT: usize = 64;

impl Screenshot {
    /// Whether the person lets agents see it.
    pub fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    pub(crate) fn share(&self, shared: bool) {
        self.shared.store(shared, Ordering::Relaxed);
    }

    /// Where copies of it went.
    pub fn left(&self) -> Vec<Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_left(&self, place: Left) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() < MOST_LEFT && !left.contains(&place) {
            left.push(place);
        }
    }
}
