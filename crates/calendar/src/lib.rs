//! The Gregorian calendar in UTC, for everybody who writes or reads a time as text.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

const MILLIS_OF_A_DAY: i64 = 86_400_000;
const DAYS_OF_400_YEARS: i64 = 146_097;
/// From the first of March of the year 0 to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_468;

/// A day of the calendar; as text `2026-11-15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// In the Gregorian calendar, also before it was in use.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
}

/// A moment in milliseconds since 1970; as text `2026-11-15T20:06:34.125Z`, and as `2026-11-15T20:06:34Z` where the
/// precision is 0: `{:.0}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utc(pub i64);

impl Date {
    /// The date of a day counted from 1970-01-01. Years are counted from March, so that the day that is sometimes missing
    /// is the last of a year.
    pub fn of_day(number: i64) -> Date {
        let days = number.saturating_add(DAYS_BEFORE_1970);
        let (era, day_of_era) = (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Date { year: era * 400 + year_of_era + i64::from(month <= 2), month, day }
    }

    /// How many days after 1970-01-01 this is; nothing for a day that does not exist.
    pub fn number(self) -> Option<i64> {
        let Date { year, month, day } = self;
        if !(-1_000_000..=1_000_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day)
        {
            return None;
        }
        let from_march = (month + 9) % 12;
        let year = year - i64::from(month <= 2);
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * from_march + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let number = era * DAYS_OF_400_YEARS + day_of_era - DAYS_BEFORE_1970;
        (Date::of_day(number) == self).then_some(number)
    }
}

impl From<SystemTime> for Utc {
    /// A clock that was set to before 1970 is taken for one at its start.
    fn from(time: SystemTime) -> Utc {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Utc(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = Date::of_day(self.0.div_euclid(MILLIS_OF_A_DAY));
        let in_day = self.0.rem_euclid(MILLIS_OF_A_DAY);
        let (seconds, millis) = (in_day / 1_000, in_day % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        write!(f, "{date}T{hour:02}:{minute:02}:{second:02}")?;
        if f.precision() == Some(0) { write!(f, "Z") } else { write!(f, ".{millis:03}Z") }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{Date, Utc};

    #[test]
    fn moments_are_shown_as_people_write_them() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_000, "2000-02-28T23:59:59.000Z"),
            (951_782_400_125, "2000-02-29T00:00:00.125Z"),
            (1_709_251_199_000, "2024-02-29T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(Utc(millis).to_string(), text);
        }
        assert_eq!(format!("{:.0}", Utc(1_767_225_599_999)), "2025-12-31T23:59:59Z");
        assert_eq!(Utc::from(UNIX_EPOCH + Duration::from_millis(1_500)), Utc(1_500));
        assert_eq!(Utc::from(UNIX_EPOCH - Duration::from_secs(1)), Utc(0));
        assert!(!Utc(i64::MAX).to_string().is_empty() && !Utc(i64::MIN).to_string().is_empty());
    }

    #[test]
    fn every_day_of_a_cycle_follows_the_one_before() {
        let mut yesterday = Date::of_day(-1);
        for number in 0..146_097 {
            let today = Date::of_day(number);
            assert_eq!(today.number(), Some(number));
            assert!(yesterday < today);
            yesterday = today;
        }
        assert_eq!(yesterday, Date { year: 2369, month: 12, day: 31 });
    }

    #[test]
    fn days_that_do_not_exist_have_no_number() {
        for (year, month, day) in [
            (2026, 2, 29),
            (2100, 2, 29),
            (2026, 4, 31),
            (2026, 13, 1),
            (2026, 0, 1),
            (2026, 1, 0),
            (i64::MAX, 1, 1),
        ] {
            assert_eq!(Date { year, month, day }.number(), None, "{year}-{month}-{day}");
        }
    }
}
