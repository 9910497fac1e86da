//! What a secret is called in the environment of a command, and files with placeholders for secrets.

use std::collections::BTreeMap;

use crate::child;
use crate::name::SecretName;
use crate::scrub::Secret;

/// How the name of a secret becomes the name of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// What becomes of small letters.
    pub letters: Letters,
    /// What stands for a dash, a dot or a slash, which shells do not know in names.
    pub dash: char,
    /// What stands before every name.
    pub prefix: String,
}

/// What becomes of small letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// They stay as they are.
    Kept,
    /// They become capitals.
    Capitals,
}

impl Default for Naming {
    fn default() -> Naming {
        Naming { letters: Letters::Kept, dash: '_', prefix: String::new() }
    }
}

/// Why a secret cannot be a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadVariable {
    /// It would be none, or one that changes how programs run.
    #[error("`{name}` cannot be put into the environment: {reason}; `--prefix` gives it another name there")]
    Unfit {
        /// The secret.
        name: SecretName,
        /// Why not.
        reason: child::VariableError,
    },
    /// Two secrets would be one variable.
    #[error("`{first}` and `{second}` would both be the variable `{variable}`; leave one out of the scope")]
    Clash {
        /// One of them.
        first: SecretName,
        /// The other.
        second: SecretName,
        /// The variable.
        variable: String,
    },
}

impl Naming {
    /// The variable of a secret.
    pub fn variable(&self, name: &SecretName) -> Result<String, BadVariable> {
        let letter = |c: char| match (c, self.letters) {
            ('-' | '.' | '/', _) => self.dash,
            (c, Letters::Kept) => c,
            (c, Letters::Capitals) => c.to_ascii_uppercase(),
        };
        let mut variable: String = self.prefix.chars().chain(name.as_str().chars().map(letter)).collect();
        if variable.starts_with(|c: char| c.is_ascii_digit()) {
            variable.insert(0, '_');
        }
        // The rules are those of every command that gets secrets; the value is looked at when it is there.
        match child::Variable::chosen(&variable, Secret { name: name.as_str(), value: b"" }) {
            Ok(_) => Ok(variable),
            Err(reason) => Err(BadVariable::Unfit { name: name.clone(), reason }),
        }
    }

    /// The variables of all these secrets, each secret by its variable.
    pub fn variables(
        &self,
        names: impl IntoIterator<Item = SecretName>,
    ) -> Result<BTreeMap<String, SecretName>, BadVariable> {
        let mut variables = BTreeMap::new();
        for name in names {
            let variable = self.variable(&name)?;
            if let Some(first) = variables.insert(variable.clone(), name.clone()) {
                return Err(BadVariable::Clash { first, second: name, variable });
            }
        }
        Ok(variables)
    }
}

/// A piece of a text with placeholders.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that stays.
    Text(&'a str),
    /// `<authy:NAME>`.
    Secret(SecretName),
}

/// The pieces of a text, in order. What only looks like a placeholder, but names no possible secret, is text.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    const START: &str = "<authy:";
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(START)).map(|start| at + start) {
        at = start + START.len();
        let end = text.get(at..).and_then(|rest| rest.find('>')).map(|end| at + end);
        let name = end.and_then(|end| text.get(at..end)).and_then(|name| SecretName::new(name).ok());
        if let (Some(name), Some(end)) = (name, end) {
            pieces.push(Piece::Text(text.get(from..start).unwrap_or_default()));
            pieces.push(Piece::Secret(name));
            (from, at) = (end + 1, end + 1);
        }
    }
    pieces.push(Piece::Text(text.get(from..).unwrap_or_default()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::{BadVariable, Letters, Naming, Piece, pieces};
    use crate::name::SecretName;

    fn name(text: &str) -> SecretName {
        SecretName::new(text).expect("a name")
    }

    #[test]
    fn a_name_becomes_a_variable_that_shells_can_read() {
        let capitals = Naming { letters: Letters::Capitals, prefix: "APP_".into(), ..Naming::default() };
        for (secret, kept, capital) in [
            ("db-url", "db_url", "APP_DB_URL"),
            ("prod/db.url", "prod_db_url", "APP_PROD_DB_URL"),
            ("1password", "_1password", "APP_1PASSWORD"),
        ] {
            assert_eq!(Naming::default().variable(&name(secret)).as_deref(), Ok(kept));
            assert_eq!(capitals.variable(&name(secret)).as_deref(), Ok(capital));
        }
        let odd = Naming { dash: '=', ..Naming::default() };
        assert!(matches!(odd.variable(&name("a-b")), Err(BadVariable::Unfit { .. })));
    }

    #[test]
    fn variables_that_change_how_programs_run_are_refused() {
        let capitals = Naming { letters: Letters::Capitals, ..Naming::default() };
        for secret in ["ld-preload", "path", "python-path", "authy-token", "git-ssh-command", "node-options"]
        {
            assert!(matches!(capitals.variable(&name(secret)), Err(BadVariable::Unfit { .. })), "{secret}");
        }
        assert!(capitals.variable(&name("github-token")).is_ok());
    }

    #[test]
    fn two_secrets_are_never_one_variable() {
        let both = Naming::default().variables([name("a-b"), name("a_b")]);
        assert!(matches!(both, Err(BadVariable::Clash { .. })));
    }

    #[test]
    fn placeholders_are_found_and_what_is_none_is_text() {
        assert_eq!(
            pieces("a <authy:db-url>, <authy:x>"),
            [
                Piece::Text("a "),
                Piece::Secret(name("db-url")),
                Piece::Text(", "),
                Piece::Secret(name("x")),
                Piece::Text(""),
            ]
        );
        for plain in ["", "<authy:", "<authy:>", "<authy:a b>", "<authy:-x> <authy"] {
            assert_eq!(pieces(plain), [Piece::Text(plain)]);
        }
        assert_eq!(pieces("<authy:<authy:x>").len(), 3);
    }
}
