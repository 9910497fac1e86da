//! The folders in which a client may name files.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::sys;

/// The folders in which a client may name files. Nothing is looked up before a path is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

/// The real path of something that exists under a root: absolute, without symbolic links.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    path: PathBuf,
}

/// Why a path cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// It does not start at the root of the file system.
    #[error("`{}` is not an absolute path; give one that starts with `{}`", .0.display(), sys::ROOT)]
    Relative(PathBuf),
    /// There is nothing.
    #[error("`{}` does not exist; check the path", .0.display())]
    NotFound(PathBuf),
    /// A folder on the way may not be entered, or there is a loop of links.
    #[error("cannot reach `{}`: {source}; give this user access to it or choose another file", path.display())]
    Unreachable {
        /// What was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is not under a root, whether or not there is anything.
    #[error("`{}` is not in a folder this server may use; {}", path.display(), remedy(roots))]
    Outside {
        /// What was asked for.
        path: PathBuf,
        /// The roots there are.
        roots: Vec<PathBuf>,
    },
}

impl ResolveError {
    /// The same for those who have told the path already.
    pub fn without_path(&self) -> String {
        match self {
            ResolveError::Outside { roots, .. } => {
                format!("outside the allowed folders; {}", remedy(roots))
            }
            ResolveError::Unreachable { source, .. } => {
                format!("cannot be reached: {source}; give this user access to it or choose another file")
            }
            ResolveError::Relative(_) | ResolveError::NotFound(_) => self.to_string(),
        }
    }
}

fn remedy(roots: &[PathBuf]) -> String {
    let allowed: Vec<String> = roots.iter().map(|root| format!("`{}`", root.display())).collect();
    match allowed.as_slice() {
        [] => format!(
            "none is allowed: allow one with `deskmate serve --folder DIR` and start this server again, or name \
             folders in `DESKMATE_ROOTS`, with {} between them",
            sys::SEPARATORS
        ),
        names => format!(
            "allowed are {}: choose a file there, or name further folders in `DESKMATE_ROOTS`",
            names.join(", ")
        ),
    }
}

impl Roots {
    /// No file at all.
    pub const fn none() -> Roots {
        Roots { folders: Vec::new() }
    }

    /// These folders. A relative one would mean another folder in every process, so it counts for nothing.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Roots {
        Roots { folders: folders.into_iter().filter(|folder| folder.is_absolute()).collect() }
    }

    /// The folders in a list such as `PATH` has one.
    pub fn from_list(list: &OsStr) -> Roots {
        Roots::new(std::env::split_paths(list))
    }

    /// The drives that a path of the person's own is on, as it is written and where it really leads.
    pub fn around(path: &Path) -> Roots {
        let drive = |path: &Path| path.ancestors().last().map(PathBuf::from);
        Roots::new([drive(path), nearest(path).as_deref().and_then(drive)].into_iter().flatten())
    }

    /// Finds where a path really leads, and whether that is under a root. Outside the roots, what exists and what does
    /// not cannot be told apart.
    pub fn resolve(&self, path: &Path) -> Result<Place, ResolveError> {
        if !path.is_absolute() {
            return Err(ResolveError::Relative(path.to_owned()));
        }
        if !sys::may_be_touched(path, &self.folders) {
            return Err(self.outside(path));
        }
        let source = match sys::real_path(path) {
            Ok(real) if self.contain(&real) => return Ok(Place { path: real }),
            Ok(_) => return Err(self.outside(path)),
            Err(source) => source,
        };
        let there = nearest(path);
        if !there.is_some_and(|there| self.contain(&there)) {
            return Err(self.outside(path));
        }
        Err(match source.kind() {
            // No file can have a name with a zero in it, or one that is too long.
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidFilename => ResolveError::NotFound(path.to_owned()),
            _ => ResolveError::Unreachable { path: path.to_owned(), source },
        })
    }

    /// Whether a real path is under a root.
    fn contain(&self, real: &Path) -> bool {
        self.folders.iter().any(|root| sys::real_path(root).is_ok_and(|root| real.starts_with(root)))
    }

    fn outside(&self, path: &Path) -> ResolveError {
        ResolveError::Outside { path: path.to_owned(), roots: self.folders.clone() }
    }
}

/// More links than any operating system follows on one way.
const MOST_LINKS: usize = 40;

/// The real path of the last thing that exists on the way to a path that leads nowhere. A link that leads nowhere counts
/// as what it points to.
fn nearest(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let mut ancestors = path.ancestors().skip(1);
        let (folder, rest) = loop {
            let folder = ancestors.next()?;
            if let Ok(real) = sys::real_path(folder) {
                break (real, path.strip_prefix(folder).ok()?);
            }
        };
        // A name such as `..` behind something that is not there leads nowhere in particular.
        if !rest.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let Some(child) = rest.components().next() else { return Some(folder) };
        match fs::read_link(folder.join(child)) {
            Ok(target) => path = folder.join(target),
            Err(_) => return Some(folder),
        }
    }
    None
}

