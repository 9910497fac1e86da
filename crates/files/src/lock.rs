//! One change of a file at a time, whichever process makes it.

use std::time::{Duration, Instant};

use crate::open::OpenError;
use crate::roots::Place;
use crate::sys::{self, Held, NotYet};

/// Who holds a file for longer than this is not changing its metadata.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before looking again; a change takes about as long as the disk needs.
const PAUSE: Duration = Duration::from_millis(2);

/// Holds a file until it is dropped: other processes and threads that lock it wait.
#[derive(Debug)]
pub struct Guard {
    _held: Held,
}

impl Place {
    /// Waits until nobody changes the file that is here, and takes it. Programs that do not lock files are not kept out.
    pub fn lock(&self) -> Result<Guard, OpenError> {
        self.lock_within(PATIENCE)
    }

    fn lock_within(&self, patience: Duration) -> Result<Guard, OpenError> {
        let until = Instant::now() + patience;
        loop {
            match sys::take_turn(self.path(), || self.open_regular().map(|(file, _)| file))? {
                Ok(held) => return Ok(Guard { _held: held }),
                Err(NotYet::Replaced) => {}
                Err(NotYet::Busy) if Instant::now() < until => std::thread::sleep(PAUSE),
                Err(NotYet::Busy) => return Err(OpenError::Busy(self.path().to_owned())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;
    use std::time::Duration;

    use crate::open::OpenError;
    use crate::roots::Roots;
    use crate::scratch::Scratch;

    #[test]
    fn no_change_is_lost_when_many_replace_a_file() {
        let scratch = Scratch::new();
        let roots = Roots::new([scratch.path("")]);
        let place = |name| roots.resolve(&scratch.file(name, b"")).expect("a place");
        let (one, other) = (place("one"), place("other"));
        let _other = other.lock().expect("nobody has it");
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _guard = one.lock().expect("a turn");
                        let original = one.read(1_000).expect("a file");
                        original.replace(&[original.bytes(), b"+"].concat()).expect("replaced");
                    }
                });
            }
        });
        assert_eq!(fs::read(scratch.path("one")).expect("a file"), [b'+'; 160]);
    }

    #[test]
    fn a_file_that_stays_locked_is_busy() {
        let scratch = Scratch::new();
        let place = Roots::new([scratch.path("")]).resolve(&scratch.file("a", b"")).expect("a place");
        let held = place.lock().expect("nobody has it");
        assert!(matches!(place.lock_within(Duration::ZERO), Err(OpenError::Busy(_))));
        drop(held);
        place.lock_within(Duration::ZERO).expect("it is free again");
        fs::remove_file(scratch.path("a")).expect("removed");
        assert!(matches!(place.lock(), Err(OpenError::NotFound(_))));
    }
}
