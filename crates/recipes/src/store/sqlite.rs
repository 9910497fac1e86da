//! The embedded engine: one SQLite file, one thread that writes, readers beside it.
#![allow(
    clippy::redundant_closure,
    reason = "a function that is generic over rows does not take rows of every lifetime, and a closure around it does"
)]

mod backup;
mod cards;
mod database;
mod export;
mod families;
mod inspect;
mod keys;
mod list;
mod meals;
mod photos;
mod readers;
mod recipes;
mod restore;
mod row;
mod schema;
mod search;
mod sessions;
mod shares;
mod shopping;
mod sight;
mod signing_in;
mod tags;
mod values;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use files::PrivateFolder;
use rusqlite::Connection;

use crate::error::Error;
use crate::store::Answer;

use database::Database;
pub(crate) use inspect::inspect;

/// A store in one SQLite file. Nothing is opened before the first call; what cannot be opened is tried again at the next.
#[derive(Debug)]
pub struct Sqlite {
    place: Place,
    database: Mutex<Option<Arc<Database>>>,
}

/// The file in a folder of ours.
const NAME: &str = "recipes.db";

/// Where the file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A file somebody named; its folder must be there.
    File(PathBuf),
    /// `recipes.db` in a private folder of ours, which is made.
    Folder(PathBuf),
}

impl Place {
    /// The file, whether it is there or not.
    pub fn file(&self) -> PathBuf {
        match self {
            Place::File(path) => path.clone(),
            Place::Folder(path) => path.join(NAME),
        }
    }
}

impl Sqlite {
    /// A store at this place.
    pub fn new(place: Place) -> Sqlite {
        Sqlite { place, database: Mutex::new(None) }
    }

    fn database(&self) -> Result<Arc<Database>, Error> {
        let mut open = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = &*open {
            return Ok(Arc::clone(database));
        }
        let path = match &self.place {
            Place::File(path) => path.clone(),
            Place::Folder(path) => PrivateFolder::make(path).map_err(Error::unavailable)?.path().join(NAME),
        };
        let database = Arc::new(Database::open(&path)?);
        *open = Some(Arc::clone(&database));
        Ok(database)
    }

    /// A read of microseconds, done where it is asked for.
    fn read<'a, T: Send + 'a>(
        &'a self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move { self.database()?.readers.read(work) })
    }

    /// A read that may take long, on a thread for it.
    fn read_long<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Answer<'_, T> {
        Box::pin(async move { self.database()?.readers.read_long(work).await })
    }

    /// A write; the answer comes when it is on disk.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Answer<'_, T> {
        Box::pin(async move { self.database()?.writer.write(work).await })
    }
}

impl Place {
    /// The file, for messages.
    pub fn path(&self) -> &Path {
        match self {
            Place::File(path) | Place::Folder(path) => path,
        }
    }
}
