//! Names of apps and servers on the command line: a shell completes the usual ones, and other ways to write them are taken, too.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

use crate::asking::ABILITIES;
use crate::servers;

/// Reads any name; the command says which it does not know.
#[derive(Clone, Copy)]
pub(super) struct Names(fn() -> Vec<&'static str>);

/// Apps that can be connected.
pub(super) const APPS: Names = Names(|| connect::ALL.iter().map(|client| client.id).collect());

/// Servers, as people call them.
pub(super) const SERVERS: Names =
    Names(|| ABILITIES.iter().map(|ability| servers::spoken(ability.server)).chain(["info"]).collect());

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let name = value.to_str().map(str::to_owned);
        name.ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
