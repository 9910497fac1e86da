//! Values that are more than text: a rating, a moment, a position. Parsed once, spelled by each store in its own way.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calendar::Date;

/// Why a text is not such a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A rating.
    #[error("a rating is a whole number from 0 to 5, or -1 for rejected")]
    Rating,
    /// A moment.
    #[error(
        "a date is `2024-05-01`, `2024-05-01T18:30:00` or, with the offset from UTC, `2024-05-01T18:30:00+02:00`"
    )]
    Date,
    /// A position.
    #[error(
        "a position is latitude and longitude in degrees, such as `48.8584, 2.2945`; south and west are negative"
    )]
    Position,
}

/// How much somebody likes a picture: 0 for not rated, 5 for best, -1 for rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating(i8);

impl Rating {
    /// From what a person writes: a whole number.
    pub(crate) fn whole(text: &str) -> Result<Rating, ValueError> {
        let number = text.trim().parse::<i8>().ok().filter(|number| (-1..=5).contains(number));
        number.map(Rating).ok_or(ValueError::Rating)
    }

    /// The number.
    pub fn number(self) -> i8 {
        self.0
    }
}

impl FromStr for Rating {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Rating, ValueError> {
        // Some programs write fractions.
        let number = text.trim().parse::<f64>().ok().filter(|number| (-1.0..=5.0).contains(number));
        #[allow(clippy::cast_possible_truncation, reason = "it is between -1 and 5")]
        number.map(|number| Rating(number.round() as i8)).ok_or(ValueError::Rating)
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// When a picture was taken, by the clock of the place, and how far that is from UTC if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTaken {
    date: Date,
    /// Hours, minutes, seconds.
    time: Option<(u8, u8, u8)>,
    /// In minutes.
    offset: Option<i16>,
}

impl DateTaken {
    /// The moment itself. Without an offset, the clock is taken for that of UTC; without a time, for noon.
    pub fn moment(&self) -> Option<SystemTime> {
        let (hours, minutes, seconds) = self.time.unwrap_or((12, 0, 0));
        let clock = (i64::from(hours) * 60 + i64::from(minutes) - i64::from(self.offset.unwrap_or(0))) * 60;
        let since = self.date.number()? * 86_400 + clock + i64::from(seconds);
        let distance = Duration::from_secs(since.unsigned_abs());
        if since < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
    }

    /// As EXIF has it: `2024:05:01 18:30:00`.
    pub(crate) fn exif(&self) -> String {
        let Date { year, month, day } = self.date;
        let (hours, minutes, seconds) = self.time.unwrap_or_default();
        format!("{year:04}:{month:02}:{day:02} {hours:02}:{minutes:02}:{seconds:02}")
    }

    /// As EXIF has the offset: `+02:00`.
    pub(crate) fn offset(&self) -> Option<String> {
        self.offset.map(|minutes| spell_offset(minutes, ":"))
    }

    /// As IPTC has the day: `20240501`.
    pub(crate) fn iim_date(&self) -> String {
        let Date { year, month, day } = self.date;
        format!("{year:04}{month:02}{day:02}")
    }

    /// As IPTC has the time: `183000+0200`. It has no time without an offset.
    pub(crate) fn iim_time(&self) -> Option<String> {
        let (hours, minutes, seconds) = self.time?;
        let offset = spell_offset(self.offset?, "");
        Some(format!("{hours:02}{minutes:02}{seconds:02}{offset}"))
    }

    /// From what EXIF has.
    pub(crate) fn from_exif(moment: &str, offset: Option<&str>) -> Option<DateTaken> {
        let (date, time) = moment.trim().split_once(' ')?;
        let text = format!("{}T{time}{}", date.replace(':', "-"), offset.unwrap_or_default().trim());
        text.parse().ok()
    }

