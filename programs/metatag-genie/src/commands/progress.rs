//! How far a batch is, on stderr: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cli::terminal;
use metatag::batch::Step;
use metatag::words;

/// More often than this nobody sees.
const INTERVAL: Duration = Duration::from_millis(50);
/// The length of the bar.
const BAR: usize = 24;
/// The room for the name of a file, so that a line fits into 80 columns.
const NAME: usize = 30;

/// How far a batch is.
pub(super) struct Progress {
    terminal: bool,
    last: Mutex<Last>,
}

/// What was told last.
#[derive(Default)]
struct Last {
    done: usize,
    at: Option<Instant>,
}

impl Progress {
    pub(super) fn start() -> Progress {
        Progress { terminal: std::io::stderr().is_terminal(), last: Mutex::default() }
    }

    /// Tells, if there is news.
    pub(super) fn tell(&self, step: Step<'_>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Threads tell in any order.
        if step.done <= last.done || step.total < 2 {
            return;
        }
        if self.terminal {
            let too_soon = last.at.is_some_and(|at| at.elapsed() < INTERVAL);
            if !too_soon || step.done == step.total {
                terminal::draw(&bar(step));
                *last = Last { done: step.done, at: Some(Instant::now()) };
            }
        } else if step.done == step.total || step.done * 10 / step.total > last.done * 10 / step.total {
            terminal::complain(&format!("{} of {} files", step.done, step.total));
            *last = Last { done: step.done, at: None };
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.at.is_some() {
            terminal::draw("");
        }
    }
}

fn bar(step: Step<'_>) -> String {
    let Step { done, total, path } = step;
    let filled = BAR * done / total.max(1);
    let percent = 100 * done / total.max(1);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (full, empty) = ("=".repeat(filled), " ".repeat(BAR - filled));
    format!("[{full}{empty}] {percent:3}% {done}/{total} {}", shortened(&words::line(&name)))
}

/// As much of a name as there is room for. Letters outside ASCII are often as wide as two.
fn shortened(name: &str) -> String {
    let mut room = NAME;
    let mut short = String::new();
    for letter in name.chars() {
        let width = if letter.is_ascii() { 1 } else { 2 };
        if width > room {
            short.push('…');
            break;
        }
        room -= width;
        short.push(letter);
    }
    short
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use metatag::batch::Step;

    use super::bar;

    #[test]
    fn a_line_fits_into_a_terminal() {
        let path = Path::new("/a/海滩海滩海滩海滩海滩海滩海滩海滩海滩.jpg");
        let half = bar(Step { done: 5_000, total: 10_000, path });
        assert_eq!(half, "[============            ]  50% 5000/10000 海滩海滩海滩海滩海滩海滩海滩海…");
        let width: usize = half.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
        assert!(width < 80, "{width}");
        let end = bar(Step { done: 3, total: 3, path: Path::new("/a/b\u{1b}\u{202e}.jpg") });
        assert_eq!(end, "[========================] 100% 3/3 b\\u{1b}\\u{202e}.jpg");
    }
}
