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

/// A type that is kept as another one, which PostgreSQL has: how it goes in, and how it comes out.
macro_rules! kept_as {
    ([$($generics:tt)*] $kept:ty: $type:ty, $write:expr, $read:expr) => {
        impl<$($generics)*> ToSql for $type {
            fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Written {
                $write(self).to_sql(kind, out)
            }

            fn accepts(kind: &Type) -> bool {
                <$kept as FromSql>::accepts(kind)
            }

            to_sql_checked!();
        }

        impl<'r, $($generics)*> FromSql<'r> for $type {
            fn from_sql(kind: &Type, raw: &'r [u8]) -> Found<Self> {
                let kept = <$kept>::from_sql(kind, raw)?;
                $read(kept).ok_or_else(|| "a value of another program".into())
            }

            fn accepts(kind: &Type) -> bool {
                <$kept as FromSql>::accepts(kind)
            }
        }
    };
}

kept_as!([] Vec<u8>: SecretHash, |hash: &SecretHash| hash.as_bytes().to_vec(), |bytes: Vec<u8>| {
    bytes.try_into().ok().map(SecretHash::from_bytes)
});
kept_as!([] i64: Time, |time: &Time| time.millis(), |millis| Some(Time::from_millis(millis)));
kept_as!([] i32: Day, |day: &Day| day.number(), |number| Some(Day::from_number(number)));
kept_as!([] f64: Amount, |amount: &Amount| amount.get(), |amount| Some(Amount::stored(amount)));
kept_as!([const MIN: i64, const MAX: i64] i64: Whole<MIN, MAX>, |whole: &Whole<MIN, MAX>| whole.get(), |number| {
    Some(Whole::stored(number))
});
kept_as!([const MIN: usize, const MAX: usize] String: Text<MIN, MAX>, Text::as_str, |text| {
    Some(Text::stored(text))
});
kept_as!([] String: Zone, Zone::as_str, |name| Some(Zone::stored(name)));
kept_as!([] String: Email, Email::as_str, |email| Some(Email::stored(email)));
kept_as!([] String: Role, |role: &Role| role.as_str(), |name: String| Role::stored(&name));
kept_as!([] String: Degrees, |degrees: &Degrees| degrees.as_str(), |name: String| Degrees::stored(&name));
// By its place in the day, so that rows sort as a day goes.
kept_as!([] i64: Slot, |slot: &Slot| slot.place(), Slot::at);
