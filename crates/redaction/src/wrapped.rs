//! Lines that go on below: a terminal breaks a long token wherever its window ends.

use std::ops::Range;

use crate::run::Run;
use crate::scan::has_email;

/// More lines than any token has.
const MOST_LINES: usize = 64;

/// The runs that fill their line and go on in the next one, joined. A run that goes on nowhere is none of them.
pub(crate) fn chains(runs: &[Run]) -> Vec<Run> {
    let mut chains = Vec::new();
    let mut taken = vec![false; runs.len()];
    for start in 0..runs.len() {
        if taken[start] {
            continue;
        }
        let mut chain = vec![start];
        while let Some(next) = chain.last().and_then(|last| next_of(runs, *last)) {
            if chain.len() >= MOST_LINES || taken[next] || chain.contains(&next) {
                break;
            }
            chain.push(next);
        }
        if chain.len() > 1 {
            for at in &chain {
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

/// Whether something looks like the next part of a token: digits, capitals inside, signs, or too long for a word.
fn goes_on(text: &str) -> bool {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let has_capital = text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    has_digit || has_capital || text.contains(['_', '/', '+', '=']) || text.len() >= 24
}

/// The run that this one goes on in: the nearest below that begins where this one's line may begin, if this one is as
/// long as its neighbours.
fn next_of(runs: &[Run], at: usize) -> Option<usize> {
    let run = runs.get(at)?;
    let cell = run.character_width().max(1);
    let height = i64::from(run.area.height);
    let below = |(other, next): &(usize, &Run)| {
        let step = i64::from(next.area.centre().1) - i64::from(run.area.centre().1);
        // The continuation begins at the left margin, which is never right of where this line begins.
        let is_left = i64::from(next.area.x) <= i64::from(run.area.x) + 2 * cell;
        let overlaps = next.area.right() > i64::from(run.area.x).min(i64::from(next.area.x) + 1);
        *other != at && step > height / 3 && step < height * 5 / 2 && is_left && overlaps
    };
    let (next, found) = runs.iter().enumerate().filter(below).min_by_key(|(_, next)| next.area.centre().1)?;
    let reaches = found.area.right() <= run.area.right() + 2 * cell;
    reaches.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::chains;
    use crate::run::tests::page;
    use crate::run::{Spacing, runs};

    fn joined(lines: &[&str]) -> Vec<String> {
        let runs = runs(&page(lines), &[], Spacing::AsRead);
        chains(&runs).iter().map(|run| run.text().into_iter().collect()).collect()
    }

    #[test]
    fn a_full_line_goes_on_in_the_next() {
        assert_eq!(
            joined(&["$ echo ghp_aB3dE5fG7h", "I9jK1lM3nO5pQ7rS9tU1v"]),
            ["$ echo ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v"]
        );
        assert!(joined(&["short", "a line that is longer"]).is_empty());
    }
}
