//! Who may see a screenshot, and where copies of it went.

use std::mem::discriminant;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Screenshot;

/// A copy that is out of reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "to")]
pub enum Left {
    /// It was copied.
    Clipboard,
    /// It was dragged into another program.
    Dragged,
    /// It was saved or attached.
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

/// More places of one kind than a person wants to hear of. Agents choose their names: those are no reason to leave out a file.
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

    /// Takes note that a copy went there. False where that is known, or one more of its kind says nothing.
    pub(crate) fn note_left(&self, place: Left) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = discriminant(&place);
        let of_its_kind = left.iter().filter(|known| discriminant(*known) == kind).count();
        let is_news = of_its_kind < MOST_LEFT && !left.contains(&place);
        if is_news {
            left.push(place);
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use picture::Pixels;

    use super::{Left, MOST_LEFT};
    use crate::capture::Shot;
    use crate::screenshot::{Mode, Screenshot};

    #[test]
    fn agents_of_many_names_hide_no_file() {
        let screenshot = Screenshot::captured(Mode::Fullscreen, Shot::of(Pixels::plain(1, 1, [0; 3])));
        for number in 0..2 * MOST_LEFT {
            screenshot.note_left(Left::Agent { client: number.to_string() });
        }
        screenshot.note_left(Left::Clipboard);
        assert_eq!(
            (screenshot.left().len(), screenshot.left().last()),
            (MOST_LEFT + 1, Some(&Left::Clipboard))
        );
    }
}
