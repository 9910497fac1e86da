//! What a person can set.

use std::ffi::OsString;
use std::path::PathBuf;

use files::{Allowed, Home, Roots};

use crate::email::Email;
use crate::store::sqlite::Place;

/// Where the cookbook is, who uses it, and where photos may be read from.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the cookbook is, or why nowhere.
    pub source: Result<Source, Misset>,
    /// Whose family is meant; nobody means every family.
    pub person: Option<Email>,
    /// Where photos may be, for the process that started us.
    pub local: Roots,
    /// Where photos may be, for clients that connect over HTTP.
    pub remote: Roots,
}

/// Where the cookbook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In a SQLite file.
    Sqlite(Place),
    /// On a PostgreSQL server.
    Postgres {
        /// Its address.
        url: String,
        /// The addresses of its replicas, to read from.
        replicas: Vec<String>,
    },
    /// Behind a REST API.
    Api {
        /// Its address.
        base_url: String,
        /// The key to send.
        key: Option<String>,
    },
}

/// A variable that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misset {
    /// `DATABASE_URL` has another form.
    #[error("`DATABASE_URL` is not `sqlite:///absolute/path` or `postgres://…`; correct it or unset it")]
    DatabaseUrl,
    /// `USER_EMAIL` is no address.
    #[error("`USER_EMAIL` is {0}; set it to the address of a member, or unset it to reach every family")]
    UserEmail(String),
    /// There is no folder for state.
    #[error(transparent)]
    Home(#[from] files::HomeError),
}

impl Config {
    /// From the variables of the environment: `API_BASE_URL` with `API_KEY`, else `DATABASE_URL` with
    /// `DATABASE_REPLICAS`, else a file in the state folder; and `USER_EMAIL`. What is wrong with them is told when the
    /// cookbook is needed.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Config {
        let text = |name: &str| {
            variable(name)
                .map(|value| value.to_string_lossy().trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        // Set to nothing is not the same as not set: that opens every family, and nobody asks for it by mistake.
        let person = variable("USER_EMAIL")
            .map(|email| email.to_string_lossy().parse::<Email>().map_err(|error| error.to_string()))
            .transpose();
        let source = match (&person, text("API_BASE_URL"), text("DATABASE_URL")) {
            (Err(reason), _, _) => Err(Misset::UserEmail(reason.clone())),
            (Ok(_), Some(base_url), _) => Ok(Source::Api { base_url, key: text("API_KEY") }),
            (Ok(_), None, Some(url)) => database(&url, text("DATABASE_REPLICAS").as_deref()),
            (Ok(_), None, None) => Home::from_environment(&variable)
                .map(|home| Source::Sqlite(Place::Folder(home.path_of("recipe-vault"))))
                .map_err(Misset::from),
        };
        let Allowed { local, remote } = Allowed::from_environment(&variable);
        Config { source, person: person.unwrap_or_default(), local, remote }
    }
}

/// What `DATABASE_URL` names, with what `DATABASE_REPLICAS` lists, separated by commas.
pub fn database(url: &str, replicas: Option<&str>) -> Result<Source, Misset> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let replicas = replicas.unwrap_or_default().split(',').map(str::trim).filter(|url| !url.is_empty());
        return Ok(Source::Postgres { url: url.to_owned(), replicas: replicas.map(str::to_owned).collect() });
    }
    let path = url.strip_prefix("sqlite://").map(PathBuf::from).filter(|path| path.is_absolute());
    path.map(|path| Source::Sqlite(Place::File(path))).ok_or(Misset::DatabaseUrl)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Config, Misset, Source};
    use crate::store::sqlite::Place;

    fn config(variables: &[(&str, &str)]) -> Config {
        Config::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_api_comes_first_then_the_database_then_the_state_folder() {
        let all = [
            ("HOME", "/home/ada"),
            ("DATABASE_URL", "sqlite:///var/recipes.db"),
            ("API_BASE_URL", "http://127.0.0.1:3000"),
        ];
        let api = Source::Api { base_url: "http://127.0.0.1:3000".to_owned(), key: None };
        assert_eq!(config(&all).source, Ok(api));
        let file = Source::Sqlite(Place::File("/var/recipes.db".into()));
        assert_eq!(config(&all[..2]).source, Ok(file));
        let folder = Place::Folder("/home/ada/.local/share/deskmate/recipe-vault".into());
        assert_eq!(config(&all[..1]).source, Ok(Source::Sqlite(folder)));
        let postgres = "postgres://db/recipes";
        let replicas = vec!["postgres://a/recipes".to_owned(), "postgres://b/recipes".to_owned()];
        let named = Source::Postgres { url: postgres.to_owned(), replicas };
        let list = "postgres://a/recipes, postgres://b/recipes,";
        assert_eq!(config(&[("DATABASE_URL", postgres), ("DATABASE_REPLICAS", list)]).source, Ok(named));
    }

    #[test]
    fn what_cannot_be_used_is_told_later() {
        assert_eq!(config(&[("DATABASE_URL", "mysql://x")]).source, Err(Misset::DatabaseUrl));
        assert_eq!(config(&[("DATABASE_URL", "sqlite://relative.db")]).source, Err(Misset::DatabaseUrl));
        assert!(matches!(config(&[]).source, Err(Misset::Home(_))));
        let nobody = config(&[("HOME", "/home/ada"), ("USER_EMAIL", "ada")]);
        assert!(matches!(nobody.source, Err(Misset::UserEmail(_))));
        assert_eq!(nobody.person, None);
        for empty in ["", "  "] {
            let empty = config(&[("HOME", "/home/ada"), ("USER_EMAIL", empty)]);
            assert!(
                matches!(empty.source, Err(Misset::UserEmail(_))),
                "nobody in particular is not everybody"
            );
        }
    }
}
