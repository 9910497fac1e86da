//! The family cookbook, for agents and for people.
//!
//! `README.md` of this crate has the data flow and the files. [`store::Store`] is where everything is kept, [`auth`] the
//! only place that makes a [`Scope`], and the domain types are the one validator of every way in.

mod api;
pub mod auth;
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
pub mod key;
pub mod listing;
pub mod number;
mod pages;
pub mod photo;
pub mod plan;
pub mod recipe;
pub mod record;
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

use std::sync::{Arc, OnceLock};

use files::Roots;
use mcp::{Failures, Server, Style};

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
    local: Roots,
    remote: Roots,
    /// Made when the first page is imported.
    fetcher: OnceLock<Result<fetch::Client, String>>,
}

impl State {
    /// What fetches pages of recipes.
    fn fetcher(&self) -> Result<&fetch::Client, Error> {
        let made = self.fetcher.get_or_init(|| import::fetcher().map_err(|error| error.to_string()));
        made.as_ref().map_err(|reason| Error::Api(reason.clone()))
    }

    /// The cookbook, or what is wrong with the configuration.
    fn cookbook(&self) -> Result<&dyn Cookbook, Error> {
        match &self.cookbook {
            Ok(cookbook) => Ok(&**cookbook),
            Err(reason) => Err(Error::unavailable(reason)),
        }
    }
}

/// The store that a source names. Nothing is opened before the first call.
pub fn store_of(source: &Source) -> Result<Arc<dyn Store>, Error> {
    match source {
        Source::Sqlite(place) => Ok(Arc::new(Sqlite::new(place.clone()))),
        Source::Postgres { url, replicas } => Ok(Arc::new(Postgres::new(url, replicas)?)),
        Source::Api { .. } => Err(Error::Unsupported(
            "the cookbook is behind the API at `API_BASE_URL`; unset it to serve the database of this machine",
        )),
    }
}

/// The server. Nothing is opened before the first call.
pub fn server(config: Config) -> Server<State> {
    let Config { source, person, local, remote } = config;
    let cookbook: Result<Box<dyn Cookbook>, String> = match source {
        Ok(Source::Api { base_url, key }) => Ok(Box::new(Remote::new(base_url, key, person))),
        Ok(source @ (Source::Sqlite(_) | Source::Postgres { .. })) => match store_of(&source) {
            Ok(store) => Ok(Box::new(Embedded::new(store, person))),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    };
    with_state(State { cookbook, local, remote, fetcher: OnceLock::new() })
}

fn with_state(state: State) -> Server<State> {
    tools::offer(
        Server::new("recipe-vault", env!("CARGO_PKG_VERSION"), state)
            .title("Recipe Vault")
            .description("The family cookbook: recipes, meal plans and shopping lists")
            .instructions(
                "The family's cookbook on this machine. Find recipes with search_recipes, or list_recipes for all; read one \
                 with get_recipe before cooking or changing it. Ids are UUIDs. Quantities are numbers with a unit apart. Ask \
                 before deleting.",
            )
            .failures(Failures {
                tool: Style::Rpc(mcp::code::INTERNAL_ERROR),
                bad_arguments: Style::Rpc(mcp::code::INVALID_PARAMS),
                unknown_tool: Style::Rpc(mcp::code::METHOD_NOT_FOUND),
            }),
    )
}
