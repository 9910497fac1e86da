//! Numbers within bounds.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole<const MIN: i64, const MAX: i64>(i64);

/// A number outside its bounds.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum OutOfRange {
    /// A whole number.
    #[error("expected a whole number in the range {min}-{max}, got {found}")]
    Whole {
        /// The least it may be.
        min: i64,
        /// The most it may be.
        max: i64,
        /// What it is.
        found: i64,
    },
    /// An amount.
    #[error("expected an amount from 0 to 1000000, got {0}")]
    Amount(f64),
}

/// Minutes: at most a year, which ham may take.
pub type Minutes = Whole<0, 525_600>;
/// For how many people.
pub type Servings = Whole<1, 1_000>;
/// From easy to hard.
pub type Difficulty = Whole<1, 5>;
/// How much it was liked.
pub type Rating = Whole<1, 5>;

impl<const MIN: i64, const MAX: i64> Whole<MIN, MAX> {
    /// Checked against the bounds.
    pub fn new(number: i64) -> Result<Self, OutOfRange> {
        if (MIN..=MAX).contains(&number) {
            Ok(Whole(number))
        } else {
            Err(OutOfRange::Whole { min: MIN, max: MAX, found: number })
        }
    }

    /// What a store kept: it was checked when it came in.
    pub(crate) fn stored(number: i64) -> Self {
        Whole(number.clamp(MIN, MAX))
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> fmt::Display for Whole<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

struct WholeVisitor<const MIN: i64, const MAX: i64>;

impl<const MIN: i64, const MAX: i64> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number in the range {MIN}-{MAX}")
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Whole::new(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
        let whole = i64::try_from(number).ok().and_then(|number| Whole::new(number).ok());
        whole.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    /// JSON has one kind of number: `4.0` is 4.
    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
        #[allow(clippy::cast_possible_truncation, reason = "checked by the way back")]
        let whole = number as i64;
        #[allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "equal or refused")]
        let exact = whole as f64 == number;
        let whole = exact.then_some(whole).and_then(|number| Whole::new(number).ok());
        whole.ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(WholeVisitor)
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Whole<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{MIN}To{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// An amount of something: finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Amount(f64);

impl Amount {
    /// More of one thing than any kitchen holds.
    const MOST: f64 = 1_000_000.0;

    /// Checked against the bounds.
    pub fn new(amount: f64) -> Result<Amount, OutOfRange> {
        if (0.0..=Amount::MOST).contains(&amount) {
            Ok(Amount(amount))
        } else {
            Err(OutOfRange::Amount(amount))
        }
    }

    /// What a store kept: it was checked when it came in.
    pub(crate) fn stored(amount: f64) -> Amount {
        Amount(amount)
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// So many times as much, kept within the bounds and to six digits, which hides what binary fractions add.
    pub fn times(self, factor: f64) -> Amount {
        let product = (self.0 * factor).clamp(0.0, Amount::MOST);
        if product == 0.0 {
            return Amount(0.0);
        }
        #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a million is small")]
        let digits = 5 - product.log10().floor() as i32;
        let scale = 10f64.powi(digits);
        Amount((product * scale).round() / scale)
    }
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number from 0 to {}", Amount::MOST)
    }

    #[allow(clippy::cast_precision_loss, reason = "what is in range is exact")]
    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Amount, E> {
        Amount::new(number as f64).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    #[allow(clippy::cast_precision_loss, reason = "what is in range is exact")]
    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Amount, E> {
        Amount::new(number as f64).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Amount, E> {
        Amount::new(number).map_err(|_| E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        deserializer.deserialize_f64(AmountVisitor)
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": Amount::MOST })
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Difficulty, Servings};

    fn refused(json: &str) -> String {
        serde_json::from_str::<Difficulty>(json).expect_err("refused").to_string()
    }

    #[test]
    fn whole_numbers_name_their_range() {
        for bad in ["0", "6", "-5", "4294967297", "18446744073709551615", "2.5", "\"four\"", "true", "1e300"]
        {
            assert!(refused(bad).contains("a whole number in the range 1-5"), "{bad}: {}", refused(bad));
        }
        assert_eq!(serde_json::from_str::<Servings>("4.0").expect("a number").get(), 4);
    }

    #[test]
    fn amounts_are_finite_and_scale_without_noise() {
        for bad in [-0.5, f64::NAN, f64::INFINITY, 1e12] {
            assert!(Amount::new(bad).is_err());
        }
        let tenth = Amount::new(0.1).expect("an amount");
        assert_eq!(tenth.times(3.0).get().to_string(), "0.3");
        assert_eq!(tenth.times(0.0).get().to_string(), "0");
        assert_eq!(Amount::new(250.0).expect("an amount").times(1.0 / 3.0).get().to_string(), "83.3333");
    }
}