    /// From what IPTC has.
    pub(crate) fn from_iim(date: &str, time: Option<&str>) -> Option<DateTaken> {
        let part = |text: &str, from: usize, to: usize| text.get(from..to).map(str::to_owned);
        let day = format!("{}-{}-{}", part(date, 0, 4)?, part(date, 4, 6)?, part(date, 6, 8)?);
        let timed = time.and_then(|time| {
            let clock = format!("{}:{}:{}", part(time, 0, 2)?, part(time, 2, 4)?, part(time, 4, 6)?);
            let offset = match (part(time, 6, 9), part(time, 9, 11)) {
                (Some(hours), Some(minutes)) => format!("{hours}:{minutes}"),
                _ => String::new(),
            };
            format!("{day}T{clock}{offset}").parse().ok()
        });
        timed.or_else(|| day.parse().ok())
    }

    /// Whether two say the same, as far as both say anything: some stores have no place for a time or an offset.
    pub(crate) fn agrees_with(&self, other: &DateTaken) -> bool {
        let agree = |one: Option<i16>, other: Option<i16>| one.is_none() || other.is_none() || one == other;
        self.date == other.date
            && (self.time.is_none()
                || other.time.is_none()
                || self.time.unwrap_or_default() == other.time.unwrap_or_default())
            && agree(self.offset, other.offset)
    }
}

fn spell_offset(minutes: i16, separator: &str) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
}

impl FromStr for DateTaken {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<DateTaken, ValueError> {
        parse_date(text.trim()).ok_or(ValueError::Date)
    }
}

