//! Numbers as cooks write them: `1 ½`, `1/2`, `2-3`, `1,5`, `2 to 3`, `a dozen` is not.

/// A number, and where the rest of the text starts.
pub(super) fn read(text: &str) -> Option<(f64, &str)> {
    let (first, rest) = simple(text)?;
    // `1 ½`, `1 1/2`, `1½`: a whole number and a part of one.
    if first.fract() == 0.0
        && let Some((part, after)) = part(rest.trim_start_matches(['\u{a0}', ' ', '\u{2009}']))
    {
        return Some((first + part, after));
    }
    Some((first, rest))
}

/// A number, or two with `-`, `–`, `to`, `bis`, `à`, `a` between them.
pub(super) fn range(text: &str) -> Option<(f64, Option<f64>, &str)> {
    let (low, rest) = read(text)?;
    let between = rest.trim_start();
    for word in ["-", "–", "—", "to ", "or ", "bis ", "à ", "a "] {
        if let Some(after) = between.strip_prefix(word)
            && let Some((high, rest)) = read(after.trim_start())
            && high > low
        {
            return Some((low, Some(high), rest));
        }
    }
    Some((low, None, rest))
}

fn simple(text: &str) -> Option<(f64, &str)> {
    if let Some(found) = part(text) {
        return Some(found);
    }
    let (whole, rest) = digits(text)?;
    let number: f64 = whole.parse().ok()?;
    // `1.5`, and `1,5` where it is no list: a digit must follow. `1,000` is a thousand.
    for mark in ['.', ','] {
        if let Some(after) = rest.strip_prefix(mark)
            && let Some((fraction, rest)) = digits(after)
        {
            if mark == ',' && fraction.len() == 3 && whole != "0" {
                return format!("{whole}{fraction}").parse().ok().map(|number| (number, rest));
            }
            return format!("{whole}.{fraction}").parse().ok().map(|number| (number, rest));
        }
    }
    Some((number, rest))
}

/// `½`, or `1/2`.
fn part(text: &str) -> Option<(f64, &str)> {
    let mut characters = text.chars();
    if let Some(value) = characters.next().and_then(unicode) {
        return Some((value, characters.as_str()));
    }
    let (above, rest) = digits(text)?;
    let rest = rest.trim_start().strip_prefix(['/', '⁄'])?;
    let (below, rest) = digits(rest.trim_start())?;
    let (above, below): (f64, f64) = (above.parse().ok()?, below.parse().ok()?);
    (below > 0.0).then(|| (above / below, rest))
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    // No kitchen has more than a million of anything.
    (1..=9).contains(&end).then(|| text.split_at(end))
}

fn unicode(c: char) -> Option<f64> {
    let (above, below) = match c {
        '½' => (1, 2),
        '⅓' => (1, 3),
        '⅔' => (2, 3),
        '¼' => (1, 4),
        '¾' => (3, 4),
        '⅕' => (1, 5),
        '⅖' => (2, 5),
        '⅗' => (3, 5),
        '⅘' => (4, 5),
        '⅙' => (1, 6),
        '⅚' => (5, 6),
        '⅐' => (1, 7),
        '⅛' => (1, 8),
        '⅜' => (3, 8),
        '⅝' => (5, 8),
        '⅞' => (7, 8),
        '⅑' => (1, 9),
        '⅒' => (1, 10),
        _ => return None,
    };
    Some(f64::from(above) / f64::from(below))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn numbers_fractions_and_ranges() {
        for (text, low, high, rest) in [
            ("1 ½ cups", 1.5, None, " cups"),
            ("1½", 1.5, None, ""),
            ("1 1/2 cups", 1.5, None, " cups"),
            ("½-¾ cup", 0.5, Some(0.75), " cup"),
            ("2 to 3 apples", 2.0, Some(3.0), " apples"),
            ("2 – 3", 2.0, Some(3.0), ""),
            ("1,5 l", 1.5, None, " l"),
            ("1,000 g", 1_000.0, None, " g"),
            ("0,125 l", 0.125, None, " l"),
            ("1 (14 oz) can", 1.0, None, " (14 oz) can"),
            ("3-2", 3.0, None, "-2"),
            ("1⁄3 cup", 1.0 / 3.0, None, " cup"),
        ] {
            assert_eq!(range(text), Some((low, high, rest)), "{text}");
        }
        for none in ["", "salt", "12345678901", "/2"] {
            assert_eq!(range(none), None, "{none}");
        }
        // Nothing is divided by zero.
        assert_eq!(range("1/0"), Some((1.0, None, "/0")));
    }
}
