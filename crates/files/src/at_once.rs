//! Two things at once, for when one of them waits for the disk.

/// Does the first on a thread of its own and the second on this one. Where there is no thread to be had, or it failed, one
/// comes after the other.
pub fn at_once<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    std::thread::scope(|scope| {
        let running = std::thread::Builder::new().spawn_scoped(scope, &first).ok();
        let second = second();
        (running.and_then(|running| running.join().ok()).unwrap_or_else(&first), second)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::at_once;

    #[test]
    fn both_run_at_the_same_time() {
        let meeting = Barrier::new(2);
        let (first, second) = at_once(|| meeting.wait().is_leader(), || meeting.wait().is_leader());
        assert_ne!(first, second);
    }
}
