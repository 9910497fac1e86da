//! How often somebody may try to sign in.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failed attempts that one address has in a window, and that all have together.
const MOST: u32 = 8;
const MOST_TOGETHER: u32 = 200;
const WINDOW: Duration = Duration::from_secs(15 * 60);

/// Counts failed attempts by the address that was tried, in windows of a quarter of an hour.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    since: Option<Instant>,
    together: u32,
    by_name: HashMap<String, u32>,
}

impl Attempts {
    /// Takes one attempt; `false` if there are none left. Successes give theirs back.
    pub(crate) fn take(&self, name: &str, now: Instant) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.since.is_none_or(|since| now.duration_since(since) > WINDOW) {
            *counts = Counts { since: Some(now), ..Counts::default() };
        }
        if counts.together >= MOST_TOGETHER {
            return false;
        }
        counts.together += 1;
        // No more names than attempts together, so the map is bounded.
        let own = counts.by_name.entry(name.to_owned()).or_default();
        *own += 1;
        *own <= MOST
    }

    /// The attempt worked out.
    pub(crate) fn give_back(&self, name: &str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.together = counts.together.saturating_sub(1);
        counts.by_name.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Attempts;

    #[test]
    fn guessing_ends_and_goes_on_later() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let tried = (0..20).filter(|_| attempts.take("ada@example.org", now)).count();
        assert_eq!(tried, 8);
        assert!(attempts.take("bob@example.org", now), "another person is not held up");
        assert!(attempts.take("ada@example.org", now + Duration::from_secs(3_600)));
    }

    #[test]
    fn many_names_are_no_way_around() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let tried = (0..1_000).filter(|number| attempts.take(&number.to_string(), now)).count();
        assert_eq!(tried, 200);
    }
}
