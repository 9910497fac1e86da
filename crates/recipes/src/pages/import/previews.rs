//! What somebody looks at before it is kept. It stays in memory: for a while, for one person, within bounds. Of several
//! processes behind one address only the one that made a preview knows it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::auth::Scope;
use crate::import::Import;
use crate::secret::{Secret, SecretHash};

/// How long a preview is kept.
const KEPT: Duration = Duration::from_secs(1_800);

/// How many there are at once; the oldest goes first.
const MOST: usize = 16;

/// How many bytes all of them have at most.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// The previews of everybody.
#[derive(Default)]
pub(crate) struct Previews(Mutex<VecDeque<Waiting>>);

struct Waiting {
    token: SecretHash,
    scope: Scope,
    found: Import,
    bytes: usize,
    since: Instant,
}

/// A preview that has no room.
#[derive(Debug, thiserror::Error)]
#[error("what is in it takes more than {} MB; import it in parts", MOST_BYTES / 1_048_576)]
pub(crate) struct NoRoom;

impl Previews {
    /// Keeps what was found for whoever has the token, in this scope.
    pub(crate) fn put(&self, token: &Secret, scope: &Scope, found: Import) -> Result<(), NoRoom> {
        let bytes = found.weight();
        if bytes > MOST_BYTES {
            return Err(NoRoom);
        }
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|one| one.since.elapsed() < KEPT);
        while waiting.len() >= MOST || waiting.iter().map(|one| one.bytes).sum::<usize>() + bytes > MOST_BYTES
        {
            waiting.pop_front();
        }
        let (token, scope) = (token.hash(), scope.clone());
        waiting.push_back(Waiting { token, scope, found, bytes, since: Instant::now() });
        Ok(())
    }

    /// What was kept, once.
    pub(crate) fn take(&self, token: &Secret, scope: &Scope) -> Option<Import> {
        let hash = token.hash();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|one| one.since.elapsed() < KEPT);
        let at = waiting.iter().position(|one| one.token.matches(&hash) && one.scope == *scope)?;
        waiting.remove(at).map(|one| one.found)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{MOST, MOST_BYTES, Previews};
    use crate::auth::nobody;
    use crate::import::{Image, Import, read_text};
    use crate::secret::Secret;

    fn found(picture: usize) -> Import {
        let mut found = read_text(">> title: Soup\nBoil @water{1%l}.", None).expect("a recipe");
        found.recipes[0].picture = Some(Image::Bytes(Bytes::from(vec![0; picture])));
        found
    }

    #[test]
    fn a_preview_is_taken_once_and_the_oldest_makes_room() {
        let (previews, scope) = (Previews::default(), nobody());
        let tokens: Vec<Secret> = (0..=MOST).map(|_| Secret::new().expect("random bytes")).collect();
        for token in &tokens {
            previews.put(token, &scope, found(1)).expect("room");
        }
        assert!(previews.take(&tokens[0], &scope).is_none());
        assert!(previews.take(&tokens[1], &scope).is_some());
        assert!(previews.take(&tokens[1], &scope).is_none());
        previews.put(&tokens[0], &scope, found(MOST_BYTES - 9_000)).expect("room");
        assert!(previews.take(&tokens[2], &scope).is_none());
        assert!(previews.put(&tokens[0], &scope, found(MOST_BYTES)).is_err());
    }
}