fn parse_date(text: &str) -> Option<DateTaken> {
    let number = |text: &str, digits: usize| {
        (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse::<i64>().ok())?
    };
    let (day, rest) = text.split_at_checked(10)?;
    let mut parts = day.split('-');
    let (year, month, day) =
        (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let date = Date { year, month, day };
    date.number().filter(|_| parts.next().is_none() && year > 0)?;
    let Some(rest) = rest.strip_prefix(['T', ' ']) else {
        return rest.is_empty().then_some(DateTaken { date, time: None, offset: None });
    };
    let at = rest.find(['+', '-', 'Z', 'z']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(at)?;
    // Fractions of a second have no place in most stores.
    let (clock, fraction) = clock.trim_end().split_once('.').unwrap_or((clock.trim_end(), "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    let mut parts = clock.split(':');
    let mut part = |most: u8| {
        let value = u8::try_from(number(parts.next()?, 2)?).ok()?;
        (value <= most).then_some(value)
    };
    let (hours, minutes) = (part(23)?, part(59)?);
    // Only whole minutes may be left alone.
    let seconds = if clock.len() == 5 { 0 } else { part(59)? };
    if parts.next().is_some() || !is_fraction {
        return None;
    }
    let offset = match zone {
        "" => None,
        "Z" | "z" => Some(0),
        zone => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let digits: String = zone.get(1..)?.chars().filter(|c| *c != ':').collect();
            let value = number(&digits, 4)?;
            let minutes = value / 100 * 60 + value % 100;
            let is_offset = minutes <= 14 * 60 && value % 100 < 60;
            Some(sign * i16::try_from(minutes).ok().filter(|_| is_offset)?)
        }
    };
    Some(DateTaken { date, time: Some((hours, minutes, seconds)), offset })
}

impl fmt::Display for DateTaken {
    /// As XMP has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Date { year, month, day } = self.date;
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        if let Some((hours, minutes, seconds)) = self.time {
            write!(f, "T{hours:02}:{minutes:02}:{seconds:02}")?;
        }
        if let Some(minutes) = self.offset {
            f.write_str(&spell_offset(minutes, ":"))?;
        }
        Ok(())
    }
}

/// A place on the earth, in ten-millionths of a degree: some centimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    latitude: i64,
    longitude: i64,
}

const UNIT: i64 = 10_000_000;

impl Position {
    /// From degrees; south and west are negative.
    pub fn new(latitude: f64, longitude: f64) -> Result<Position, ValueError> {
        let fixed = |degrees: f64, most: f64| {
            #[allow(clippy::cast_possible_truncation, reason = "it is at most 180 degrees")]
            let value = (degrees * 1e7).round() as i64;
            if degrees.abs() <= most { Ok(value) } else { Err(ValueError::Position) }
        };
        Ok(Position { latitude: fixed(latitude, 90.0)?, longitude: fixed(longitude, 180.0)? })
    }

    /// As EXIF has it, twice: the letter of the half of the earth, and degrees, minutes and seconds as fractions.
    pub(crate) fn exif(&self) -> [(&'static str, [(u32, u32); 3]); 2] {
        [(self.latitude, ["N", "S"]), (self.longitude, ["E", "W"])].map(|(value, letters)| {
            let letter = letters[usize::from(value < 0)];
            let value = value.unsigned_abs();
            let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
            let unit = UNIT.unsigned_abs();
            let (degrees, rest) = (value / unit, value % unit * 60);
            let (minutes, rest) = (rest / unit, rest % unit * 60);
            // Hundred-thousandths of a second are finer than the unit.
            (letter, [(number(degrees), 1), (number(minutes), 1), (number((rest + 50) / 100), 100_000)])
        })
    }

    /// From what EXIF has.
    pub(crate) fn from_exif(parts: [(&str, &[(u32, u32)]); 2]) -> Option<Position> {
        let degrees = |(letter, parts): (&str, &[(u32, u32)])| {
            let mut sum = 0.0;
            for ((numerator, denominator), scale) in parts.iter().zip([1.0, 60.0, 3600.0]) {
                if *denominator == 0 {
                    return None;
                }
                sum += f64::from(*numerator) / f64::from(*denominator) / scale;
            }
            let is_negative = matches!(letter.trim().chars().next()?, 'S' | 'W' | 's' | 'w');
            (!parts.is_empty()).then_some(if is_negative { -sum } else { sum })
        };
        let [latitude, longitude] = parts;
        Position::new(degrees(latitude)?, degrees(longitude)?).ok()
    }

    /// As XMP has it, twice: degrees, minutes with a fraction, and the letter: `48,51.504N`.
    pub(crate) fn xmp(&self) -> [String; 2] {
        [(self.latitude, ["N", "S"]), (self.longitude, ["E", "W"])].map(|(value, letters)| {
            let letter = letters[usize::from(value < 0)];
            let (value, unit) = (value.unsigned_abs(), UNIT.unsigned_abs());
            let (degrees, minutes) = (value / unit, value % unit * 60);
            format!("{degrees},{}.{:07}{letter}", minutes / unit, minutes % unit)
        })
    }

    /// From what XMP has.
    pub(crate) fn from_xmp(latitude: &str, longitude: &str) -> Option<Position> {
        let degrees = |text: &str| {
            let text = text.trim();
            let letter = text.chars().next_back()?.to_ascii_uppercase();
            let sign = match letter {
                'N' | 'E' => 1.0,
                'S' | 'W' => -1.0,
                _ => return None,
            };
            let mut sum = 0.0;
            for (part, scale) in text.get(..text.len() - 1)?.split(',').zip([1.0, 60.0, 3600.0]) {
                sum += part.trim().parse::<f64>().ok()? / scale;
            }
            Some(sign * sum)
        };
        Position::new(degrees(latitude)?, degrees(longitude)?).ok()
    }

    /// Whether two are the same place but for what is lost in spelling it: less than a hand.
    pub(crate) fn agrees_with(&self, other: &Position) -> bool {
        (self.latitude - other.latitude).abs() <= 10 && (self.longitude - other.longitude).abs() <= 10
    }
}

impl FromStr for Position {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Position, ValueError> {
        let (latitude, longitude) = text.split_once(',').ok_or(ValueError::Position)?;
        let degrees = |text: &str| text.trim().parse::<f64>().map_err(|_| ValueError::Position);
        Position::new(degrees(latitude)?, degrees(longitude)?)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spell = |value: i64| {
            let sign = if value < 0 { "-" } else { "" };
            let (value, unit) = (value.unsigned_abs(), UNIT.unsigned_abs());
            let text = format!("{sign}{}.{:07}", value / unit, value % unit);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        write!(f, "{}, {}", spell(self.latitude), spell(self.longitude))
    }
}

#[cfg(test)]
mod tests {
    use super::{DateTaken, Position, Rating};

    #[test]
    fn ratings_are_few() {
        for (text, number) in [("5", 5), (" -1 ", -1), ("0", 0), ("3.6", 4)] {
            assert_eq!(text.parse::<Rating>().map(Rating::number), Ok(number));
        }
        for bad in ["6", "-2", "", "five", "NaN"] {
            assert!(bad.parse::<Rating>().is_err() && Rating::whole(bad).is_err(), "{bad}");
        }
        assert_eq!(Rating::whole("-1").map(Rating::number), Ok(-1));
        assert!(Rating::whole("3.6").is_err(), "programs write fractions, people do not mean them");
    }

    #[test]
    fn a_date_is_spelled_as_each_store_wants_it() {
        let date: DateTaken = "2024-05-01T18:30:05+02:00".parse().expect("a date");
        assert_eq!(date.to_string(), "2024-05-01T18:30:05+02:00");
        assert_eq!((date.exif(), date.offset()), ("2024:05:01 18:30:05".into(), Some("+02:00".into())));
        assert_eq!((date.iim_date(), date.iim_time()), ("20240501".into(), Some("183005+0200".into())));
        assert_eq!(DateTaken::from_exif("2024:05:01 18:30:05", Some("+02:00")), Some(date));
        assert_eq!(DateTaken::from_iim("20240501", Some("183005+0200")), Some(date));
        let day: DateTaken = "2024-02-29".parse().expect("a date");
        assert_eq!((day.to_string(), day.iim_time()), ("2024-02-29".into(), None));
        assert!(date.agrees_with(&DateTaken::from_iim("20240501", None).expect("a date")));
        assert!(!date.agrees_with(&day));
        assert_eq!(DateTaken::from_exif("0000:00:00 00:00:00", None), None);
        for bad in [
            "2024-02-30",
            "yesterday",
            "2024-05-01T25:00:00",
            "2024-5-1",
            "2024-05-01T10:00:00+99:00",
            "2024-05-01T10:00:00+02:75",
            "2024-05-01T10:00:99",
            "2024-05-01T10:00:xx",
            "2024-05-01T10:00:05:07",
            "2024-05-01T10:00:",
            "2024-05-01T10:00:05.",
            "2024-05-01T10:00:05.x",
            "0000-01-01",
            "",
        ] {
            assert!(bad.parse::<DateTaken>().is_err(), "{bad}");
        }
        for text in ["2024-05-01T18:30:05 +02:00", "2024-05-01 18:30:05+0200", "2024-05-01T18:30:05.80+02:00"]
        {
            assert_eq!(text.parse(), Ok(date), "{text}");
        }
        assert_eq!("2024-05-01T18:30:00z".parse::<DateTaken>(), "2024-05-01T18:30Z".parse());
        let zulu: DateTaken = "2024-05-01T18:30Z".parse().expect("a date");
        assert_eq!(zulu.to_string(), "2024-05-01T18:30:00+00:00");
    }

    #[test]
    fn a_position_survives_every_spelling() {
        for text in ["48.8584, 2.2945", "-33.8567844, 151.2152967", "0, 0", "-90, -180", "0.0000001, -0.5"] {
            let position: Position = text.parse().expect("a position");
            assert_eq!(position.to_string(), text);
            let [latitude, longitude] = position.xmp();
            let read = Position::from_xmp(&latitude, &longitude).expect("a position");
            assert!(position.agrees_with(&read), "{text}: {read}");
            let [(north, first), (east, second)] = position.exif();
            let read = Position::from_exif([(north, &first), (east, &second)]).expect("a position");
            assert!(position.agrees_with(&read), "{text}: {read}");
        }
        for bad in ["", "91, 0", "0, 181", "here", "1;2", "NaN, 0", "inf, 0"] {
            assert!(bad.parse::<Position>().is_err(), "{bad}");
        }
        assert_eq!(Position::from_exif([("N", &[(1, 0)]), ("E", &[(1, 1)])]), None);
    }
}
