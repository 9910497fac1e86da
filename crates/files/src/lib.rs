//! Files that a client named: only under configured roots, opened so that nothing but a regular file is read, and
//! replaced so that a crash leaves the old or the new one. And [`Home`]: the folders in which servers keep their state.
//!
//! The way of a change is [`Roots::resolve`], [`Place::read`], and [`Original::replace`], with the place locked by
//! [`Locks`] from before the read until after the replacement.

mod at_once;
mod attributes;
mod closing;
mod create;
mod home;
mod in_place;
mod list;
mod lock;
mod open;
mod replace;
mod roots;
#[cfg(test)]
mod scratch;
mod unnamed;

pub use at_once::at_once;
pub use home::{ChosenBy, FolderError, Home, HomeError, PrivateFolder, unlock};
pub use in_place::InPlaceError;
pub use list::{ListError, Listed, ListedKind};
pub use lock::{Guard, Locks};
pub use open::{Beginning, OpenError, Original};
pub use replace::{How, ReplaceError, Replaced};
pub use roots::{Place, ResolveError, Roots};
pub use unnamed::unnamed;
