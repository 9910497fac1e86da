//! What an input costs and where it leads: memory, processor time, and the edges of the program it reaches.
//!
//! Edges are counted only in a build with the flags that `./dev` sets (LLVM's `sancov`, which stable Rust can be told to
//! run); in any other build nothing is counted, and inputs are made without feedback.

#![allow(unsafe_code, reason = "an allocator, and counters that the compiler puts into the program")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Counts the bytes in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What running something took.
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// In bytes, the most at one time.
    pub(crate) memory: usize,
}

/// Runs something and says what it took.
pub(crate) fn cost<T>(run: impl FnOnce() -> T) -> (T, Cost) {
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let began = processor_time();
    let done = run();
    let time = processor_time().saturating_sub(began);
    (done, Cost { time, memory: MOST.load(Ordering::Relaxed).saturating_sub(before) })
}

/// Of this thread: others on the machine do not count.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
}

/// Where the compiler keeps the counters: the start and the end of each list.
static COUNTERS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// The compiler calls this before `main`, once for each part of the program that counts.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, end: *mut u8) {
    if let Ok(mut counters) = COUNTERS.lock() {
        let range = (start as usize, end as usize);
        if !counters.contains(&range) {
            counters.push(range);
        }
    }
}

/// The edges that were reached so far, each with how often at once, roughly.
#[derive(Default)]
pub(crate) struct Coverage {
    seen: Vec<u8>,
}

impl Coverage {
    /// Whether this build counts edges.
    pub(crate) fn is_counted() -> bool {
        COUNTERS.lock().is_ok_and(|counters| counters.iter().any(|(start, end)| start < end))
    }

    /// Forgets what was counted.
    pub(crate) fn reset() {
        each(|counters| counters.fill(0));
    }

    /// Whether what was counted since then reached anything new.
    pub(crate) fn grew(&mut self) -> bool {
        let (mut at, mut is_new) = (0, false);
        each(|counters| {
            if self.seen.len() < at + counters.len() {
                self.seen.resize(at + counters.len(), 0);
            }
            for (counter, seen) in counters.iter().zip(&mut self.seen[at..]) {
                // Once, twice, a few times, often: a bit each.
                let bucket = match counter {
                    0 => 0,
                    1 => 1,
                    2 => 2,
                    3..=7 => 4,
                    8..=31 => 8,
                    32..=127 => 16,
                    _ => 32,
                };
                is_new |= bucket & !*seen != 0;
                *seen |= bucket;
            }
            at += counters.len();
        });
        is_new
    }

    /// How many edges were reached.
    pub(crate) fn edges(&self) -> usize {
        self.seen.iter().filter(|seen| **seen != 0).count()
    }
}

fn each(mut look: impl FnMut(&mut [u8])) {
    let Ok(counters) = COUNTERS.lock() else { return };
    for (start, end) in counters.iter() {
        // SAFETY: the compiler gave these bounds of a static list of bytes. Only this thread runs what counts while it looks.
        look(unsafe { std::slice::from_raw_parts_mut(*start as *mut u8, end - start) });
    }
}
