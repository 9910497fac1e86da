//! Lines that go on below: a terminal breaks a long token wherever its window ends.

use std::ops::Range;

use crate::run::Run;
use crate::scan::has_email;

/// More lines than any token has.
const MOST_LINES: usize = 64;

/// Where lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// At the edge of a terminal, whatever stands there.
    Full,
    /// Before the first word that would go beyond it.
    Ragged,
}

/// The runs that fill their line and go on in the next one, joined. A run that goes on nowhere is none of them.
pub(crate) fn chains(runs: &[Run], lines: Lines) -> Vec<Run> {
    let mut chains = Vec::new();
    let mut taken = vec![false; runs.len()];
    for start in 0..runs.len() {
        if taken[start] {
            continue;
        }
        let mut chain = vec![start];
        while let Some(next) = chain.last().and_then(|last| next_of(runs, *last, lines)) {
            if chain.len() >= MOST_LINES || taken[next] || chain.contains(&next) {
                break;
            }
            chain.push(next);
        }
        if chain.len() > 1 {
            // What begins in the last line of a chain that is too long may go on in another one.
            let whole = if chain.len() < MOST_LINES { chain.len() } else { MOST_LINES - 1 };
            for at in &chain[..whole] {
                taken[*at] = true;
            }
            let members: Vec<&Run> = chain.iter().filter_map(|at| runs.get(*at)).collect();
            chains.extend(Run::joined(&members));
        }
    }
    chains
}

/// The part of a token that goes over several lines which looks like one: words that only begin the next line do not.
pub(crate) fn token(chain: &Run, characters: Range<usize>) -> Range<usize> {
    let mut end = characters.start;
    for (number, line) in chain.by_line(characters.clone()).into_iter().enumerate() {
        let text: String = chain.text().get(line.clone()).unwrap_or_default().iter().collect();
        if number > 0 && !goes_on(&text) {
            break;
        }
        end = line.end;
    }
    characters.start..end
}

/// An address that is broken behind its sign. What begins the next line often looks like the end of one that is whole.
pub(crate) fn address(chain: &Run, characters: Range<usize>) -> Option<Range<usize>> {
    let lines = chain.by_line(characters.clone());
    let first: String = chain.text().get(lines.first()?.clone())?.iter().collect();
    (lines.len() > 1 && first.contains('@') && !has_email(&first)).then_some(characters)
}

/// A number that is broken over the end of one line. Columns of figures stand below each other too, so it must look like a
/// number by what holds it together: groups of a card, or the signs that telephone and social security numbers have.
pub(crate) fn number(chain: &Run, characters: Range<usize>) -> Option<Range<usize>> {
    let lines = chain.by_line(characters.clone());
    let part =
        |line: &Range<usize>| chain.text().get(line.clone()).map(|part| part.iter().collect::<String>());
    let [first, second] = lines.as_slice() else { return None };
    let (first, second) = (part(first)?, part(second)?);
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let is_long = digits(&first) + digits(&second) >= 13;
    let is_held = is_long || first.contains(['+', '(', '-']);
    (is_held && digits(&first) >= 3 && digits(&second) >= 2).then_some(characters)
}

/// An address of version 6 that is broken over the end of a line. Those of version 4 look like numbers of versions then.
pub(crate) fn ipv6(chain: &Run, characters: Range<usize>) -> Option<Range<usize>> {
    let lines = chain.by_line(characters.clone());
    let first = chain.text().get(lines.first()?.clone())?.iter().filter(|one| **one == ':').count();
    (lines.len() > 1 && first >= 3).then_some(characters)
}

/// Whether something looks like the next part of a token: digits, capitals inside, signs, or too long for a word.
fn goes_on(text: &str) -> bool {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let has_capital = text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    has_digit || has_capital || text.contains(['_', '/', '+', '=']) || text.len() >= 24
}

/// The run that this one goes on in: the nearest below that begins where this one's line may begin, if this one is as
/// long as its neighbours.
fn next_of(runs: &[Run], at: usize, lines: Lines) -> Option<usize> {
    let run = runs.get(at)?;
    let cell = run.character_width().max(1);
    let height = i64::from(run.area.height);
    let below = |(other, next): &(usize, &Run)| {
        let step = i64::from(next.area.centre().1) - i64::from(run.area.centre().1);
        // The continuation begins at the left margin, which is never right of where this line begins.
        let is_left = i64::from(next.area.x) <= i64::from(run.area.x) + 2 * cell;
        let overlaps = next.area.right() > i64::from(run.area.x).min(i64::from(next.area.x) + 1);
        *other != at
            && next.window == run.window
            && step > height / 3
            && step < height * 5 / 2
            && is_left
            && overlaps
    };
    let (next, found) = runs.iter().enumerate().filter(below).min_by_key(|(_, next)| next.area.centre().1)?;
    let room = match lines {
        Lines::Full => 2,
        // For the first word of the next line there was none.
        Lines::Ragged => 2 + i64::try_from(found.first_word()).unwrap_or_default(),
    };
    let reaches = found.area.right() <= run.area.right() + room * cell;
    reaches.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::{Lines, MOST_LINES, chains};
    use crate::run::tests::page;
    use crate::run::{Spacing, runs};

    fn joined(texts: &[&str], lines: Lines) -> Vec<String> {
        let runs = runs(&page(texts), &[], Spacing::AsRead);
        chains(&runs, lines).iter().map(|run| run.text().into_iter().collect()).collect()
    }

    #[test]
    fn a_full_line_goes_on_in_the_next() {
        assert_eq!(
            joined(&["$ echo ghp_aB3dE5fG7h", "I9jK1lM3nO5pQ7rS9tU1v"], Lines::Full),
            ["$ echo ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v"]
        );
        assert!(joined(&["short", "a line that is longer"], Lines::Full).is_empty());
    }

    #[test]
    fn a_line_ends_before_the_word_that_has_no_room() {
        let texts = ["call me on +49 151", "2345678 whenever you can"];
        assert!(joined(&texts, Lines::Full).is_empty());
        assert_eq!(joined(&texts, Lines::Ragged), ["call me on +49 1512345678 whenever you can"]);
        assert!(joined(&["It has ended.", "No word is long enough here"], Lines::Ragged).is_empty());
    }

    #[test]
    fn of_two_chains_that_are_one_none_of_the_ends_is_lost() {
        let texts = vec!["a full line of text"; MOST_LINES + 2];
        let chains = joined(&texts, Lines::Full);
        let lines: usize = chains.iter().map(|chain| chain.matches("full").count()).sum();
        assert_eq!((chains.len(), lines), (2, MOST_LINES + 3));
    }
}
