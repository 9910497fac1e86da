//! Files that a client named: only under configured roots, opened so that nothing but a regular file is read, and
//! replaced so that a crash leaves the old or the new one. And [`Home`]: the folders in which servers keep their state.
//!
//! The way of a change is [`Roots::resolve`], [`Place::lock`], [`Place::read`], and [`Original::replace`]; the lock is held
//! from before the read until after the replacement.

mod allowed;
mod at_once;
mod attributes;
mod closing;
mod create;
mod home;
mod in_place;
mod leftovers;
mod list;
mod lock;
mod open;
mod replace;
mod roots;
mod save;
#[cfg(test)]
mod scratch;
mod unnamed;

pub use allowed::{Allowed, Folders};
pub use at_once::at_once;
pub use home::{ChosenBy, FolderError, Home, HomeError, PrivateFolder, unlock};
pub use in_place::{InPlaceError, recover};
pub use list::{ListError, Listed, ListedKind};
pub use lock::Guard;
pub use open::{Beginning, OpenError, Original};
pub use replace::{How, Modified, ReplaceError, Replaced, Replacement};
pub use roots::{Place, ResolveError, Roots};
pub use save::{Existing, save};
pub use unnamed::unnamed;