impl Place {
    /// The real path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What has this name in the folder that is here; it must not be a link.
    pub(crate) fn inside(&self, name: &OsStr) -> Place {
        Place { path: self.path.join(name) }
    }

    /// Another name in the same folder, which must be one name and not lead elsewhere.
    pub(crate) fn in_same_folder(&self, name: &OsStr) -> Option<Place> {
        self.path.parent().map(|folder| Place { path: folder.join(name) })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{ResolveError, Roots};
    use crate::scratch::Scratch;
    use crate::sys::link;

    #[test]
    fn a_file_under_a_root_is_found_by_its_real_path() {
        let scratch = Scratch::new();
        let file = scratch.file("photos/a.jpg", b"a");
        link(&file, scratch.path("link.jpg"));
        link(scratch.path("photos"), scratch.path("also"));
        let roots = Roots::new([scratch.path("")]);
        for name in ["photos/a.jpg", "link.jpg", "also/a.jpg", "photos/../also/./a.jpg"] {
            assert_eq!(roots.resolve(&scratch.path(name)).expect(name).path(), file);
        }
    }

    #[test]
    fn a_root_may_be_a_link_itself() {
        let scratch = Scratch::new();
        let file = scratch.file("real/a.jpg", b"a");
        link(scratch.path("real"), scratch.path("root"));
        let roots = Roots::new([scratch.path("root")]);
        assert_eq!(roots.resolve(&scratch.path("root/a.jpg")).expect("inside").path(), file);
    }

    #[test]
    fn what_leads_out_of_the_roots_is_refused() {
        let scratch = Scratch::new();
        let outside = scratch.file("outside/a.jpg", b"a");
        scratch.file("root/b.jpg", b"b");
        scratch.file("rootless/c.jpg", b"c");
        link(&outside, scratch.path("root/link.jpg"));
        let roots = Roots::new([scratch.path("root")]);
        for name in ["outside/a.jpg", "root/link.jpg", "root/../outside/a.jpg", "rootless/c.jpg"] {
            let refused = roots.resolve(&scratch.path(name));
            assert!(matches!(refused, Err(ResolveError::Outside { .. })), "{name}: {refused:?}");
        }
        let none = Roots::none().resolve(&outside).expect_err("no roots, no files");
        assert!(none.to_string().contains("DESKMATE_ROOTS"), "{none}");
    }

    #[test]
    fn outside_the_roots_nobody_learns_what_exists() {
        let scratch = Scratch::new();
        scratch.file("outside/a.jpg", b"a");
        scratch.file("root/b.jpg", b"b");
        link(scratch.path("outside"), scratch.path("root/folder"));
        link(scratch.path("outside/nothing"), scratch.path("root/dead"));
        link("../outside/nothing/deep", scratch.path("root/relative"));
        link(scratch.path("root/gone"), scratch.path("root/inner"));
        link(scratch.path("root/loop"), scratch.path("root/loop"));
        let roots = Roots::new([scratch.path("root")]);
        for name in [
            "outside/a.jpg",
            "outside/nothing",
            "outside/nothing/deep",
            "outside/a.jpg/deep",
            "root/folder/a.jpg",
            "root/folder/nothing",
            "root/dead",
            "root/relative",
            "root/../outside/nothing",
            "root/nothing/../../outside/nothing",
            "nothing",
        ] {
            let refused = roots.resolve(&scratch.path(name));
            assert!(matches!(refused, Err(ResolveError::Outside { .. })), "{name}: {refused:?}");
        }
        for name in
            ["root/nothing", "root/./nothing/deep", "root/../root/nothing", "root/b.jpg/deep", "root/inner"]
        {
            let refused = roots.resolve(&scratch.path(name));
            assert!(matches!(refused, Err(ResolveError::NotFound(_))), "{name}: {refused:?}");
        }
        assert!(roots.resolve(&scratch.path("root/loop")).is_err());
    }

    #[test]
    fn what_is_not_there_and_what_is_relative_are_told_apart() {
        let scratch = Scratch::new();
        fs::write(scratch.path("file"), "").expect("a file");
        let roots = Roots::from_list(scratch.path("").as_os_str());
        for name in ["nothing.jpg", "file/nothing.jpg"] {
            let refused = roots.resolve(&scratch.path(name));
            assert!(matches!(refused, Err(ResolveError::NotFound(_))), "{name}: {refused:?}");
        }
        assert!(matches!(roots.resolve(Path::new("a.jpg")), Err(ResolveError::Relative(_))));
    }
}
