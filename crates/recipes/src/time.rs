//! Instants in milliseconds, and days of the calendar.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use calendar::{Date, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const DAY: i64 = 86_400_000;

/// An instant, in milliseconds since 1970; as text RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A day of the calendar; as text `2026-11-15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// Text that is no instant, or no day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// Not RFC 3339 in UTC.
    #[error("expected a time such as `2026-11-15T18:30:00.000Z`")]
    Time,
    /// Not a day that exists.
    #[error("expected a day such as `2026-11-15`")]
    Day,
}

impl Time {
    /// The last that can be written: years have four digits.
    pub const LAST: Time = Time(253_402_300_799_999);

    /// Now, by the wall clock.
    pub fn now() -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Time {
        Time(millis)
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// So many days later.
    pub const fn plus_days(self, days: i64) -> Time {
        Time(self.0.saturating_add(days.saturating_mul(DAY)))
    }

    /// The day it is, in UTC.
    pub fn day(self) -> Day {
        Day(i32::try_from(self.0.div_euclid(DAY)).unwrap_or_default())
    }
}

impl Day {
    /// Days since 1970-01-01.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// From days since 1970-01-01.
    pub const fn from_number(days: i32) -> Day {
        Day(days)
    }

    /// The day of the week, 0 for Monday. The first day of 1970 was a Thursday.
    pub fn weekday(self) -> usize {
        usize::try_from((i64::from(self.0) + 3).rem_euclid(7)).unwrap_or_default()
    }

    /// The Monday of its week.
    pub fn monday(self) -> Day {
        self.plus(-i32::try_from(self.weekday()).unwrap_or_default())
    }

    /// So many days later.
    pub const fn plus(self, days: i32) -> Day {
        Day(self.0.saturating_add(days))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Date::of_day(self.0.into()).fmt(f)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Utc(self.0).fmt(f)
    }
}

/// The number that `text` is, if it is digits and nothing else.
fn digits(text: Option<&str>) -> Option<i64> {
    text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

impl FromStr for Day {
    type Err = Misread;

    fn from_str(text: &str) -> Result<Day, Misread> {
        let parts = || {
            let separators = (text.get(4..5)?, text.get(7..8)?);
            let (year, month) = (digits(text.get(..4))?, digits(text.get(5..7))?);
            let number = Date { year, month, day: digits(text.get(8..10))? }.number()?;
            let day = Day(i32::try_from(number).ok()?);
            (separators == ("-", "-") && text.len() == 10).then_some(day)
        };
        parts().ok_or(Misread::Day)
    }
}

impl FromStr for Time {
    type Err = Misread;

    fn from_str(text: &str) -> Result<Time, Misread> {
        let parts = || {
            let day: Day = text.get(..10)?.parse().ok()?;
            let clock = text.get(10..)?.strip_prefix('T')?.strip_suffix('Z')?;
            let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
            let hour = digits(clock.get(..2)).filter(|hour| *hour < 24)?;
            let minute = digits(clock.get(3..5)).filter(|minute| *minute < 60)?;
            let second = digits(clock.get(6..)).filter(|second| *second < 60)?;
            let millis = digits(format!("{fraction:0<3}").get(..3))?;
            let separators = (clock.get(2..3)?, clock.get(5..6)?);
            let seconds = (hour * 60 + minute) * 60 + second;
            (separators == (":", ":")).then_some(Time(i64::from(day.0) * DAY + seconds * 1_000 + millis))
        };
        parts().ok_or(Misread::Time)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl JsonSchema for Day {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Day, Misread, Time};

    #[test]
    fn instants_are_written_and_read_with_milliseconds() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_125, "2000-02-29T00:00:00.125Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
            (Time::LAST.0, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Time(millis).to_string(), text);
            assert_eq!(text.parse(), Ok(Time(millis)));
        }
        assert_eq!("1970-01-01T00:00:01Z".parse(), Ok(Time(1_000)));
    }

    #[test]
    fn weeks_begin_on_monday() {
        let day: Day = "2026-11-15".parse().expect("a day");
        assert_eq!((day.weekday(), day.monday().to_string().as_str()), (6, "2026-11-09"));
        assert_eq!(day.monday().monday(), day.monday());
        assert_eq!("1969-12-29".parse::<Day>().expect("a day").weekday(), 0);
    }

    #[test]
    fn days_that_do_not_exist_are_refused() {
        for good in ["2024-02-29", "2026-12-31", "1969-12-31"] {
            assert_eq!(good.parse::<Day>().map(|day| day.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "tomorrow",
            "2026-11-15T",
            "２０２６-11-15",
        ] {
            assert_eq!(bad.parse::<Day>(), Err(Misread::Day), "{bad}");
        }
        for bad in
            ["", "2026-11-15", "2026-11-15T24:00:00Z", "2026-11-15 10:00:00Z", "2026-11-15T10:00:00+01:00"]
        {
            assert_eq!(bad.parse::<Time>(), Err(Misread::Time), "{bad}");
        }
    }
}
