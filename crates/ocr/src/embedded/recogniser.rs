//! Reads one line: cuts it out, shows it to the quick network, and the words that one doubts to the better one.

use std::sync::LazyLock;

use super::ctc::{Alphabet, Glyph, Reading, decode};
use super::doubt::doubted;
use super::lengths::{real, whole};
use super::lookalikes::settle;
use super::network::{Grid, Scratch};
use super::networks::{Named, Networks};
use super::refine::Region;
use super::resample::{Levels, Part, resample};
use super::scripts::{Script, Spelling};
use crate::{Error, Image};

/// Kana and kanji are as wide as high, four steps of the network each; with fewer they are read as well.
const SQUEEZE_JAPANESE: f32 = 0.82;
/// The height the networks were trained on.
const HEIGHT: usize = 48;
/// Widths in steps of a network: its columns stand for eight pixels.
const STEP: usize = 8;
const NARROWEST: usize = 16;
/// A line of 4K at the height of small print; what is longer is squeezed.
const WIDEST: usize = 8_192;

pub(super) static TINY_LATIN: LazyLock<Alphabet> =
    LazyLock::new(|| Alphabet::new(include_str!("../../models/tiny-latin.txt")));
pub(super) static SMALL_LATIN: LazyLock<Alphabet> =
    LazyLock::new(|| Alphabet::new(include_str!("../../models/small-latin.txt")));
pub(super) static SMALL_JAPANESE: LazyLock<Alphabet> =
    LazyLock::new(|| Alphabet::new(include_str!("../../models/small-japanese.txt")));

/// A line that is doubted in more than this share is read again as a whole.
const MOSTLY: f32 = 0.6;

/// What is needed to read lines of one page.
pub(super) struct Recogniser<'a> {
    pub(super) image: Image<'a>,
    networks: &'a Networks,
    script: Script,
    tiny_latin: Vec<f32>,
    small_latin: Vec<f32>,
    small_japanese: Vec<f32>,
}

impl<'a> Recogniser<'a> {
    pub(super) fn new(image: Image<'a>, networks: &'a Networks, spelling: &Spelling) -> Self {
        Self {
            image,
            networks,
            script: spelling.script,
            tiny_latin: TINY_LATIN.handicaps(spelling),
            small_latin: SMALL_LATIN.handicaps(spelling),
            small_japanese: SMALL_JAPANESE.handicaps(spelling),
        }
    }

    /// Reads what stands in a region.
    pub(super) fn recognise(&self, region: &Region, scratch: &mut Scratch) -> Result<Reading, Error> {
        let mut reading = self.first_and_second_look(region, scratch)?;
        settle(&mut reading.glyphs);
        Ok(reading)
    }

    fn first_and_second_look(&self, region: &Region, scratch: &mut Scratch) -> Result<Reading, Error> {
        match self.script {
            Script::Latin => {
                let network = self.networks.tiny()?;
                let quick = self.read(network, "latin", (&TINY_LATIN, &self.tiny_latin), region, scratch)?;
                self.reconsider(quick, region, scratch)
            }
            Script::WideLatin => self.read_better(region, scratch),
            Script::Japanese => {
                let network = self.networks.small()?;
                self.read(network, "japanese", (&SMALL_JAPANESE, &self.small_japanese), region, scratch)
            }
        }
    }

    fn squeeze(&self) -> f32 {
        match self.script {
            Script::Latin | Script::WideLatin => 1.0,
            Script::Japanese => SQUEEZE_JAPANESE,
        }
    }

    fn read_better(&self, region: &Region, scratch: &mut Scratch) -> Result<Reading, Error> {
        self.read(self.networks.small()?, "latin", (&SMALL_LATIN, &self.small_latin), region, scratch)
    }

    /// Has the doubted words of a reading read by the better network.
    fn reconsider(
        &self,
        mut quick: Reading,
        region: &Region,
        scratch: &mut Scratch,
    ) -> Result<Reading, Error> {
        let doubted = doubted(&quick);
        let count: usize = doubted.iter().map(ExactSizeIterator::len).sum();
        if real(count) > MOSTLY * real(quick.glyphs.len()) {
            return self.read_better(region, scratch);
        }
        let step = (region.right - region.left) / real(quick.steps.max(1));
        // From the end, so that earlier ranges stay what they are.
        for word in doubted.into_iter().rev() {
            // A space is the middle between two words.
            let from = word.start.checked_sub(1).map_or(0.0, |space| quick.glyphs[space].centre);
            let to = quick.glyphs.get(word.end).map_or(real(quick.steps), |space| space.centre);
            let part = Region { left: region.left + from * step, right: region.left + to * step, ..*region };
            let better = self.read_better(&part, scratch)?;
            let scale = (to - from) / real(better.steps.max(1));
            let glyphs: Vec<Glyph> = trimmed(&better.glyphs)
                .iter()
                .map(|glyph| Glyph { centre: from + glyph.centre * scale, ..*glyph })
                .collect();
            if !glyphs.is_empty() {
                quick.glyphs.splice(word, glyphs);
            }
        }
        Ok(quick)
    }

    fn read(
        &self,
        network: &Named,
        head: &str,
        (alphabet, handicaps): (&Alphabet, &[f32]),
        region: &Region,
        scratch: &mut Scratch,
    ) -> Result<Reading, Error> {
        let scores = network.run(cut(self.image, region, self.squeeze()), head, scratch)?;
        let reading = decode(&scores.values, alphabet, handicaps);
        scratch.recycle(scores);
        Ok(reading)
    }
}

fn trimmed(glyphs: &[Glyph]) -> &[Glyph] {
    let is_letter = |glyph: &Glyph| glyph.value != ' ';
    let start = glyphs.iter().position(is_letter).unwrap_or(0);
    let end = glyphs.iter().rposition(is_letter).map_or(0, |last| last + 1);
    &glyphs[start.min(end)..end]
}

/// The line at the height of the networks, its width squeezed.
fn cut(image: Image<'_>, region: &Region, squeeze: f32) -> Grid {
    let part = Part {
        x: region.left,
        y: region.top,
        width: region.right - region.left,
        height: region.bottom - region.top,
    };
    let width = whole(squeeze * real(HEIGHT) * part.width / part.height)
        .clamp(NARROWEST, WIDEST)
        .next_multiple_of(STEP);
    resample(image, part, width, HEIGHT, Levels::SYMMETRIC)
}
