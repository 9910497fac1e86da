//! Texts and numbers of others, made to fit: cut rather than refused, and said.

use crate::few::Few;
use crate::number::{Minutes, Servings, Whole};
use crate::tag::{Tag, Tags};
use crate::text::Text;

/// Lines of one text that are read: of what has more, nearly all would be cut again, and each takes many times its bytes.
const MOST_LINES: usize = 5_000;

/// What is looked at of a name that stands for many things.
const MOST_OF_A_NAME: usize = 500;

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    some(text.lines())
}

/// As many of a list as are read.
pub(super) fn some<I: IntoIterator>(things: I) -> impl Iterator<Item = I::Item> {
    things.into_iter().take(MOST_LINES)
}

/// The start of a text that is used for many things, such as a heading for all that is below it: each of them would go through
/// all of it again. It is longer than what is kept of it, so that cutting it is said.
pub(super) fn start(text: &str) -> String {
    text.trim().chars().take(MOST_OF_A_NAME).collect()
}

/// Collects what had to be cut.
#[derive(Debug, Default)]
pub(super) struct Fitter {
    pub(super) remarks: Vec<String>,
}

impl Fitter {
    /// The text, cut to the field's length; `None` if there is none.
    pub(super) fn text<const MIN: usize, const MAX: usize>(
        &mut self,
        field: &str,
        text: &str,
    ) -> Option<Text<MIN, MAX>> {
        let clean: String = text.chars().filter(|c| *c != '\0').collect();
        let clean = clean.trim();
        if clean.is_empty() {
            return None;
        }
        if let Ok(fits) = Text::new(clean) {
            return Some(fits);
        }
        let cut: String = clean.chars().take(MAX.saturating_sub(1)).chain(['…']).collect();
        self.remarks.push(format!("`{field}` was cut to {MAX} characters"));
        Text::new(cut).ok()
    }

    /// As many as there may be.
    pub(super) fn few<T, const MAX: usize>(
        &mut self,
        field: &str,
        mut things: Vec<T>,
    ) -> Option<Few<T, MAX>> {
        if things.len() > MAX {
            things.truncate(MAX);
            things.shrink_to_fit();
            self.remarks.push(format!("only the first {MAX} entries of `{field}` were kept"));
        }
        Few::new(things).ok().filter(|few| !few.is_empty())
    }

    /// Tags, without those that are none.
    pub(super) fn tags<'a>(&mut self, tags: impl IntoIterator<Item = &'a str>) -> Option<Tags> {
        let mut kept: Vec<Tag> = Vec::new();
        for tag in tags {
            if kept.len() > Tags::MOST {
                break;
            }
            if let Some(tag) = self.text("tags", tag)
                && !kept.contains(&tag)
            {
                kept.push(tag);
            }
        }
        self.few("tags", kept)
    }
}

/// Minutes within their bounds, and not none at all.
pub(super) fn minutes(minutes: i64) -> Option<Minutes> {
    Whole::new(minutes).ok().filter(|minutes| minutes.get() > 0)
}

/// Servings within their bounds.
pub(super) fn servings(servings: i64) -> Option<Servings> {
    Whole::new(servings).ok()
}
