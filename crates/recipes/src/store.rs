//! Where everything is kept: one trait per subject, and [`Store`], which is all of them.
//!
//! Every method takes the [`Scope`](crate::auth::Scope) of whoever asks and answers for what that reaches. What is out of reach is not found.
//! Methods give boxed futures, so that a store can be any engine behind one `dyn Store`: PostgreSQL waits for a socket,
//! and SQLite's writes wait for a commit that many of them share.

mod album;
mod cards;
mod edit;
mod export;
mod families;
mod keys;
mod list;
mod list_cache;
mod photos;
mod plans;
pub mod postgres;
mod recipes;
mod restore;
mod row;
mod search;
mod sessions;
mod shares;
mod shopping;
mod sight;
mod signing_in;
mod sql;
pub mod sqlite;
mod transfer;
mod write;

use std::future::Future;
use std::pin::Pin;

use crate::error::Error;

pub use families::Families;
pub use keys::Keys;
pub use photos::Photos;
pub use plans::Plans;
pub use postgres::Postgres;
pub use recipes::Recipes;
pub use sessions::Sessions;
pub use shares::Shares;
pub use shopping::ShoppingLists;
pub use signing_in::SigningIn;
pub use sqlite::Sqlite;
pub use transfer::{Records, Transfer};

/// What a method of a store gives.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A whole store.
pub trait Store:
    Recipes
    + Photos
    + Plans
    + ShoppingLists
    + Shares
    + Families
    + Keys
    + SigningIn
    + Sessions
    + Transfer
    + Send
    + Sync
{
}

impl Store for Sqlite {}

impl Store for Postgres {}
