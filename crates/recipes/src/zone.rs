//! Time zones: which day it is where a family lives.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::time::{Day, Time};

/// A time zone by its name in the IANA database, e.g. `Europe/Zurich`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Zone(String);

/// Text that names no time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a time zone such as `Europe/Zurich`: `{0}`")]
pub struct NoZone(String);

impl Zone {
    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a store kept.
    pub(crate) fn stored(text: String) -> Zone {
        Zone(text)
    }

    /// Every name there is.
    pub fn all() -> Vec<String> {
        jiff::tz::db()
            .available()
            .map(|name| name.as_str().to_owned())
            .filter(|name| name.contains('/'))
            .collect()
    }
}

/// The day it is at this moment, in a zone, or where this program runs.
pub fn day(at: Time, zone: Option<&Zone>) -> Day {
    let zone = match zone {
        Some(Zone(name)) => TimeZone::get(name).ok(),
        None => TimeZone::try_system().ok(),
    };
    let (Some(zone), Ok(moment)) = (zone, Timestamp::from_millisecond(at.millis())) else { return at.day() };
    let date = moment.to_zoned(zone).date();
    // The calendar's days are counted from 1970, as ours are.
    date.to_string().parse().unwrap_or_else(|_| at.day())
}

/// The day it is now.
pub fn today(zone: Option<&Zone>) -> Day {
    day(Time::now(), zone)
}

impl FromStr for Zone {
    type Err = NoZone;

    fn from_str(text: &str) -> Result<Zone, NoZone> {
        let text = text.trim();
        let known = text.len() <= 64 && !text.is_empty() && TimeZone::get(text).is_ok();
        if known { Ok(Zone(text.to_owned())) } else { Err(NoZone(text.chars().take(64).collect())) }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Zone, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Zone {
    fn schema_name() -> Cow<'static, str> {
        "TimeZone".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": 64, "examples": ["Europe/Zurich"] })
    }
}

#[cfg(test)]
mod tests {
    use super::{Zone, day};
    use crate::time::Time;

    #[test]
    fn it_is_not_the_same_day_everywhere() {
        let at: Time = "2026-11-15T23:30:00.000Z".parse().expect("a time");
        for (zone, expected) in [
            ("UTC", "2026-11-15"),
            ("Europe/Zurich", "2026-11-16"),
            ("America/Los_Angeles", "2026-11-15"),
            ("Pacific/Auckland", "2026-11-16"),
        ] {
            let zone: Zone = zone.parse().expect("a zone");
            assert_eq!(day(at, Some(&zone)).to_string(), expected, "{zone}");
        }
        for bad in ["", "Europe/Atlantis", "../etc/passwd"] {
            assert!(bad.parse::<Zone>().is_err(), "{bad}");
        }
    }
}
