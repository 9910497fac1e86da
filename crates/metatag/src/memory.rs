//! Memory for whole pictures, used again. The system has to clear what it gives to a process, page by page, which takes
//! longer than copying a picture into it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much is kept when nothing needs it.
const MOST: usize = 16 << 20;

/// What is not in use, the least recently used first. Pictures are no secrets: what they leave here does no harm.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Room for so many bytes, empty.
pub(crate) fn take(bytes: usize) -> Vec<u8> {
    let mut spare = spare();
    match spare.iter().rposition(|one| one.capacity() >= bytes) {
        Some(fits) => spare.remove(fits),
        None => Vec::with_capacity(bytes),
    }
}

/// Gives room back that nobody needs any more.
pub(crate) fn give(mut bytes: Vec<u8>) {
    bytes.clear();
    let mut spare = spare();
    spare.push(bytes);
    while spare.iter().map(Vec::capacity).sum::<usize>() > MOST {
        spare.remove(0);
    }
}

/// Puts parts together.
pub(crate) fn join<T: AsRef<[u8]>>(parts: &[T]) -> Vec<u8> {
    let mut whole = take(parts.iter().map(|part| part.as_ref().len()).sum());
    for part in parts {
        whole.extend_from_slice(part.as_ref());
    }
    whole
}

/// A panic elsewhere leaves the list as it should be: it is changed in one step.
fn spare() -> MutexGuard<'static, Vec<Vec<u8>>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{MOST, give, join, spare, take};

    #[test]
    fn what_was_given_back_is_empty_and_bounded() {
        give(join(&[b"some ".as_slice(), b"bytes"]));
        let taken = take(3);
        assert!(taken.is_empty() && taken.capacity() >= 3);
        (0..5).for_each(|_| give(Vec::with_capacity(MOST / 3)));
        give(Vec::with_capacity(MOST + 1));
        assert!(spare().iter().map(Vec::capacity).sum::<usize>() <= MOST);
        assert!(take(MOST * 2).capacity() >= MOST * 2);
    }
}
