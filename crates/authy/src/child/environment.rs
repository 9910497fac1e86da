//! What a command finds in its environment: a few things everybody needs, and the secrets it was given.

use std::ffi::OsString;

use crate::scrub::Secret;
use crate::sys::USUAL_PATH;

/// What a command inherits. Nothing else of ours is passed on, least of all `AUTHY_…`.
#[derive(Debug, Clone)]
pub struct Environment {
    variables: Vec<(&'static str, OsString)>,
}

/// All that is ever inherited.
const INHERITED: [&str; 4] = ["PATH", "HOME", "LANG", "TERM"];

/// A secret under the name a command looks for it by.
#[derive(Debug, Clone)]
pub struct Variable<'a> {
    name: String,
    secret: Secret<'a>,
}

/// Why a secret cannot be put into the environment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    /// Not a name.
    #[error(
        "`{0}` is not the name of an environment variable; use letters, digits and `_`, and no digit first"
    )]
    Name(String),
    /// A name that changes what programs do.
    #[error(
        "`{0}` may not be set: it could change which code runs; use the usual name of the secret, or let the owner of the \
         vault allow this one by `authy set NAME --command … --variable {0}`"
    )]
    Refused(String),
    /// Two secrets, one name.
    #[error("`{0}` is set twice; give each secret a name of its own")]
    Twice(String),
    /// The value has a zero byte.
    #[error("the value of `{0}` has a zero byte in it and fits no environment variable; give it on stdin")]
    Zero(String),
    /// The system takes nothing but text.
    #[error(
        "the value of `{0}` is no text, and here only text fits an environment variable; give it on stdin"
    )]
    NotText(String),
}

/// What the name of a variable ends with that holds a secret and changes nothing else.
const SECRETS: [&str; 8] = ["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSPHRASE", "PASS", "PAT", "APIKEY"];

