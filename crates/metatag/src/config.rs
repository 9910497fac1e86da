//! What a person can set.

use std::ffi::OsString;

use files::{Allowed, Home, Roots};

/// Where pictures may be, and where changes of them are remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// For the process that started us.
    pub local: Roots,
    /// For clients that connect over HTTP.
    pub remote: Roots,
    /// Where state is kept; without it, nothing can be undone.
    pub home: Option<Home>,
}

impl Config {
    /// From the variables of the environment. Which folders may be used is as [`Allowed`] has it.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Config {
        let home = Home::from_environment(&variable).ok();
        let Allowed { local, remote } = Allowed::from_environment(&variable);
        Config { local, remote, home }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use files::Roots;

    use super::Config;

    fn config(variables: &[(&str, &str)]) -> Config {
        Config::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    fn roots(paths: &[&str]) -> Roots {
        Roots::new(paths.iter().map(PathBuf::from))
    }

    #[test]
    fn the_home_folder_is_for_the_process_that_started_us_alone() {
        let found = config(&[("HOME", "/home/ada")]);
        assert_eq!((found.local, found.remote), (roots(&["/home/ada"]), roots(&[])));
        assert_eq!(config(&[("DESKMATE_ROOTS", "")]), Config::default());
    }

    #[test]
    fn folders_that_are_named_are_for_everybody() {
        let named = config(&[("HOME", "/home/ada"), ("DESKMATE_ROOTS", "/photos:/mnt/camera:relative")]);
        let both = roots(&["/photos", "/mnt/camera"]);
        assert_eq!((named.local, named.remote), (both.clone(), both));
        assert!(named.home.is_some_and(|home| home.path().ends_with("deskmate")));
    }
}
