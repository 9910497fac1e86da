//! What a command finds in its environment: a few things everybody needs, and the secrets it was given.

use std::ffi::OsString;

use crate::scrub::Secret;

/// What a command inherits. Nothing else of ours is passed on, least of all `AUTHY_…`.
#[derive(Debug, Clone)]
pub struct Environment {
    variables: Vec<(&'static str, OsString)>,
}

/// All that is ever inherited.
const INHERITED: [&str; 4] = ["PATH", "HOME", "LANG", "TERM"];

/// Where programs are looked for when nothing says so.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A secret under the name a command looks for it by.
#[derive(Debug, Clone)]
pub struct Variable<'a> {
    name: String,
    secret: Secret<'a>,
}

/// Why a secret cannot be put into the environment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadVariable {
    /// Not a name.
    #[error(
        "`{0}` is not the name of an environment variable; use letters, digits and `_`, and no digit first"
    )]
    Name(String),
    /// A name that changes what programs do.
    #[error(
        "`{0}` may not be set: it changes which code runs; use another name, or let the owner of the vault allow it"
    )]
    Refused(String),
    /// Two secrets, one name.
    #[error("`{0}` is set twice; give each secret a name of its own")]
    Twice(String),
    /// The value has a zero byte.
    #[error("the value of `{0}` has a zero byte in it and fits no environment variable; give it on stdin")]
    Zero(String),
}

/// Names by which loaders, shells and interpreters are told to run something else.
const REFUSED: [&str; 30] = [
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
    "PROMPT_COMMAND",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "RUBYOPT",
    "RUBYLIB",
    "CLASSPATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "RUSTC_WRAPPER",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "HOME",
    "SHELL",
    "TMPDIR",
    "ZDOTDIR",
    "GCONV_PATH",
    "OPENSSL_CONF",
];

/// The same, by how they begin.
const REFUSED_BEGINNINGS: [&str; 13] = [
    "LD_",
    "DYLD_",
    "PYTHON",
    "PERL",
    "GIT_",
    "AUTHY_",
    "BASH_FUNC_",
    "MALLOC_",
    "GLIBC_",
    "LUA_",
    "PHP_INI",
    "DOTNET_",
    "CARGO_",
];

impl Environment {
    /// What this process has of what is inherited.
    pub fn inherited() -> Environment {
        Environment::from(|name| std::env::var_os(name))
    }

    /// What is inherited, as `lookup` knows it.
    pub fn from(lookup: impl Fn(&str) -> Option<OsString>) -> Environment {
        let mut variables: Vec<(&'static str, OsString)> =
            INHERITED.into_iter().filter_map(|name| Some((name, lookup(name)?))).collect();
        if variables.first().is_none_or(|(name, _)| *name != "PATH") {
            variables.push(("PATH", USUAL_PATH.into()));
        }
        Environment { variables }
    }

    /// Where programs are looked for.
    pub(crate) fn path(&self) -> OsString {
        let found = self.variables.iter().find(|(name, _)| *name == "PATH");
        found.map_or_else(OsString::new, |(_, value)| value.clone())
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        self.variables.iter().map(|(name, value)| (*name, value))
    }
}

impl<'a> Variable<'a> {
    /// A secret under a name that changes nothing but what the command reads there. `allowed` are names of the refused
    /// ones that the owner allows.
    pub fn new(name: &str, secret: Secret<'a>, allowed: &[String]) -> Result<Variable<'a>, BadVariable> {
        let proper = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty()
            || name.len() > 128
            || name.starts_with(|first: char| first.is_ascii_digit())
            || !name.bytes().all(proper)
        {
            return Err(BadVariable::Name(name.to_owned()));
        }
        // Some programs do not care about case, so neither do we.
        let upper = name.to_ascii_uppercase();
        let refused = REFUSED.contains(&upper.as_str())
            || REFUSED_BEGINNINGS.iter().any(|start| upper.starts_with(start));
        // What opens the vault itself goes to nobody, whoever allows it.
        if refused && (upper.starts_with("AUTHY_") || !allowed.contains(&upper)) {
            return Err(BadVariable::Refused(name.to_owned()));
        }
        if secret.value.contains(&0) {
            return Err(BadVariable::Zero(name.to_owned()));
        }
        Ok(Variable { name: name.to_owned(), secret })
    }

    /// The name of an environment variable for a secret: `db/main-password` is `DB_MAIN_PASSWORD`.
    pub fn usual_name(secret: &str) -> String {
        let upper = |byte: char| if byte.is_ascii_alphanumeric() { byte.to_ascii_uppercase() } else { '_' };
        let name: String = secret.chars().map(upper).collect();
        if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn secret(&self) -> Secret<'a> {
        self.secret
    }
}

/// Checks that no name is there twice.
pub(crate) fn distinct(variables: &[Variable<'_>]) -> Result<(), BadVariable> {
    for (at, variable) in variables.iter().enumerate() {
        if variables[..at].iter().any(|other| other.name == variable.name) {
            return Err(BadVariable::Twice(variable.name.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BadVariable, Environment, Variable};
    use crate::scrub::Secret;

    fn variable(name: &str, allowed: &[String]) -> Result<(), BadVariable> {
        Variable::new(name, Secret { name: "s", value: b"value" }, allowed).map(|_| ())
    }

    #[test]
    fn names_that_change_which_code_runs_are_refused() {
        for name in [
            "LD_PRELOAD",
            "ld_preload",
            "DYLD_X",
            "PATH",
            "IFS",
            "BASH_ENV",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "GIT_SSH_COMMAND",
            "AUTHY_TOKEN",
        ] {
            assert_eq!(variable(name, &[]), Err(BadVariable::Refused(name.to_owned())));
        }
        for name in ["DB_PASSWORD", "GITHUB_TOKEN", "_x", "PGPASSWORD"] {
            assert_eq!(variable(name, &[]), Ok(()), "{name}");
        }
    }

    #[test]
    fn the_owner_may_allow_some_but_never_what_opens_the_vault() {
        let allowed = ["GIT_TOKEN".to_owned(), "AUTHY_TOKEN".to_owned()];
        assert_eq!(variable("GIT_TOKEN", &allowed), Ok(()));
        assert!(variable("GIT_SSH", &allowed).is_err());
        assert!(variable("AUTHY_TOKEN", &allowed).is_err());
    }

    #[test]
    fn what_is_no_name_or_fits_no_variable_is_refused() {
        for name in ["", "1A", "A=B", "A B", "Ä", "A\0", &"A".repeat(129)] {
            assert_eq!(variable(name, &[]), Err(BadVariable::Name(name.to_owned())));
        }
        let zero = Variable::new("A", Secret { name: "s", value: b"a\0b" }, &[]).err();
        assert_eq!(zero, Some(BadVariable::Zero("A".to_owned())));
    }

    #[test]
    fn a_secret_has_a_usual_name() {
        assert_eq!(Variable::usual_name("db/main-password"), "DB_MAIN_PASSWORD");
        assert_eq!(Variable::usual_name("2fa.key"), "_2FA_KEY");
    }

    #[test]
    fn only_four_variables_are_inherited() {
        let environment = Environment::from(|name| Some(format!("<{name}>").into()));
        let names: Vec<&str> = environment.variables().map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH", "HOME", "LANG", "TERM"]);
        assert_eq!(Environment::from(|_| None).path(), "/usr/local/bin:/usr/bin:/bin");
    }
}
