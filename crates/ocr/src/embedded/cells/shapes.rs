//! What each shape of a page is: every place where it was read has a vote.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::row::{Shape, Style};
use crate::embedded::ctc::Glyph;

/// A shape is what at least this share of the votes says.
const MOST: f32 = 0.5;
/// Fewer votes than this are no more than a reading.
const ENOUGH: f32 = 1.5;
/// Two shapes that were both read as one character are not both that one, if at least this share of the votes for one of them,
/// and hardly any for the other, say what no other shape is.
const SECOND: f32 = 0.15;
const HARDLY: f32 = 0.05;

#[derive(Default)]
pub(super) struct Shapes {
    votes: HashMap<Shape, (Style, BTreeMap<char, f32>)>,
}

struct Tally {
    shape: Shape,
    style: Style,
    /// Best first, as shares of all.
    choices: Vec<(char, f32)>,
    total: f32,
}

impl Tally {
    fn share(&self, value: char) -> f32 {
        self.choices.iter().find(|(choice, _)| *choice == value).map_or(0.0, |(_, share)| *share)
    }
}

impl Shapes {
    pub(super) fn vote(&mut self, style: Style, shape: &Shape, glyph: &Glyph) {
        let (_, votes) = self.votes.entry(shape.clone()).or_insert_with(|| (style, BTreeMap::new()));
        *votes.entry(glyph.value).or_default() += glyph.probability;
    }

    /// What each shape is that had enough votes.
    pub(super) fn settled(self) -> HashMap<Shape, Glyph> {
        let mut tallies: Vec<Tally> =
            self.votes.into_iter().map(|(shape, (style, votes))| tally(shape, style, votes)).collect();
        // The order of a map differs each time.
        tallies.sort_by(|one, other| {
            other
                .total
                .total_cmp(&one.total)
                .then_with(|| one.choices.first().map(|c| c.0).cmp(&other.choices.first().map(|c| c.0)))
        });
        let settled = tallies.iter().filter(|tally| tally.total >= ENOUGH);
        let taken: BTreeSet<(Style, char)> =
            settled.filter_map(|tally| Some((tally.style, tally.choices.first()?.0))).collect();
        let second = |tally: &Tally| -> Option<(char, f32)> {
            let (first, _) = *tally.choices.first()?;
            let (value, share) = *tally.choices.get(1)?;
            let is_free = !taken.contains(&(tally.style, value));
            let is_elsewhere = tallies.iter().any(|other| {
                other.shape != tally.shape
                    && other.style == tally.style
                    && other.total >= ENOUGH
                    && other.choices.first().is_some_and(|(best, _)| *best == first)
                    && other.share(value) <= HARDLY
            });
            (share >= SECOND && is_free && is_elsewhere).then_some((value, share))
        };
        tallies
            .iter()
            .filter(|tally| tally.total >= ENOUGH)
            .filter_map(|tally| {
                let best = tally.choices.first().copied().filter(|(_, share)| *share >= MOST);
                let (value, probability) = second(tally).or(best)?;
                Some((tally.shape.clone(), Glyph { value, centre: 0.0, probability: probability.min(1.0) }))
            })
            .collect()
    }
}

fn tally(shape: Shape, style: Style, votes: BTreeMap<char, f32>) -> Tally {
    let total: f32 = votes.values().sum();
    let mut choices: Vec<(char, f32)> =
        votes.into_iter().map(|(value, weight)| (value, weight / total.max(f32::MIN_POSITIVE))).collect();
    choices.sort_by(|one, other| other.1.total_cmp(&one.1));
    Tally { shape, style, choices, total }
}
