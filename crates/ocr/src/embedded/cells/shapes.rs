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

/// Shapes of one letter differ by at most this share of their ink. O and Q of 8 pixels differ by 0.07.
const NEAR: f32 = 0.05;
/// What differs by so little is likely the same, if nothing else tells.
const NOT_FAR: f32 = 0.15;
/// More different shapes than fonts of a screen have are no longer compared with each other.
const MOST_COMPARED: usize = 1_000;

#[derive(Default)]
pub(super) struct Shapes {
    votes: HashMap<Shape, (Style, Votes)>,
}

type Votes = BTreeMap<char, f32>;

/// Shapes that differ by so little that they are one character.
struct Tally {
    shape: Shape,
    style: Style,
    votes: Votes,
    alike: Vec<Shape>,
}

impl Tally {
    fn total(&self) -> f32 {
        self.votes.values().sum()
    }

    /// Best first, as shares of all.
    fn choices(&self) -> Vec<(char, f32)> {
        let total = self.total().max(f32::MIN_POSITIVE);
        let mut choices: Vec<(char, f32)> =
            self.votes.iter().map(|(value, weight)| (*value, weight / total)).collect();
        choices.sort_by(|one, other| other.1.total_cmp(&one.1));
        choices
    }

    fn share(&self, value: char) -> f32 {
        self.votes.get(&value).map_or(0.0, |weight| weight / self.total().max(f32::MIN_POSITIVE))
    }

    fn best(&self) -> Option<char> {
        self.choices().first().map(|(value, _)| *value)
    }
}

/// What shapes are.
#[derive(Default)]
pub(super) struct Known {
    exact: HashMap<Shape, Glyph>,
    /// One of those that are alike, for each.
    typical: Vec<(Style, Shape, Glyph)>,
}

impl Known {
    pub(super) fn get(&self, shape: &Shape) -> Option<&Glyph> {
        self.exact.get(shape)
    }

    /// What a shape is that occurs or is like one that does, perhaps in other colours.
    pub(super) fn near(&self, style: Style, shape: &Shape) -> Option<&Glyph> {
        let own = || {
            let mut own = self.typical.iter().filter(|(own, _, _)| *own == style);
            own.find(|(_, other, _)| is_near(other.apart(shape))).map(|(_, _, glyph)| glyph)
        };
        let coloured = || {
            let mut others = self.typical.iter().filter(|(own, _, _)| *own != style);
            others.find(|(_, other, _)| is_near(other.apart_in_colour(shape))).map(|(_, _, glyph)| glyph)
        };
        self.get(shape).or_else(own).or_else(coloured)
    }

    /// What a shape is most like, if it is rather like it.
    pub(super) fn nearest(&self, shape: &Shape) -> Option<&Glyph> {
        let apart =
            self.typical.iter().filter_map(|(_, other, glyph)| Some((other.apart_in_colour(shape)?, glyph)));
        let (apart, glyph) = apart.min_by(|one, other| one.0.total_cmp(&other.0))?;
        (apart <= NOT_FAR).then_some(glyph)
    }
}

fn is_near(apart: Option<f32>) -> bool {
    apart.is_some_and(|apart| apart <= NEAR)
}

impl Shapes {
    pub(super) fn vote(&mut self, style: Style, shape: &Shape, glyph: &Glyph) {
        let (_, votes) = self.votes.entry(shape.clone()).or_insert_with(|| (style, BTreeMap::new()));
        *votes.entry(glyph.value).or_default() += glyph.probability;
    }

    /// What each shape is that had enough votes.
    pub(super) fn settled(self) -> Known {
        let tallies: Vec<Tally> =
            self.tallies().into_iter().filter(|tally| tally.total() >= ENOUGH).collect();
        let taken: BTreeSet<(Style, char)> =
            tallies.iter().filter_map(|tally| Some((tally.style, tally.best()?))).collect();
        let second = |tally: &Tally, choices: &[(char, f32)]| -> Option<(char, f32)> {
            let (first, _) = *choices.first()?;
            let (value, share) = *choices.get(1)?;
            let is_free = !taken.contains(&(tally.style, value));
            let is_elsewhere = || {
                tallies.iter().any(|other| {
                    other.shape != tally.shape
                        && other.style == tally.style
                        && other.best() == Some(first)
                        && other.share(value) <= HARDLY
                })
            };
            (share >= SECOND && is_free && is_elsewhere()).then_some((value, share))
        };
        let mut known = Known::default();
        for tally in &tallies {
            let choices = tally.choices();
            let best = choices.first().copied().filter(|(_, share)| *share >= MOST);
            let Some((value, probability)) = second(tally, &choices).or(best) else { continue };
            let glyph = Glyph { value, centre: 0.0, probability: probability.min(1.0) };
            if known.typical.len() < MOST_COMPARED {
                known.typical.push((tally.style, tally.shape.clone(), glyph));
            }
            known.exact.extend(tally.alike.iter().map(|shape| (shape.clone(), glyph)));
        }
        known
    }

    /// The votes of shapes that are alike, together; those with most votes first.
    fn tallies(self) -> Vec<Tally> {
        let total = |votes: &Votes| votes.values().sum::<f32>();
        let mut all: Vec<(Shape, Style, Votes)> =
            self.votes.into_iter().map(|(shape, (style, votes))| (shape, style, votes)).collect();
        // The order of a map differs each time.
        all.sort_by(|one, other| total(&other.2).total_cmp(&total(&one.2)).then_with(|| one.0.cmp(&other.0)));
        let mut tallies: Vec<Tally> = Vec::new();
        for (shape, style, votes) in all {
            let is_alike = |tally: &&mut Tally| tally.style == style && is_near(tally.shape.apart(&shape));
            if let Some(tally) = tallies.iter_mut().take(MOST_COMPARED).find(is_alike) {
                for (value, weight) in votes {
                    *tally.votes.entry(value).or_default() += weight;
                }
                tally.alike.push(shape);
            } else {
                tallies.push(Tally { alike: vec![shape.clone()], shape, style, votes });
            }
        }
        tallies
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_COMPARED, Shape, Shapes};
    use crate::embedded::ctc::Glyph;

    /// Otherwise a picture decides how long each of its cells is compared with others.
    #[test]
    fn of_very_many_shapes_only_some_are_compared_with_others() {
        let shape = |number: i16| {
            let pixels: Vec<i16> =
                (0..12).map(|bit| 100 * ((number >> bit) & 1) + i16::from(bit == 11)).collect();
            Shape::example(&pixels)
        };
        let glyph = Glyph { value: 'a', centre: 0.0, probability: 0.9 };
        let mut shapes = Shapes::default();
        for number in (1..2_000).chain(1..2_000) {
            shapes.vote((3, 0), &shape(number), &glyph);
        }
        let known = shapes.settled();
        assert_eq!(known.typical.len(), MOST_COMPARED);
        assert!((1..2_000).all(|number| known.get(&shape(number)).is_some()));
    }
}
