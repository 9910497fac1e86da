//! The engine inside the program: one network finds lines, others read them.

mod ctc;
mod detector;
mod doubt;
mod memory;
mod networks;
mod order;
mod recogniser;
mod resample;
mod scripts;
mod words;
mod workers;

use std::ops::ControlFlow;

pub use memory::Memory;

use crate::{Engine, Error, Image, Languages, Page, Progress, Watch};
use detector::detect;
use memory::Lines;
use networks::Networks;
use recogniser::recognise;
use scripts::{LANGUAGES, Script};
use workers::{Go, Workers};

/// More lines than any screen holds; a picture with more is noise.
const MOST_LINES: usize = 5_000;

/// Networks that ship inside the program. They are loaded when the first picture is read, and kept.
#[derive(Default)]
pub struct Embedded {
    networks: Networks,
    workers: Workers,
    lines: Lines,
    memory: Memory,
}

impl Embedded {
    /// An engine that remembers lines, or does not.
    pub fn new(memory: Memory) -> Self {
        Self { memory, ..Self::default() }
    }
}

impl Engine for Embedded {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn languages(&self) -> Vec<String> {
        LANGUAGES.iter().map(|(code, _)| (*code).to_owned()).collect()
    }

    fn read(&self, image: Image<'_>, languages: &Languages, watch: &mut Watch<'_>) -> Result<Page, Error> {
        languages.must_be_among(self.languages())?;
        let script = Script::of(languages);
        if image.is_empty() {
            return Ok(Page::default());
        }
        let mut regions = detect(image, &self.networks, &self.workers)?;
        regions.truncate(MOST_LINES);
        let mut progress = Progress { done: 0, of: regions.len() };
        let mut lines = Vec::with_capacity(regions.len());
        let mut failure = match watch(progress) {
            ControlFlow::Continue(()) => None,
            ControlFlow::Break(()) => return Err(Error::Stopped),
        };
        self.workers.each(
            &regions,
            |region, options| {
                let known = match self.memory {
                    Memory::Kept => Some(self.lines.key(image, region, script)),
                    Memory::Off => None,
                };
                if let Some(reading) = known.and_then(|key| self.lines.recall(key)) {
                    return Ok(words::line(image, region, &reading));
                }
                let reading = recognise(image, region, script, &self.networks, &options)?;
                let line = words::line(image, region, &reading);
                if let Some(key) = known {
                    self.lines.keep(key, reading);
                }
                Ok(line)
            },
            |_, line: Result<_, Error>| {
                progress.done += 1;
                match line {
                    Ok(line) => lines.extend(line),
                    Err(error) => failure = Some(error),
                }
                if failure.is_none() && watch(progress).is_break() {
                    failure = Some(Error::Stopped);
                }
                if failure.is_some() { Go::Stop } else { Go::On }
            },
        );
        match failure {
            Some(error) => Err(error),
            None => Ok(Page { lines: order::ordered(lines) }),
        }
    }
}
