//! How often somebody may try to sign in. Only attempts that cost a hash count: who is refused here is not held up longer.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::email::Email;

/// Failed attempts in a window: of one address on one account, of one address on any, and of all on one account. The last
/// is high: a stranger who guesses must not lock the person out who has the password.
const MOST_OF_BOTH: u32 = 8;
const MOST_OF_PEER: u32 = 40;
const MOST_OF_ACCOUNT: u32 = 200;
const WINDOW: Duration = Duration::from_secs(15 * 60);

/// What is counted at most. Whoever has that many addresses is held up as a whole.
const MOST_COUNTED: usize = 50_000;

/// Counts failed attempts in windows of a quarter of an hour.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    since: Option<Instant>,
    by: HashMap<Counted, u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Counted {
    Peer(IpAddr),
    Account(Email),
    Both(IpAddr, Email),
}

/// Somebody who tries, by where they are and who they say they are.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    peer: IpAddr,
    account: Email,
}

impl Attempt {
    pub(crate) fn new(peer: IpAddr, account: Email) -> Attempt {
        Attempt { peer: network(peer), account }
    }

    fn counted(&self) -> [(Counted, u32); 3] {
        [
            (Counted::Peer(self.peer), MOST_OF_PEER),
            (Counted::Account(self.account.clone()), MOST_OF_ACCOUNT),
            (Counted::Both(self.peer, self.account.clone()), MOST_OF_BOTH),
        ]
    }
}

/// Of IPv6 a home has as many addresses as it likes: its network counts.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6([a, b, c, d, 0, 0, 0, 0].into())
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl Attempts {
    /// Counts an attempt before it is made; `false` if there is none left.
    pub(crate) fn take(&self, attempt: &Attempt, now: Instant) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.since.is_none_or(|since| now.duration_since(since) > WINDOW) {
            *counts = Counts { since: Some(now), ..Counts::default() };
        }
        let counted = attempt.counted();
        let left = counted.iter().all(|(what, most)| match counts.by.get(what) {
            Some(count) => count < most,
            None => counts.by.len() < MOST_COUNTED,
        });
        if left {
            for (what, _) in counted {
                *counts.by.entry(what).or_default() += 1;
            }
        }
        left
    }

    /// The attempt was none: the password was right, or was not looked at.
    pub(crate) fn give_back(&self, attempt: &Attempt) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (what, _) in attempt.counted() {
            if let Some(count) = counts.by.get_mut(&what) {
                *count = count.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Attempt, Attempts};

    fn attempt(peer: &str, account: &str) -> Attempt {
        Attempt::new(peer.parse().expect("an address"), account.parse().expect("an address"))
    }

    #[test]
    fn guessing_ends_and_goes_on_later() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let ada = attempt("192.0.2.1", "ada@example.org");
        assert_eq!((0..20).filter(|_| attempts.take(&ada, now)).count(), 8);
        assert!(
            attempts.take(&attempt("192.0.2.1", "bob@example.org"), now),
            "another account is not held up"
        );
        assert!(attempts.take(&ada, now + Duration::from_secs(3_600)));
    }

    #[test]
    fn invented_names_hold_up_whoever_invents_them_and_nobody_else() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let invented = (0..1_000).map(|number| attempt("2001:db8::1", &format!("{number}@example.org")));
        assert_eq!(invented.filter(|one| attempts.take(one, now)).count(), 40);
        assert!(!attempts.take(&attempt("2001:db8::2", "ada@example.org"), now), "the same network");
        assert!(attempts.take(&attempt("192.0.2.7", "ada@example.org"), now), "the family signs in");
    }

    #[test]
    fn who_guesses_elsewhere_does_not_lock_the_person_out() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let guess = attempt("198.51.100.1", "ada@example.org");
        while attempts.take(&guess, now) {}
        let ada = attempt("192.0.2.7", "ada@example.org");
        for _ in 0..100 {
            assert!(attempts.take(&ada, now));
            attempts.give_back(&ada);
        }
    }
}
