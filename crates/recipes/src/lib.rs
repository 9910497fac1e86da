//! The family cookbook, for agents and for people.
//!
//! `README.md` of this crate has the data flow and the files. [`store::Store`] is where everything is kept, [`auth`] the
//! only place that makes a [`Scope`], and the domain types are the one validator of every way in.

pub mod aisle;
mod api;
pub mod auth;
pub mod card;
pub mod config;
pub mod cookbook;
pub mod draft;
pub mod email;
pub mod error;
pub mod export;
pub mod family;
pub mod few;
pub mod id;
pub mod import;
pub mod ingredient;
pub mod inspect;
pub mod key;
pub mod listing;
pub mod number;
mod pages;
pub mod photo;
pub mod plan;
pub mod recipe;
pub mod record;
mod resources;
pub mod scale;
pub mod search;
pub mod secret;
pub mod session;
pub mod share;
pub mod shopping;
pub mod site;
pub mod step;
pub mod store;
pub mod tag;
pub mod text;
pub mod time;
pub mod title;
mod tools;
pub mod unit;
pub mod zone;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use files::Roots;
use mcp::{FailAs, Failures, Server};

pub use auth::Scope;
pub use config::Config;
use config::Source;
use cookbook::{Cookbook, Embedded, Remote};
pub use error::Error;
use store::Postgres;
pub use store::Store;
use store::sqlite::Sqlite;

/// What the tools share.
pub struct State {
    cookbook: Result<Box<dyn Cookbook>, String>,
    distance: Distance,
    local: Roots,
    remote: Roots,
    web: import::Web,
}

/// How far it is to the recipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distance {
    /// A short read is done in microseconds, by whoever asks.
    File,
    /// An answer has to be waited for.
    Network,
}

impl State {
    /// The cookbook, for a short read by a tool that runs on the reading thread where it can.
    async fn cookbook_at_once(&self) -> Result<&dyn Cookbook, Error> {
        if self.distance == Distance::Network {
            mcp::as_a_task().await;
        }
        self.cookbook()
    }

    /// The cookbook, or what is wrong with the configuration.
    fn cookbook(&self) -> Result<&dyn Cookbook, Error> {
        match &self.cookbook {
            Ok(cookbook) => Ok(&**cookbook),
            Err(reason) => Err(Error::unavailable(reason)),
        }
    }
}

/// The store that a source names. Nothing is opened before the first call. Who asks again while somebody has it gets the
/// same one, so that a process has one writer for a database, and all its writes share commits.
pub fn store_of(source: &Source) -> Result<Arc<dyn Store>, Error> {
    static IN_USE: Mutex<Vec<(Source, Weak<dyn Store>)>> = Mutex::new(Vec::new());
    let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    in_use.retain(|(_, store)| store.strong_count() > 0);
    let same = in_use.iter().find(|(known, _)| known == source).and_then(|(_, store)| store.upgrade());
    if let Some(store) = same {
        return Ok(store);
    }
    let store: Arc<dyn Store> = match source {
        Source::Sqlite(place) => Arc::new(Sqlite::new(place.clone())),
        Source::Postgres { url, replicas } => Arc::new(Postgres::new(url, replicas)?),
        Source::Api { .. } => {
            return Err(Error::Unsupported(
                "the cookbook is behind the API at `API_BASE_URL`; unset it to serve the database of this machine",
            ));
        }
    };
    in_use.push((source.clone(), Arc::downgrade(&store)));
    Ok(store)
}

/// The server. Nothing is opened before the first call.
pub fn server(config: Config) -> Server<State> {
    let Config { source, person, local, remote } = config;
    let distance = match source {
        Ok(Source::Sqlite(_)) | Err(_) => Distance::File,
        Ok(Source::Postgres { .. } | Source::Api { .. }) => Distance::Network,
    };
    let cookbook: Result<Box<dyn Cookbook>, String> = match source {
        Ok(Source::Api { base_url, key }) => Ok(Box::new(Remote::new(base_url, key, person))),
        Ok(source @ (Source::Sqlite(_) | Source::Postgres { .. })) => match store_of(&source) {
            Ok(store) => Ok(Box::new(Embedded::new(store, person))),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    };
    with_state(State { cookbook, distance, local, remote, web: import::Web::default() })
}

fn with_state(state: State) -> Server<State> {
    let server = tools::offer(
        Server::new("recipe-vault", env!("CARGO_PKG_VERSION"), state)
            .title("Recipe Vault")
            .description("The family cookbook: recipes, meal plans and shopping lists")
            .instructions(
                "The family's cookbook on this machine. Find recipes with search_recipes, or list_recipes for all; read one \
                 with get_recipe before cooking or changing it. Ids are UUIDs. Quantities are numbers with a unit apart. Ask \
                 before deleting.",
            )
            .failures(Failures {
                tool: FailAs::Rpc(mcp::code::INTERNAL_ERROR),
                bad_arguments: FailAs::Rpc(mcp::code::INVALID_PARAMS),
                unknown_tool: FailAs::Rpc(mcp::code::METHOD_NOT_FOUND),
            }),
    );
    resources::offer(server)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::store_of;
    use crate::config::Source;
    use crate::store::sqlite::Place;

    #[test]
    fn a_process_has_one_store_for_a_database() {
        let source = |name: &str| Source::Sqlite(Place::File(name.into()));
        let one = store_of(&source("/nowhere/a.db")).expect("a store");
        let same = store_of(&source("/nowhere/a.db")).expect("a store");
        let other = store_of(&source("/nowhere/b.db")).expect("a store");
        assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
    }
}
