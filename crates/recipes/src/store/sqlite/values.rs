//! Domain types as SQL values. What comes out was checked when it went in, so nothing is checked twice.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

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

impl<K> ToSql for Id<K> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_bytes().as_slice()))
    }
}

impl<K> FromSql for Id<K> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Id<K>> {
        <[u8; 16]>::column_result(value).map(Id::from_bytes)
    }
}

/// A type that is kept as another one, which SQLite has: how it goes in, and how it comes out.
macro_rules! kept_as {
    ([$($generics:tt)*] $kept:ty: $type:ty, $write:expr, $read:expr) => {
        impl<$($generics)*> ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from($write(self)))
            }
        }

        impl<$($generics)*> FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                $read(<$kept>::column_result(value)?).ok_or(FromSqlError::InvalidType)
            }
        }
    };
}

kept_as!([] [u8; 32]: SecretHash, |hash: &SecretHash| hash.as_bytes().to_vec(), |bytes| Some(SecretHash::from_bytes(bytes)));
kept_as!([] i64: Time, |time: &Time| time.millis(), |millis| Some(Time::from_millis(millis)));
kept_as!([] i32: Day, |day: &Day| day.number(), |number| Some(Day::from_number(number)));
kept_as!([] f64: Amount, |amount: &Amount| amount.get(), |amount| Some(Amount::stored(amount)));
kept_as!([const MIN: i64, const MAX: i64] i64: Whole<MIN, MAX>, |whole: &Whole<MIN, MAX>| whole.get(), |number| {
    Some(Whole::stored(number))
});
kept_as!([const MIN: usize, const MAX: usize] String: Text<MIN, MAX>, Text::as_str, |text| Some(Text::stored(text)));
// By its place in the day, so that rows sort as a day goes.
kept_as!([] i64: Slot, |slot: &Slot| slot.place(), Slot::at);
kept_as!([] String: Email, Email::as_str, |email| Some(Email::stored(email)));
kept_as!([] String: Zone, Zone::as_str, |name| Some(Zone::stored(name)));
kept_as!([] String: Role, |role: &Role| role.as_str(), |name: String| Role::stored(&name));
kept_as!([] String: Degrees, |degrees: &Degrees| degrees.as_str(), |name: String| Degrees::stored(&name));
