//! Secrets from elsewhere: read into a list, named as this vault names things, and stored by the caller in one go.

mod age;
mod csv;
mod dotenv;
mod old_vault;
mod one_password;
mod pass;
mod program;
mod sops;
mod zip;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::name::{BadName, SecretName};
use crate::secret::{Attributes, NewSecret};
use crate::value::{BadValue, SecretValue};

pub use age::AgeError;
pub use dotenv::{DotenvError, read as dotenv};
pub use old_vault::{OldKey, OldVault, read as old_vault};
pub use one_password::{read_1pux as one_password_1pux, read_csv as one_password_csv};
pub use pass::read as pass;
pub use program::ProgramError;
pub use sops::read as sops;

/// The largest file that is read. A vault of a hundred thousand secrets is smaller.
pub const LARGEST_FILE: u64 = 256 * 1024 * 1024;

/// A secret as it was found elsewhere.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it is called there.
    pub name: String,
    /// Its value.
    pub value: SecretValue,
    /// What is said about it there, if anything.
    pub attributes: Option<Attributes>,
}

/// What a secret is called here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// In small letters with dashes: `DB_URL` becomes `db-url`.
    Kebab,
    /// As it was there.
    Kept,
}

/// What cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is larger than anything that makes sense.
    #[error("`{}` is larger than 256 MB; split it", .0.display())]
    TooLarge(PathBuf),
    /// A line of a dotenv file.
    #[error(transparent)]
    Dotenv(#[from] DotenvError),
    /// An age file.
    #[error(transparent)]
    Age(#[from] AgeError),
    /// A program that is needed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The file is of another kind, or damaged.
    #[error("this is not {expected}: {reason}")]
    Format {
        /// What it should be.
        expected: &'static str,
        /// What shows that it is not. Has nothing of the file's content in it.
        reason: String,
    },
    /// A name that cannot be one here.
    #[error("`{name}` cannot be a name here: {reason}")]
    Name {
        /// What it is called there.
        name: String,
        /// Why not.
        reason: BadName,
    },
    /// Two secrets would get one name.
    #[error("`{first}` and `{second}` would both be called `{name}` here; rename one, or use `--keep-names`")]
    Clash {
        /// One of them.
        first: String,
        /// The other.
        second: String,
        /// The name here.
        name: SecretName,
    },
    /// A value that cannot be stored.
    #[error("the value of `{name}` cannot be stored: {reason}")]
    Value {
        /// Whose.
        name: String,
        /// Why not.
        reason: BadValue,
    },
}

impl Found {
    fn new(name: impl Into<String>, value: impl Into<Vec<u8>>) -> Result<Found, ImportError> {
        let name = name.into();
        match SecretValue::new(value) {
            Ok(value) => Ok(Found { name, value, attributes: None }),
            Err(reason) => Err(ImportError::Value { name, reason }),
        }
    }
}

/// Gives what was found its names here, each after the prefix. Of two with the same name there, the later one counts, as
/// in a shell; two different ones must not meet in one name.
pub fn name_all(found: Vec<Found>, names: Names, prefix: &str) -> Result<Vec<NewSecret>, ImportError> {
    let mut secrets: BTreeMap<SecretName, Found> = BTreeMap::new();
    for each in found {
        let text = match names {
            Names::Kebab => format!("{prefix}{}", kebab(&each.name)),
            Names::Kept => format!("{prefix}{}", each.name),
        };
        let name =
            SecretName::new(text).map_err(|reason| ImportError::Name { name: each.name.clone(), reason })?;
        if let Some(first) = secrets.get(&name).filter(|first| first.name != each.name) {
            return Err(ImportError::Clash { first: first.name.clone(), second: each.name, name });
        }
        secrets.insert(name, each);
    }
    let secret = |(name, Found { value, attributes, .. })| NewSecret { name, value, attributes };
    Ok(secrets.into_iter().map(secret).collect())
}

/// Small letters, digits, dots and slashes; everything else becomes a dash, and dashes neither repeat nor stand at an end.
fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            '.' | '/' => {
                out.truncate(out.trim_end_matches('-').len());
                out.push(c);
            }
            _ if out.is_empty() || out.ends_with(['-', '/', '.']) => {}
            _ => out.push('-'),
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

#[cfg(test)]
mod tests {
    use super::{Found, Names, kebab, name_all};

    fn found(names: &[&str]) -> Vec<Found> {
        names.iter().map(|name| Found::new(*name, name.as_bytes()).expect("short")).collect()
    }

    #[test]
    fn names_become_small_letters_with_dashes() {
        for (there, here) in [
            ("DB_URL", "db-url"),
            ("GitHub Token (work)", "github-token-work"),
            ("Email/my site", "email/my-site"),
            ("_private", "private"),
            ("a -/ b", "a/b"),
            ("v1.2", "v1.2"),
        ] {
            assert_eq!(kebab(there), here);
        }
    }

    #[test]
    fn the_later_of_two_counts_and_different_ones_do_not_meet() {
        let twice = name_all(found(&["A_B", "A_B"]), Names::Kebab, "x-").expect("one secret");
        assert_eq!(twice.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(), ["x-a-b"]);
        let clash = name_all(found(&["A_B", "a-b"]), Names::Kebab, "").expect_err("they meet");
        assert_eq!(
            clash.to_string(),
            "`A_B` and `a-b` would both be called `a-b` here; rename one, or use `--keep-names`"
        );
        assert_eq!(name_all(found(&["A_B", "a-b"]), Names::Kept, "").expect("two").len(), 2);
    }

    #[test]
    fn what_cannot_be_a_name_is_named() {
        let error = name_all(found(&["家"]), Names::Kebab, "").expect_err("no name");
        assert!(
            error.to_string().starts_with("`家` cannot be a name here: a name cannot be empty"),
            "{error}"
        );
    }
}
