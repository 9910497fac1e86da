//! The time, as XMP writes it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in UTC.
pub(crate) fn now() -> String {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format(elapsed.as_secs())
}

/// A moment in seconds since 1970, as `2026-01-31T12:00:00Z`.
fn format(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years from March, so that the leap day is their last; eras of 400 years, which all have the same length.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, after_new_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + after_new_year;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_their_dates() {
        assert_eq!(format(0), "1970-01-01T00:00:00Z");
        assert_eq!(format(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(format(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(format(1_767_225_599), "2025-12-31T23:59:59Z");
        assert_eq!(format(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
