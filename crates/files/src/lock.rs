//! One change of a file at a time, within this process.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::roots::Place;

/// The places that are being changed.
#[derive(Debug, Default)]
pub struct Locks {
    held: Mutex<HashSet<Place>>,
    released: Condvar,
}

/// Holds a place until it is dropped.
#[derive(Debug)]
pub struct Guard<'a> {
    locks: &'a Locks,
    place: Place,
}

impl Locks {
    /// Waits until nobody changes this place, and takes it.
    pub fn lock(&self, place: &Place) -> Guard<'_> {
        let mut held = self.held();
        while !held.insert(place.clone()) {
            held = self.released.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        Guard { locks: self, place: place.clone() }
    }

    /// A panic elsewhere leaves the set as it should be: it is changed in one step.
    fn held(&self) -> MutexGuard<'_, HashSet<Place>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.locks.held().remove(&self.place);
        self.locks.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::Locks;
    use crate::roots::Roots;
    use crate::scratch::Scratch;

    #[test]
    fn one_at_a_time_holds_a_place_and_others_do_not_wait() {
        let scratch = Scratch::new();
        let roots = Roots::new([scratch.path("")]);
        let place = |name| roots.resolve(&scratch.file(name, b"")).expect("a place");
        let (one, other) = (place("one"), place("other"));
        let (locks, inside) = (Locks::default(), AtomicUsize::new(0));
        let _other = locks.lock(&other);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _guard = locks.lock(&one);
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
