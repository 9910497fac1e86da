//! Domain types as SQL values. What comes out was checked when it went in, so nothing is checked twice.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::email::Email;
use crate::family::Role;
use crate::id::Id;
use crate::number::{Amount, Whole};
use crate::plan::Slot;
use crate::secret::SecretHash;
use crate::step::Degrees;
use crate::text::Text;
use crate::time::{Day, Time};
use crate::zone::Zone;

type Written = Result<IsNull, Box<dyn StdError + Sync + Send>>;
type Found<T> = Result<T, Box<dyn StdError + Sync + Send>>;

impl<K> ToSql for Id<K> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Written {
        out.put_slice(self.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::UUID
    }

    to_sql_checked!();
}

impl<'r, K> FromSql<'r> for Id<K> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Found<Id<K>> {
        Ok(Id::from_bytes(raw.try_into()?))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::UUID
    }
}

impl ToSql for SecretHash {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.as_bytes().as_slice().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::BYTEA
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for SecretHash {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Found<SecretHash> {
        Ok(SecretHash::from_bytes(raw.try_into()?))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::BYTEA
    }
}

impl ToSql for Time {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.millis().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Time {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Time> {
        i64::from_sql(kind, raw).map(Time::from_millis)
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as FromSql>::accepts(kind)
    }
}

impl ToSql for Day {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.number().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <i32 as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Day {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Day> {
        i32::from_sql(kind, raw).map(Day::from_number)
    }

    fn accepts(kind: &Type) -> bool {
        <i32 as FromSql>::accepts(kind)
    }
}

impl<const MIN: usize, const MAX: usize> ToSql for Text<MIN, MAX> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.as_str().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r, const MIN: usize, const MAX: usize> FromSql<'r> for Text<MIN, MAX> {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Self> {
        String::from_sql(kind, raw).map(Text::stored)
    }

    fn accepts(kind: &Type) -> bool {
        <String as FromSql>::accepts(kind)
    }
}

impl<const MIN: i64, const MAX: i64> ToSql for Whole<MIN, MAX> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.get().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r, const MIN: i64, const MAX: i64> FromSql<'r> for Whole<MIN, MAX> {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Self> {
        i64::from_sql(kind, raw).map(Whole::stored)
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as FromSql>::accepts(kind)
    }
}

impl ToSql for Amount {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.get().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <f64 as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Amount {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Amount> {
        f64::from_sql(kind, raw).map(Amount::stored)
    }

    fn accepts(kind: &Type) -> bool {
        <f64 as FromSql>::accepts(kind)
    }
}

impl ToSql for Zone {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.as_str().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Zone {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Zone> {
        String::from_sql(kind, raw).map(Zone::stored)
    }

    fn accepts(kind: &Type) -> bool {
        <String as FromSql>::accepts(kind)
    }
}

impl ToSql for Email {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.as_str().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Email {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Email> {
        String::from_sql(kind, raw).map(Email::stored)
    }

    fn accepts(kind: &Type) -> bool {
        <String as FromSql>::accepts(kind)
    }
}

impl ToSql for Role {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.as_str().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Role {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Role> {
        let text = <&str>::from_sql(kind, raw)?;
        Role::stored(text).ok_or_else(|| format!("`{text}` is no role").into())
    }

    fn accepts(kind: &Type) -> bool {
        <&str as FromSql>::accepts(kind)
    }
}

impl ToSql for Degrees {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        self.as_str().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Degrees {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Degrees> {
        let text = <&str>::from_sql(kind, raw)?;
        Degrees::stored(text).ok_or_else(|| format!("`{text}` is no scale").into())
    }

    fn accepts(kind: &Type) -> bool {
        <&str as FromSql>::accepts(kind)
    }
}

impl ToSql for Slot {
    /// By its place in the day, so that rows sort as a day goes.
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
        let place = Slot::ALL.iter().position(|slot| slot == self).unwrap_or_default();
        i64::try_from(place)?.to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Slot {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Slot> {
        let place = usize::try_from(i64::from_sql(kind, raw)?)?;
        Slot::ALL.get(place).copied().ok_or_else(|| format!("{place} is no time of day").into())
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as FromSql>::accepts(kind)
    }
}
