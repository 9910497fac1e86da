//! The engine inside the program: one network finds lines, others read them.

mod cells;
mod ctc;
mod detector;
mod doubt;
mod joining;
mod lengths;
mod lookalikes;
mod memory;
mod network;
mod networks;
mod order;
mod parting;
mod recogniser;
mod refine;
mod resample;
mod scripts;
mod words;
mod workers;

use std::ops::ControlFlow;

pub use memory::Memory;

use crate::{Engine, Error, Image, Languages, Line, Page, Progress, Watch};
use cells::Read;
use ctc::Reading;
use detector::detect;
use joining::joined;
use memory::Lines;
use network::Scratch;
use networks::Networks;
use parting::parted;
use recogniser::Recogniser;
use refine::{Region, refine};
use scripts::{Script, Spelling};
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

    /// Forgets the lines it read.
    pub fn forget(&self) {
        self.lines.forget();
    }
}

impl Embedded {
    /// What stands in a region, from memory or from the networks.
    fn reading(
        &self,
        recogniser: &Recogniser<'_>,
        region: &Region,
        spelling: &Spelling,
        scratch: &mut Scratch,
    ) -> Result<Reading, Error> {
        match self.memory {
            Memory::Off => recogniser.recognise(region, scratch),
            Memory::Kept => {
                let key = self.lines.key(recogniser.image, region, spelling);
                if let Some(reading) = self.lines.recall(key) {
                    return Ok(reading);
                }
                let reading = recogniser.recognise(region, scratch)?;
                self.lines.keep(key, reading.clone());
                Ok(reading)
            }
        }
    }
}

impl Engine for Embedded {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn languages(&self) -> Vec<String> {
        scripts::codes()
    }

    fn read(&self, image: Image<'_>, languages: &Languages, watch: &mut Watch<'_>) -> Result<Page, Error> {
        languages.must_be_among(self.languages())?;
        if image.is_empty() {
            return Ok(Page::default());
        }
        let marks = detect(image, &self.networks, &self.workers)?;
        let parts = marks.iter().flat_map(|mark| parted(image, mark));
        let pieces =
            parts.flat_map(|(mark, limits)| refine(image, &mark, &limits)).take(MOST_LINES).collect();
        let regions: Vec<Region> = joined(image, pieces);
        let spelling = Spelling::of(languages);
        let recogniser = Recogniser::new(image, &self.networks, &spelling);
        let mut progress = Progress { done: 0, of: regions.len() };
        let mut read = Vec::with_capacity(regions.len());
        let mut failure = match watch(progress) {
            ControlFlow::Continue(()) => None,
            ControlFlow::Break(()) => return Err(Error::Stopped),
        };
        self.workers.each(
            &regions,
            |region, scratch| {
                let reading = self.reading(&recogniser, region, &spelling, scratch)?;
                Ok(Read { region: *region, reading })
            },
            |_, line: Result<_, Error>| {
                progress.done += 1;
                match line {
                    Ok(line) => read.push(line),
                    Err(error) => failure = Some(error),
                }
                if failure.is_none() && watch(progress).is_break() {
                    failure = Some(Error::Stopped);
                }
                if failure.is_some() { Go::Stop } else { Go::On }
            },
        );
        if let Some(error) = failure {
            return Err(error);
        }
        Ok(Page { lines: order::ordered(lines(image, spelling.script, &read)) })
    }
}

/// The lines of a page, in no order.
fn lines(image: Image<'_>, script: Script, read: &[Read]) -> Vec<Line> {
    match script {
        Script::Latin | Script::WideLatin => cells::lines(image, read).all(),
        // Every font of kana and kanji is on a grid, and what looks alike is often not.
        Script::Japanese => {
            read.iter().filter_map(|read| words::line(image, &read.region, &read.reading)).collect()
        }
    }
}
