//! What a person can set.

use std::ffi::OsString;
use std::path::PathBuf;

use files::Roots;

/// Where pictures may be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// For the process that started us.
    pub local: Roots,
    /// For clients that connect over HTTP.
    pub remote: Roots,
}

impl Config {
    /// From the variables of the environment: `DESKMATE_ROOTS` names the folders for everybody, with colons between
    /// them. Without it, the process that started us may use the home folder, and nobody else anything.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Config {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        if let Some(list) = set("DESKMATE_ROOTS") {
            let roots = Roots::from_list(&list);
            return Config { local: roots.clone(), remote: roots };
        }
        Config { local: Roots::new(set("HOME").map(PathBuf::from)), remote: Roots::none() }
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
        assert_eq!(
            config(&[("HOME", "/home/ada")]),
            Config { local: roots(&["/home/ada"]), remote: roots(&[]) }
        );
        assert_eq!(config(&[("DESKMATE_ROOTS", "")]), Config::default());
    }

    #[test]
    fn folders_that_are_named_are_for_everybody() {
        let named = config(&[("HOME", "/home/ada"), ("DESKMATE_ROOTS", "/photos:/mnt/camera:relative")]);
        let both = roots(&["/photos", "/mnt/camera"]);
        assert_eq!(named, Config { local: both.clone(), remote: both });
    }
}
