//! The files of the repository: those git knows and those it would add.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A file, by its path from the root, always with `/`.
pub(crate) struct File {
    pub(crate) path: String,
    bytes: Vec<u8>,
}

impl File {
    pub(crate) fn example(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    /// The text, unless the file is binary.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }

    pub(crate) fn extension(&self) -> Option<&str> {
        Path::new(&self.path).extension()?.to_str()
    }

    /// The file name without its extension.
    pub(crate) fn stem(&self) -> Option<&str> {
        Path::new(&self.path).file_stem()?.to_str()
    }

    pub(crate) fn lines(&self) -> usize {
        self.text().map_or(0, |text| text.lines().count())
    }
}

pub(crate) fn root() -> PathBuf {
    // Cargo says at run time where the crate is. What it said at build time may be another checkout that shares the
    // target folder.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let crates = Path::new(&here).parent();
    crates.and_then(Path::parent).expect("this crate lives in crates/tidy of the repository").to_owned()
}

pub(crate) fn files() -> &'static [File] {
    static FILES: LazyLock<Vec<File>> = LazyLock::new(list);
    &FILES
}

/// Where packages are that ship, or that check those.
const FOLDERS: [&str; 2] = ["crates/", "programs/"];

/// The folders of packages, such as `crates/mcp`.
pub(crate) fn package_folders(files: &[File]) -> Vec<&str> {
    let folder = |path: &str| FOLDERS.iter().any(|folder| path.starts_with(folder));
    let mut folders: Vec<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_suffix("/Cargo.toml"))
        .filter(|path| folder(path))
        .collect();
    folders.sort_unstable();
    folders
}

/// The folder of the package of this name: a program's need not be called like it.
pub(crate) fn folder_of<'a>(package: &str, files: &'a [File]) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let is_named = |folder: &&str| {
        let manifest = format!("{folder}/Cargo.toml");
        let text = files.iter().find(|file| file.path == manifest).and_then(File::text);
        // The first name in a manifest is that of the package.
        text.and_then(|text| text.lines().find(|line| line.starts_with("name"))) == Some(name.as_str())
    };
    package_folders(files).into_iter().find(is_named)
}

fn list() -> Vec<File> {
    let output = Command::new("git")
        // A checkout may belong to another user than the one who runs the checks.
        .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("`git` must be installed: the checks look at the files it knows");
    assert!(
        output.status.success(),
        "`git ls-files` failed, and the checks look at the files it lists; run them in a git checkout: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let paths = String::from_utf8(output.stdout).expect("file names in this repository are UTF-8");
    // A file that git knows and that has just been deleted is not there to be checked.
    let read = |path: &str| {
        let bytes = std::fs::read(root().join(path)).ok()?;
        Some(File { path: path.to_owned(), bytes })
    };
    paths.split_terminator('\0').filter_map(read).collect()
}

#[test]
fn the_repository_is_found() {
    assert!(files().iter().any(|file| file.path == "Cargo.toml"));
    for folder in ["crates/tidy", "programs/deskmate"] {
        assert!(package_folders(files()).contains(&folder), "{folder}");
    }
}

#[test]
fn a_package_is_found_by_its_name_and_not_by_its_folder() {
    let files = [
        File::example("crates/authy/Cargo.toml", "[package]\nname = \"authy\"\n"),
        File::example(
            "programs/authy/Cargo.toml",
            "[package]\nname = \"authy-cli\"\n\n[[bin]]\nname = \"authy\"\n",
        ),
        File::example("fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n"),
    ];
    assert_eq!(folder_of("authy", &files), Some("crates/authy"));
    assert_eq!(folder_of("authy-cli", &files), Some("programs/authy"));
    assert_eq!(folder_of("fuzz", &files), None);
}
