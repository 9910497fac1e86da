//! The threads that run networks: one line or tile each, so that no time goes into sharing a small one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::network::Scratch;

/// More would mostly wait for memory.
const MOST: usize = 8;

/// As many threads as the machine has cores, started when first needed. Each runs its networks alone.
#[derive(Default)]
pub(super) struct Workers {
    pools: OnceLock<Vec<Option<ThreadPool>>>,
}

impl Workers {
    fn pools(&self) -> &[Option<ThreadPool>] {
        self.pools.get_or_init(|| {
            let cores = thread::available_parallelism().map_or(1, usize::from).min(MOST);
            (0..cores).map(|_| ThreadPoolBuilder::new().num_threads(1).build().ok()).collect()
        })
    }

    /// Applies `work` to every item; the results are in the order of the items.
    pub(super) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &mut Scratch) -> R + Sync,
    ) -> Vec<R> {
        let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
        self.each(items, work, |index, result| {
            results[index] = Some(result);
            Go::On
        });
        results.into_iter().flatten().collect()
    }

    /// Applies `work` to every item and hands each result, as it comes, to `take` on this thread. When that says
    /// stop, no further item is begun.
    pub(super) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &mut Scratch) -> R + Sync,
        mut take: impl FnMut(usize, R) -> Go,
    ) {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        // Workers wait for whoever takes, so that little is done in vain when that says stop.
        let (sender, results) = mpsc::sync_channel(MOST);
        thread::scope(|scope| {
            for pool in self.pools().iter().take(items.len()) {
                let (sender, work, next, stop) = (sender.clone(), &work, &next, &stop);
                let run = move || {
                    let mut scratch = Scratch::default();
                    while !stop.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(index) else { break };
                        if sender.send((index, work(item, &mut scratch))).is_err() {
                            break;
                        }
                    }
                };
                // Products of matrices ask the pool they are on how many threads to share them among: one.
                scope.spawn(move || match pool {
                    Some(pool) => pool.install(run),
                    None => run(),
                });
            }
            drop(sender);
            for (index, result) in results {
                match take(index, result) {
                    Go::On => {}
                    Go::Stop => stop.store(true, Ordering::Relaxed),
                }
            }
        });
    }
}

/// What whoever takes results says.
pub(super) enum Go {
    On,
    Stop,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(
            Workers::default().map(&items, |item, _| item * 2),
            items.iter().map(|i| i * 2).collect::<Vec<_>>()
        );
        assert!(Workers::default().map(&[], |item: &u8, _| *item).is_empty());
    }

    #[test]
    fn after_stop_only_what_was_begun_is_finished() {
        let mut taken = 0;
        Workers::default().each(
            &[0; 1000],
            |_, _| (),
            |_, ()| {
                taken += 1;
                Go::Stop
            },
        );
        // One taken, some in the channel, one at each worker.
        assert!((1..=1 + 2 * MOST).contains(&taken), "{taken}");
    }
}
