//! Which lines stand on a grid, and where its cells begin. Cells are a whole number of pixels wide.

use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::ops::RangeInclusive;

use super::Read;
use crate::Image;
use crate::embedded::lengths::{real, whole};
use crate::image::brightness;

/// How wide cells can be.
const PITCHES: RangeInclusive<usize> = 4..=24;
/// How far the middles of characters agree on a grid, squared, times their number: those of a proportional font hardly get there
/// by chance.
const EVIDENCE: f32 = 7.0;
/// By chance, that is: fewer lines of one pitch show nothing, neither do fewer of a page with many, in parts of it.
const FEWEST: usize = 3;
const PART: usize = 10;
/// As much as that on a pitch that other lines have.
const LITTLE_EVIDENCE: f32 = 3.0;
/// A line with fewer characters tells nothing.
const SHORT: usize = 8;
/// So far, in pixels, the middles that a network tells may all be off.
const BIAS: usize = 2;

/// Cells `pitch` pixels wide; one begins at `phase`, which is below `pitch`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    pub(super) pitch: usize,
    pub(super) phase: usize,
}

/// The grid each line seems to be on.
pub(super) fn of(image: Image<'_>, read: &[Read]) -> Vec<Option<Grid>> {
    let mut lines = BTreeMap::new();
    let own: Vec<Option<(usize, f32)>> = read.iter().map(pitch).collect();
    for (pitch, _) in own.iter().flatten() {
        *lines.entry(*pitch).or_insert(0_usize) += 1;
    }
    let long = read.iter().filter(|read| read.characters().count() >= SHORT).count();
    let enough = FEWEST.max(long / PART);
    let own = own.into_iter().map(|own| own.filter(|(pitch, _)| lines[pitch] >= enough));
    own.zip(read)
        .map(|(own, read)| {
            let (pitch, middle) = own?;
            // The left edge of a cell, and what is near it.
            let edge = whole((middle + real(2 * pitch) - real(pitch) / 2.0).round());
            Some(Grid { pitch, phase: phase(image, pitch, read, edge - BIAS..=edge + BIAS) })
        })
        .collect()
}

/// The pitch on which the middles of a line agree best, and the middle of a cell, from 0 to the pitch.
fn pitch(read: &Read) -> Option<(usize, f32)> {
    let middles: Vec<f32> = read.characters().map(|(middle, _)| middle).collect();
    let best = PITCHES
        .map(|pitch| (pitch, agreement(pitch, &middles)))
        .max_by(|(_, one), (_, other)| one.0.total_cmp(&other.0))?;
    let (pitch, (agreement, middle)) = best;
    (agreement * agreement * real(middles.len()) >= EVIDENCE).then_some((pitch, middle))
}

/// Whether a line may be on a grid that others are on.
pub(super) fn may_be(read: &Read, pitch: usize) -> bool {
    let middles: Vec<f32> = read.characters().map(|(middle, _)| middle).collect();
    let (agreement, _) = agreement(pitch, &middles);
    middles.len() < SHORT || agreement * agreement * real(middles.len()) >= LITTLE_EVIDENCE
}

/// How far places agree modulo a pitch, from 0 to 1, and on which.
fn agreement(pitch: usize, places: &[f32]) -> (f32, f32) {
    let turn = TAU / real(pitch);
    let (sine, cosine) = places.iter().fold((0.0_f32, 0.0_f32), |(sine, cosine), at| {
        (sine + (at * turn).sin(), cosine + (at * turn).cos())
    });
    let length = (sine * sine + cosine * cosine).sqrt() / real(places.len().max(1));
    (length, sine.atan2(cosine).rem_euclid(TAU) / turn)
}

/// Where cells begin: there is least ink to both sides of their edges.
fn phase(image: Image<'_>, pitch: usize, read: &Read, among: RangeInclusive<usize>) -> usize {
    let mut ink = vec![0_u64; pitch];
    for (x, change) in ink_of(image, read) {
        ink[x % pitch] += change;
    }
    let beside = |edge: &usize| ink[edge % pitch] + ink[(edge + pitch - 1) % pitch];
    among.min_by_key(beside).unwrap_or(0) % pitch
}

/// The columns of a line, each with how much differs from the background in it.
fn ink_of(image: Image<'_>, read: &Read) -> Vec<(usize, u64)> {
    let Some(frame) = super::words::frame(image, &read.region) else { return Vec::new() };
    let (left, right) = (frame.x.unsigned_abs(), frame.x.unsigned_abs() + frame.width);
    let top = frame.y.unsigned_abs();
    let rows: Vec<Vec<u8>> = (top..top + frame.height)
        .map(|y| image.row(y, left, right).chunks_exact(image.channels()).map(brightness).collect())
        .collect();
    let ground = super::row::ground(rows.iter().flatten().copied());
    (0..(right - left) as usize)
        .map(|x| (left as usize + x, rows.iter().map(|row| u64::from(row[x].abs_diff(ground))).sum()))
        .collect()
}