/// Whole names that programs look for a secret under.
const KNOWN: [&str; 5] = ["PGPASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "DATABASE_URL", "SSHPASS"];

/// Names by which loaders, shells and interpreters are told to run something else. Nobody is given these but by a rule that
/// names them.
const REFUSED: [&str; 33] = [
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
    "PWD",
    "USER",
    "LOGNAME",
];

/// The same, by how they begin.
const REFUSED_BEGINNINGS: [&str; 20] = [
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
    "XDG_",
    "SSH_",
    "GTK_",
    "QT_",
    "NPM_CONFIG_",
    "PIP_",
    "OPENSSL_",
];

/// Whether a name changes which code runs. Some programs do not care about case, so neither do we.
fn is_refused(upper: &str) -> bool {
    REFUSED.contains(&upper) || REFUSED_BEGINNINGS.iter().any(|start| upper.starts_with(start))
}

/// Whether a name is one of those that hold a secret and do nothing else.
fn holds_a_secret(upper: &str) -> bool {
    KNOWN.contains(&upper) || upper.rsplit('_').next().is_some_and(|last| SECRETS.contains(&last))
}

fn is_name(name: &str) -> bool {
    let proper = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty()
        && name.len() <= 128
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(proper)
}

impl Environment {
    /// What this process has of what is inherited.
    pub fn inherited() -> Environment {
        Environment::from(|name| std::env::var_os(name))
    }

    /// The same, with programs looked for only where the system keeps them: for commands that somebody else asks for.
    pub fn of_the_system() -> Environment {
        Environment::from(|name| if name == "PATH" { None } else { std::env::var_os(name) })
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

    /// The same for a command in a folder of its own: nothing in the person's home changes what it does, and programs are
    /// looked for only where the system keeps them.
    pub(super) fn confined(&self, own: &std::path::Path) -> Environment {
        // Whoever calls may have set them: a path in one would say where to load something from.
        let plain = |value: &OsString| {
            value.to_str().is_some_and(|text| {
                text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@+".contains(&byte))
            })
        };
        let kept = self.variables.iter().filter(|(name, _)| matches!(*name, "LANG" | "TERM"));
        let kept = kept.filter(|(_, value)| plain(value)).cloned();
        let fixed = [("PATH", USUAL_PATH.into()), ("HOME", own.into()), ("TMPDIR", own.into())];
        Environment { variables: fixed.into_iter().chain(kept).collect() }
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
    /// A secret under a name that changes nothing but what the command reads there: the usual one of this secret, one that
    /// says it holds a secret, or one of those that the owner `allowed`.
    pub fn new(name: &str, secret: Secret<'a>, allowed: &[String]) -> Result<Variable<'a>, VariableError> {
        let upper = name.to_ascii_uppercase();
        let usual = upper == Variable::usual_name(secret.name) || holds_a_secret(&upper);
        let listed = allowed.iter().any(|each| each.eq_ignore_ascii_case(name));
        // What opens the vault itself goes to nobody, whoever allows it.
        let good = !upper.starts_with("AUTHY_") && (listed || (usual && !is_refused(&upper)));
        if is_name(name) && !good {
            return Err(VariableError::Refused(name.to_owned()));
        }
        Variable::checked(name, secret)
    }

    /// A secret under a name that its owner chose, which may be any that does not change which code runs.
    pub fn chosen(name: &str, secret: Secret<'a>) -> Result<Variable<'a>, VariableError> {
        if is_name(name) && is_refused(&name.to_ascii_uppercase()) {
            return Err(VariableError::Refused(name.to_owned()));
        }
        Variable::checked(name, secret)
    }

    fn checked(name: &str, secret: Secret<'a>) -> Result<Variable<'a>, VariableError> {
        if !is_name(name) {
            return Err(VariableError::Name(name.to_owned()));
        }
        if secret.value.contains(&0) {
            return Err(VariableError::Zero(name.to_owned()));
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
pub(crate) fn distinct(variables: &[Variable<'_>]) -> Result<(), VariableError> {
    for (at, variable) in variables.iter().enumerate() {
        if variables[..at].iter().any(|other| other.name == variable.name) {
            return Err(VariableError::Twice(variable.name.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Environment, Variable, VariableError};
    use crate::scrub::Secret;

    fn variable(name: &str, allowed: &[String]) -> Result<(), VariableError> {
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
            assert_eq!(variable(name, &[]), Err(VariableError::Refused(name.to_owned())));
        }
        for name in ["DB_PASSWORD", "GITHUB_TOKEN", "s", "S", "PGPASSWORD"] {
            assert_eq!(variable(name, &[]), Ok(()), "{name}");
        }
    }

    /// None of these is listed anywhere above: what is not known to be harmless is refused.
    #[test]
    fn names_nobody_thought_of_are_refused() {
        for name in [
            "GOFLAGS",
            "GOPROXY",
            "MAKEFLAGS",
            "LESSOPEN",
            "MANPAGER",
            "HTTP_PROXY",
            "ALL_PROXY",
            "R_PROFILE",
            "JULIA_LOAD_PATH",
            "GUILE_LOAD_PATH",
            "AWS_CONFIG_FILE",
            "KUBECONFIG",
            "DOCKER_HOST",
            "DOCKER_CONFIG",
            "TF_CLI_CONFIG_FILE",
            "VAULT_ADDR",
            "CURL_HOME",
            "WGETRC",
            "SUDO_ASKPASS",
            "INPUTRC",
            "TERMINFO",
            "RES_OPTIONS",
            "HOSTALIASES",
            "LOCPATH",
            "NLSPATH",
            "MAVEN_OPTS",
            "GRADLE_OPTS",
            "ANT_OPTS",
            "CC",
            "CXX",
            "RUSTFLAGS",
            "CFLAGS",
            "LUA_INIT",
            "ERL_FLAGS",
            "ELIXIR_ERL_OPTIONS",
            "DENO_DIR",
            "BUN_INSTALL",
            "YARN_RC_FILENAME",
            "COMPOSER_HOME",
            "GEM_HOME",
            "BUNDLE_GEMFILE",
            "VIMINIT",
            "EXINIT",
            "PSQLRC",
            "PGSERVICEFILE",
            "MYSQL_HOME",
            "SQLITE_HISTORY",
            "FOO",
        ] {
            assert_eq!(variable(name, &[]), Err(VariableError::Refused(name.to_owned())));
        }
    }

    #[test]
    fn the_owner_may_allow_some_but_never_what_opens_the_vault() {
        let allowed = ["GIT_TOKEN".to_owned(), "AUTHY_TOKEN".to_owned()];
        assert_eq!(variable("GIT_TOKEN", &allowed), Ok(()));
        assert!(variable("GIT_TOKEN", &[]).is_err());
        assert!(variable("GIT_SSH", &allowed).is_err());
        assert!(variable("AUTHY_TOKEN", &allowed).is_err());
    }

    #[test]
    fn what_is_no_name_or_fits_no_variable_is_refused() {
        for name in ["", "1A", "A=B", "A B", "Ä", "A\0", &"A".repeat(129)] {
            assert_eq!(variable(name, &[]), Err(VariableError::Name(name.to_owned())));
        }
        let zero = Variable::new("S", Secret { name: "s", value: b"a\0b" }, &[]).err();
        assert_eq!(zero, Some(VariableError::Zero("S".to_owned())));
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
