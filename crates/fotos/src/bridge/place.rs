//! Where the socket is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use files::{Home, HomeError};

use super::sys;

/// What the application is called where names are global.
const APPLICATION: &str = "io.github.charly.fotos";

/// The folder of the socket and of the lock that decides whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    folder: PathBuf,
}

/// Why there is no place for a socket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Neither a runtime folder nor a home.
    #[error("`XDG_RUNTIME_DIR` is not set, and there is no other place for a socket: {0}")]
    NoHome(String),
}

impl From<HomeError> for PlaceError {
    fn from(error: HomeError) -> PlaceError {
        PlaceError::NoHome(error.to_string())
    }
}

impl Place {
    /// In the runtime folder of the session, where a Flatpak and programs outside of it have the same; without one, in the
    /// folder of the server.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Place, PlaceError> {
        let runtime = variable("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = match runtime {
            Some(runtime) => runtime.join("app").join(APPLICATION),
            None => Home::from_environment(variable)?.path_of(crate::NAME).join("run"),
        };
        Ok(Place { folder })
    }

    /// In this folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Place {
        Place { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The socket; on Windows, the name of the pipe.
    pub fn socket(&self) -> PathBuf {
        sys::address(&self.folder)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::Place;

    fn socket(variables: &[(&str, &str)]) -> Option<String> {
        let place = Place::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        place.ok().map(|place| place.socket().display().to_string())
    }

    #[test]
    fn the_socket_is_in_the_runtime_folder_or_among_our_own_files() {
        let usual = socket(&[("XDG_RUNTIME_DIR", "/run/user/7"), ("HOME", "/home/a")]);
        assert_eq!(usual.as_deref(), Some("/run/user/7/app/io.github.charly.fotos/fotos.sock"));
        let own = socket(&[("XDG_RUNTIME_DIR", "relative"), ("DESKMATE_HOME", "/d")]);
        assert_eq!(own.as_deref(), Some("/d/fotos/run/fotos.sock"));
        assert_eq!(socket(&[]), None);
        assert_eq!(Place::in_folder("/x").folder(), Path::new("/x"));
    }
}
