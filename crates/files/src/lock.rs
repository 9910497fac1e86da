//! One change of a file at a time, whichever process makes it: `flock` on the file itself.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock, fstat, lstat};
use rustix::io::Errno;

use crate::closing;
use crate::open::{OpenError, open};
use crate::roots::Place;

/// Who holds a file for longer than this is not changing its metadata.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before looking again; a change takes about as long as the disk needs.
const PAUSE: Duration = Duration::from_millis(2);

/// Holds a file until it is dropped: other processes and threads that lock it wait.
#[derive(Debug)]
pub struct Guard {
    /// Always there until it is dropped.
    file: Option<File>,
}

impl Place {
    /// Waits until nobody changes the file that is here, and takes it. Programs that do not lock files are not kept out.
    pub fn lock(&self) -> Result<Guard, OpenError> {
        self.lock_within(PATIENCE)
    }

    fn lock_within(&self, patience: Duration) -> Result<Guard, OpenError> {
        let until = Instant::now() + patience;
        loop {
            let (file, _) = self.open_regular()?;
            match exclusive(&file, self.path()) {
                // Whoever had the lock may have put another file in this place.
                Ok(file) if is_at(&file, self.path()) => return Ok(Guard { file: Some(file) }),
                Ok(_) => {}
                Err(Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(PAUSE),
                Err(Errno::WOULDBLOCK) => return Err(OpenError::Busy(self.path().to_owned())),
                // This file system has no locks. What changes meanwhile is still noticed, as with programs that lock nothing.
                Err(_) => return Ok(Guard { file: Some(file) }),
            }
        }
    }
}

/// Takes the lock, if nobody has it.
fn exclusive(file: &File, path: &Path) -> Result<File, Errno> {
    let take =
        |file: &File| rustix::io::retry_on_intr(|| flock(file, FlockOperation::NonBlockingLockExclusive));
    match take(file) {
        // NFS wants a file that is open for writing.
        Err(Errno::BADF) => {
            let file = File::from(open(path, OFlags::RDWR | OFlags::NONBLOCK)?);
            take(&file).map(|()| file)
        }
        taken => {
            taken?;
            file.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
        }
    }
}

/// Whether the path still leads to this file.
fn is_at(file: &File, path: &Path) -> bool {
    match (fstat(file), lstat(path)) {
        (Ok(open), Ok(there)) => (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino),
        _ => false,
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let _ = flock(&file, FlockOperation::Unlock);
            closing::close(file);
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
