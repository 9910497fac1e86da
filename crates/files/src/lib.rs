//! Files that a client named: only under configured roots, opened so that nothing but a regular file is read, and
//! replaced so that a crash leaves the old or the new one. And [`Home`]: the folders in which servers keep their state.
//!
//! The way of a change is [`Roots::resolve`], [`Place::lock`], [`Place::read`], and [`Original::replace`]; the lock is held
//! from before the read until after the replacement.

mod allowed;
mod at_once;
mod closing;
mod create;
mod home;
mod in_place;
mod leftovers;
mod list;
mod lock;
mod open;
mod private;
mod replace;
mod roots;
mod save;
#[cfg(test)]
mod scratch;
mod sys;
mod unnamed;

pub use allowed::{AddError, Allowed, Folders};
pub use at_once::at_once;
pub use home::{ChosenBy, FolderError, Home, HomeError, PrivateFolder, person_home, person_state, unlock};
pub use in_place::{InPlaceError, recover};
pub use list::{ListError, Listed, ListedKind};
pub use lock::Guard;
pub use open::{Beginning, OpenError, Original};
pub use private::{
    close_to_others, create_private, decode_path, encode_path, is_open_to_others, is_own,
    make_private_folder, real_path, sync_folder,
};
pub use replace::{How, Modified, ReplaceError, Replaced, Replacement, random_name};
pub use roots::{Place, ResolveError, Roots};
pub use save::{Existing, save};
#[cfg(windows)]
pub use sys::account;
pub use unnamed::unnamed;
