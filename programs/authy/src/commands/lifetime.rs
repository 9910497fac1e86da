//! Spans of time as people write them: `30m`, `1h30m`, `7d`.

use std::str::FromStr;
use std::time::Duration;

/// How long something is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    For(Duration),
    Endless,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a time such as `30m`, `1h30m`, `7d` or `1y`, or `never`")]
pub(super) struct BadLifetime;

impl Lifetime {
    pub(super) fn duration(self) -> Option<Duration> {
        match self {
            Lifetime::For(time) => Some(time),
            Lifetime::Endless => None,
        }
    }
}

impl FromStr for Lifetime {
    type Err = BadLifetime;

    fn from_str(text: &str) -> Result<Lifetime, BadLifetime> {
        if text == "never" {
            return Ok(Lifetime::Endless);
        }
        let (mut seconds, mut number) = (0_u64, String::new());
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            if c.is_ascii_digit() {
                number.push(c);
                continue;
            }
            let unit = match c {
                's' => 1,
                'm' => 60,
                'h' => 3600,
                'd' => 86_400,
                'w' => 7 * 86_400,
                'y' => 365 * 86_400,
                _ => return Err(BadLifetime),
            };
            let count: u64 = number.parse().map_err(|_| BadLifetime)?;
            seconds =
                count.checked_mul(unit).and_then(|more| seconds.checked_add(more)).ok_or(BadLifetime)?;
            number.clear();
        }
        // A number without a unit could mean anything; a time of nothing, nothing.
        let readable = number.is_empty() && (1..=100 * 365 * 86_400).contains(&seconds);
        if readable { Ok(Lifetime::For(Duration::from_secs(seconds))) } else { Err(BadLifetime) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BadLifetime, Lifetime};

    #[test]
    fn times_as_people_write_them() {
        for (text, seconds) in
            [("30m", 1800), ("1h30m", 5400), ("7d", 604_800), ("1y", 31_536_000), ("2 w", 1_209_600)]
        {
            assert_eq!(text.parse(), Ok(Lifetime::For(Duration::from_secs(seconds))));
        }
        assert_eq!("never".parse(), Ok(Lifetime::Endless));
        for bad in ["", "1", "h", "0s", "-1h", "1x", "99999999999999999999h", "1000y"] {
            assert_eq!(bad.parse::<Lifetime>(), Err(BadLifetime), "{bad}");
        }
    }
}
