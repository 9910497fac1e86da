//! From the characters of a line to words with boxes. The network tells roughly where a character is; where the ink
//! is, the picture tells.

use super::ctc::{Glyph, Reading};
use super::lengths::{pixels, real, whole};
use super::refine::Region;
use crate::image::brightness;
use crate::{Character, Image, Line, Rect, Word};

/// A column is inked when its brightness varies by this share of what the whole line varies by.
const INK: f32 = 0.25;
/// A gap of this share of the line's height parts words even if the network saw no space.
const GAP: f32 = 0.45;

/// The line of a region; none if nothing was read there.
pub(super) fn line(image: Image<'_>, region: &Region, reading: &Reading) -> Option<Line> {
    let frame = frame(image, region)?;
    let ink = Ink::new(image, frame);
    let step = (region.right - region.left) / real(reading.steps.max(1));
    let column = |glyph: &Glyph| region.left + glyph.centre * step;
    let mut words = Vec::new();
    let mut word: Vec<(Glyph, Span)> = Vec::new();
    let mut spaced = false;
    let mut before: Option<f32> = None;
    for glyph in &reading.glyphs {
        if glyph.value.is_whitespace() {
            spaced = true;
            continue;
        }
        let centre = column(glyph);
        let mut left = ink.first();
        if let Some(before) = before {
            let gap = ink.gap(before, centre);
            let apart = spaced || gap.width() > GAP * real(frame.height as usize);
            let edges = if apart { gap } else { gap.closed() };
            if let Some((_, span)) = word.last_mut() {
                span.right = edges.left;
            }
            if apart {
                words.extend(finish(&mut word, frame));
            }
            left = edges.right;
        }
        word.push((*glyph, Span { left, right: ink.last() }));
        (before, spaced) = (Some(centre), false);
    }
    words.extend(finish(&mut word, frame));
    let area = words.iter().map(|word| word.area).reduce(Rect::joined)?;
    Some(Line { words, area })
}

/// The pixels of a region that are inside the picture.
pub(super) fn frame(image: Image<'_>, region: &Region) -> Option<Rect> {
    let clamp = |value: f32, side: u32| pixels(whole(value)).min(side);
    let (x, y) = (clamp(region.left.floor(), image.width()), clamp(region.top.floor(), image.height()));
    let right = clamp(region.right.ceil(), image.width());
    let bottom = clamp(region.bottom.ceil(), image.height());
    Rect::from_edges(x.into(), y.into(), right.into(), bottom.into())
}

fn finish(word: &mut Vec<(Glyph, Span)>, frame: Rect) -> Option<Word> {
    let (first, last) = (word.first()?.1, word.last()?.1);
    let characters: Vec<Character> = word
        .iter()
        .map(|(glyph, span)| Character {
            value: glyph.value,
            left: span.left,
            right: span.right.max(span.left),
            confidence: glyph.probability,
        })
        .collect();
    let confidence = characters.iter().map(|one| one.confidence).sum::<f32>() / real(characters.len());
    let text = characters.iter().map(|one| one.value).collect();
    word.clear();
    let width = last.right.max(first.left + 1) - first.left;
    let area = Rect { x: first.left.cast_signed(), width, ..frame };
    Some(Word { text, area, confidence, characters })
}

/// Columns from `left` to `right`, not included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    left: u32,
    right: u32,
}

impl Span {
    fn width(self) -> f32 {
        real((self.right - self.left) as usize)
    }

    /// Its middle, as both edges.
    fn closed(self) -> Self {
        let middle = self.left.midpoint(self.right);
        Self { left: middle, right: middle }
    }
}

/// Which columns of a line have something on them.
struct Ink {
    x: u32,
    columns: Vec<bool>,
}

impl Ink {
    fn new(image: Image<'_>, frame: Rect) -> Self {
        let width = frame.width as usize;
        let (mut darkest, mut brightest) = (vec![u8::MAX; width], vec![u8::MIN; width]);
        // The outermost rows may have ink of the neighbours; the next ones are background.
        let skip = frame.height / 12;
        // A frame is inside the picture, so neither is negative.
        let (x, y) = (frame.x.unsigned_abs(), frame.y.unsigned_abs());
        for y in y + skip..(y + frame.height - skip).max(y + skip + 1) {
            let pixels = image.row(y, x, x + frame.width).chunks_exact(image.channels());
            for ((pixel, darkest), brightest) in pixels.zip(&mut darkest).zip(&mut brightest) {
                let brightness = brightness(pixel);
                *darkest = (*darkest).min(brightness);
                *brightest = (*brightest).max(brightness);
            }
        }
        let low = darkest.iter().min().copied().unwrap_or(0);
        let range = brightest.iter().max().copied().unwrap_or(0).saturating_sub(low);
        let enough = INK * f32::from(range);
        let columns =
            darkest.iter().zip(&brightest).map(|(low, high)| f32::from(high - low) > enough).collect();
        Self { x, columns }
    }

    fn column(&self, index: usize) -> u32 {
        self.x + pixels(index)
    }

    /// The first column with ink.
    fn first(&self) -> u32 {
        self.column(self.columns.iter().position(|ink| *ink).unwrap_or(0))
    }

    /// The column behind the last with ink.
    fn last(&self) -> u32 {
        self.column(self.columns.iter().rposition(|ink| *ink).map_or(self.columns.len(), |last| last + 1))
    }

    /// The widest run without ink between two centres; if there is none, the middle between them.
    fn gap(&self, from: f32, to: f32) -> Span {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped below by zero")]
        let index =
            |centre: f32| ((centre.max(0.0) as u32).saturating_sub(self.x) as usize).min(self.columns.len());
        let (from, to) = (index(from), index(to.max(from)));
        let mut widest: Option<(usize, usize)> = None;
        let mut start = from;
        for at in from..=to {
            if at < to && !self.columns[at] {
                continue;
            }
            if at > start && widest.is_none_or(|(left, right)| at - start > right - left) {
                widest = Some((start, at));
            }
            start = at + 1;
        }
        let (left, right) = widest.unwrap_or((from.midpoint(to), from.midpoint(to)));
        Span { left: self.column(left), right: self.column(right) }
    }
}
