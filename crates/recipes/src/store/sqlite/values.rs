//! Domain types as SQL values. What comes out was checked when it went in, so nothing is checked twice.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::email::Email;
use crate::family::Role;
use crate::id::Id;
use crate::number::{Amount, Whole};
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

impl ToSql for SecretHash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_bytes().as_slice()))
    }
}

impl FromSql for SecretHash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<SecretHash> {
        <[u8; 32]>::column_result(value).map(SecretHash::from_bytes)
    }
}

impl ToSql for Time {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.millis()))
    }
}

impl FromSql for Time {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Time> {
        value.as_i64().map(Time::from_millis)
    }
}

impl ToSql for Day {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.number()))
    }
}

impl FromSql for Day {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Day> {
        i32::column_result(value).map(Day::from_number)
    }
}

impl<const MIN: usize, const MAX: usize> ToSql for Text<MIN, MAX> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl<const MIN: usize, const MAX: usize> FromSql for Text<MIN, MAX> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        String::column_result(value).map(Text::stored)
    }
}

impl<const MIN: i64, const MAX: i64> ToSql for Whole<MIN, MAX> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.get()))
    }
}

impl<const MIN: i64, const MAX: i64> FromSql for Whole<MIN, MAX> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Whole::stored)
    }
}

impl ToSql for Amount {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.get()))
    }
}

impl FromSql for Amount {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Amount> {
        f64::column_result(value).map(Amount::stored)
    }
}

impl ToSql for Email {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for Email {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Email> {
        String::column_result(value).map(Email::stored)
    }
}

impl ToSql for Zone {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for Zone {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Zone> {
        String::column_result(value).map(Zone::stored)
    }
}

impl ToSql for Role {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for Role {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Role> {
        Role::stored(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

impl ToSql for Degrees {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for Degrees {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Degrees> {
        Degrees::stored(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}
