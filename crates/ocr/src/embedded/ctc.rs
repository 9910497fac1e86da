//! From scores per step to characters: a run of steps with the same best class is one character, class 0 is none.

use super::scripts::Spelling;

/// About as much as the network is off when it takes one letter for another.
const HANDICAP: f32 = -3.0;
/// For a letter that differs from one of the language only in its accent, which small print hardly shows.
const HANDICAP_OF_RIVALS: f32 = -8.0;

/// One character of a line, and where in the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    pub(super) value: char,
    /// The middle of its steps; step 0 begins at the left edge.
    pub(super) centre: f32,
    /// The probability at its surest step.
    pub(super) probability: f32,
}

/// What a network read in one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    /// From left to right, with the spaces the network saw.
    pub(super) glyphs: Vec<Glyph>,
    /// How many steps the line has.
    pub(super) steps: usize,
}

/// The characters of a head, without the blank before them and the space behind them.
pub(super) struct Alphabet(Vec<char>);

impl Alphabet {
    /// Every character of the text but the line end, in order.
    pub(super) fn new(text: &str) -> Self {
        Self(text.trim_end_matches('\n').chars().collect())
    }

    /// What to add to the score of each class, so that a letter foreign to the language needs to be clearer.
    pub(super) fn handicaps(&self, spelling: &Spelling) -> Vec<f32> {
        let own = self.0.iter().map(|character| match character {
            expected if spelling.expects(*expected) => 0.0,
            rival if spelling.has_rival_of(*rival) => HANDICAP_OF_RIVALS,
            _ => HANDICAP,
        });
        std::iter::once(0.0).chain(own).chain([0.0]).collect()
    }

    #[cfg(test)]
    pub(super) fn has(&self, character: char) -> bool {
        self.0.contains(&character)
    }

    fn character(&self, class: usize) -> char {
        self.0.get(class - 1).copied().unwrap_or(' ')
    }
}

/// Reads rows of scores, one per step, each with one score per class.
pub(super) fn decode(scores: &[f32], alphabet: &Alphabet, handicaps: &[f32]) -> Reading {
    let mut reading = Reading::default();
    let mut run: Option<Run> = None;
    for row in scores.chunks_exact(handicaps.len()) {
        let best = Best::of(row, handicaps);
        let step = reading.steps;
        reading.steps += 1;
        match &mut run {
            Some(run) if run.class == best.class => run.add(step, &best),
            _ => {
                reading.glyphs.extend(run.take().map(|run| run.glyph(alphabet)));
                if best.class != 0 {
                    run = Some(Run::new(step, &best));
                }
            }
        }
    }
    reading.glyphs.extend(run.map(|run| run.glyph(alphabet)));
    reading
}

struct Best {
    class: usize,
    probability: f32,
}

impl Best {
    fn of(row: &[f32], handicaps: &[f32]) -> Self {
        let scores = row.iter().zip(handicaps).map(|(score, handicap)| score + handicap);
        let (mut class, mut best) = (0, f32::NEG_INFINITY);
        for (index, score) in scores.clone().enumerate() {
            if score > best {
                (class, best) = (index, score);
            }
        }
        // What is further below does not change the sum, and most are.
        let near = scores.filter(|score| *score > best - 12.0);
        let sum: f32 = near.map(|score| (score - best).exp()).sum();
        Self { class, probability: 1.0 / sum.max(1.0) }
    }
}

struct Run {
    class: usize,
    first: usize,
    last: usize,
    probability: f32,
}

impl Run {
    fn new(step: usize, best: &Best) -> Self {
        Self { class: best.class, first: step, last: step, probability: best.probability }
    }

    fn add(&mut self, step: usize, best: &Best) {
        self.last = step;
        self.probability = self.probability.max(best.probability);
    }

    #[expect(clippy::cast_precision_loss, reason = "steps of a line")]
    fn glyph(&self, alphabet: &Alphabet) -> Glyph {
        Glyph {
            value: alphabet.character(self.class),
            centre: (self.first + self.last + 1) as f32 / 2.0,
            probability: self.probability,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores with one clear class per step.
    fn scores(classes: &[usize], count: usize) -> Vec<f32> {
        classes
            .iter()
            .flat_map(|class| (0..count).map(move |index| if index == *class { 20.0 } else { 0.0 }))
            .collect()
    }

    #[test]
    fn runs_become_characters_and_blanks_part_doubles() {
        let alphabet = Alphabet::new("ab\n");
        let reading = decode(&scores(&[0, 1, 1, 0, 1, 3, 2, 2, 2], 4), &alphabet, &[0.0; 4]);
        let text: String = reading.glyphs.iter().map(|glyph| glyph.value).collect();
        assert_eq!(text, "aa b");
        let centres: Vec<f32> = reading.glyphs.iter().map(|glyph| glyph.centre).collect();
        assert_eq!(centres, [2.0, 4.5, 5.5, 7.5]);
        assert_eq!(reading.steps, 9);
        assert!(reading.glyphs.iter().all(|glyph| glyph.probability > 0.99));
    }

    #[test]
    fn scores_that_are_no_numbers_read_as_nothing() {
        let reading = decode(&[f32::NAN; 8], &Alphabet::new("ab"), &[0.0; 4]);
        assert!(reading.glyphs.is_empty());
    }

    #[test]
    fn a_foreign_letter_must_be_clearer_than_one_of_the_language() {
        let alphabet = Alphabet::new("āäéß");
        let handicaps = alphabet.handicaps(&Spelling::of(&"deu".parse().unwrap()));
        let read = |scores: &[f32]| decode(scores, &alphabet, &handicaps).glyphs[0].value;
        assert_eq!(read(&[0.0, 12.0, 5.0, 0.0, 0.0, 0.0]), 'ä');
        assert_eq!(read(&[0.0, 14.0, 5.0, 0.0, 0.0, 0.0]), 'ā');
        assert_eq!(read(&[0.0, 0.0, 0.0, 7.0, 5.0, 0.0]), 'ß');
        assert_eq!(read(&[0.0, 0.0, 0.0, 9.0, 5.0, 0.0]), 'é');
    }
}
