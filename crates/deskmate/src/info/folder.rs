//! Where Deskmate keeps its state. Looks and makes nothing: the first server that has something to keep does.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::report::{ChosenBy, Folder, Missing};

/// Finds the place, from the variables of the environment.
pub(super) fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<(PathBuf, ChosenBy), Missing> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = path("DESKMATE_HOME") {
        if own.is_absolute() {
            return Ok((own, ChosenBy::DeskmateHome));
        }
        return Err(Missing {
            what: format!("a state folder: `DESKMATE_HOME` is not an absolute path: `{}`", own.display()),
            fix: "set `DESKMATE_HOME` to a path that starts at the root, or unset it".into(),
        });
    }
    // The XDG specification says to ignore a relative path.
    if let Some(data) = path("XDG_DATA_HOME").filter(|data| data.is_absolute()) {
        return Ok((data.join("deskmate"), ChosenBy::XdgDataHome));
    }
    match path("HOME").filter(|home| home.is_absolute()) {
        Some(home) => Ok((home.join(".local/share/deskmate"), ChosenBy::Home)),
        None => Err(Missing {
            what: "a state folder: none of `DESKMATE_HOME`, `XDG_DATA_HOME` and `HOME` is set to an absolute path"
                .into(),
            fix: "set `DESKMATE_HOME` to the folder Deskmate should keep its state in".into(),
        }),
    }
}

/// Looks at what is there.
pub(super) fn look((path, chosen_by): (PathBuf, ChosenBy)) -> Result<Folder, Missing> {
    let shown = path.display().to_string();
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(Folder { path: shown, exists: true, chosen_by }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Folder { path: shown, exists: false, chosen_by })
        }
        Ok(_) => Err(Missing {
            what: format!("a state folder: `{shown}` is a file"),
            fix: "move that file away, or set `DESKMATE_HOME` to another folder".into(),
        }),
        Err(error) => Err(Missing {
            what: format!("a state folder: cannot look at `{shown}`: {error}"),
            fix: "give this user access to it, or set `DESKMATE_HOME` to another folder".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{ChosenBy, find};

    fn place(variables: &[(&str, &str)]) -> Option<(String, ChosenBy)> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        find(variable).ok().map(|(path, by)| (path.display().to_string(), by))
    }

    #[test]
    fn our_own_variable_comes_first_then_xdg_then_home() {
        let all = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data"), ("DESKMATE_HOME", "/desk")];
        assert_eq!(place(&all), Some(("/desk".into(), ChosenBy::DeskmateHome)));
        assert_eq!(place(&all[..2]), Some(("/data/deskmate".into(), ChosenBy::XdgDataHome)));
        assert_eq!(place(&all[..1]), Some(("/home/ada/.local/share/deskmate".into(), ChosenBy::Home)));
        assert_eq!(place(&[]), None);
    }

    #[test]
    fn relative_and_empty_paths_choose_nothing() {
        let home = ("HOME", "/home/ada");
        assert_eq!(place(&[home, ("DESKMATE_HOME", "desk")]), None);
        let from_home = Some(("/home/ada/.local/share/deskmate".into(), ChosenBy::Home));
        assert_eq!(place(&[home, ("DESKMATE_HOME", "")]), from_home);
        assert_eq!(place(&[home, ("XDG_DATA_HOME", "data")]), from_home);
    }
}
