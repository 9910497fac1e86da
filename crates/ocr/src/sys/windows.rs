//! Windows: the loader would also look in the folder we were started in, which may be anybody's project. So the library is named by its
//! whole path, and what it needs is looked for beside it, beside this program and in the system.
#![expect(unsafe_code, reason = "a library found at run time runs its own code when it is loaded")]

use std::path::PathBuf;

use libloading::os::windows::{
    LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, Library as Dll,
};
use libloading::{Error, Library};

const NAME: &str = "libtesseract-5.dll";

/// Where its installer puts it.
const INSTALLED: &str = r"C:\Program Files\Tesseract-OCR";

/// Loads it.
///
/// # Safety
/// The library runs its initialisers.
pub(crate) unsafe fn load_tesseract() -> Result<Library, Error> {
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    // SAFETY: the caller's promise.
    super::first(paths(), |path| unsafe { Dll::load_with_flags(path, flags) }.map(Library::from))
}

/// Where it may be: where it is installed, beside this program, and in the folders of the Path.
fn paths() -> Vec<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path).collect::<Vec<_>>();
    let folders = [INSTALLED.into()].into_iter().chain(beside).chain(named);
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(NAME)).collect()
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn the_folder_we_were_started_in_is_not_looked_at() {
        let paths = paths();
        assert!(paths.len() > 1, "{paths:?}");
        let here = std::env::current_dir().expect("a folder");
        for path in paths {
            assert!(path.is_absolute() && path.parent() != Some(&here), "{}", path.display());
        }
    }
}
