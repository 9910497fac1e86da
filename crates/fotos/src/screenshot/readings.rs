//! What was read in a screenshot.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use ocr::Page;

use super::Screenshot;

/// In how many languages a screenshot is read, at most.
const MOST_READINGS: usize = 8;

impl Screenshot {
    /// What was read in it in this language, which counts as the latest from now on.
    pub fn reading(&self, language: &str) -> Option<Arc<Page>> {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let at = readings.iter().position(|(known, _)| known == language)?;
        let found = readings.remove(at);
        let page = Arc::clone(&found.1);
        readings.push(found);
        Some(page)
    }

    /// What was read in it last, and in which language.
    pub fn last_reading(&self) -> Option<(String, Arc<Page>)> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Grows whenever its base is rewritten.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Keeps what was read in it, at this generation of its base.
    pub fn keep_reading(&self, language: &str, page: Arc<Page>, generation: u64) {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        if generation != self.generation() {
            return;
        }
        readings.retain(|(known, _)| known != language);
        if readings.len() >= MOST_READINGS {
            readings.remove(0);
        }
        readings.push((language.to_owned(), page));
    }

    /// What was read in it, in whichever language that was last.
    pub fn text(&self) -> Option<String> {
        let view = self.view.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let read = view.and_then(|(_, view)| view.last_reading()).or_else(|| self.last_reading());
        let read = read.map(|(_, page)| page.to_string());
        let earlier = || self.earlier.as_ref()?.text.lock().unwrap_or_else(PoisonError::into_inner).clone();
        read.or_else(earlier)
    }
}
