//! Which build this is: its version, the commit it was made from, and the package it came in.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Set where packages are built.
const COMMIT: Option<&str> = option_env!("DESKMATE_COMMIT");

/// Where a package says what kind it is, seen from the folder of the program. The programs in all packages are the same.
const MARK: &str = "../share/deskmate/package";

/// A mark is one short word.
const LONGEST_MARK: u64 = 32;

/// This build in a few words: `0.1.0 (commit 1a2b3c4, deb)`.
pub fn describe() -> String {
    let program = std::env::current_exe().ok();
    let kind = program.as_deref().and_then(Path::parent).and_then(kind);
    words(env!("CARGO_PKG_VERSION"), COMMIT, kind.as_deref())
}

fn words(version: &str, commit: Option<&str>, kind: Option<&str>) -> String {
    let kind = kind.unwrap_or("built from source");
    match commit {
        Some(commit) => format!("{version} (commit {commit}, {kind})"),
        None => format!("{version} ({kind})"),
    }
}

/// The kind of package that a program in this folder came in.
fn kind(folder: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(folder.join(MARK)).ok()?.take(LONGEST_MARK).read_to_string(&mut text).ok()?;
    let kind = text.trim_end();
    let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcp_testkit::Folder;

    use super::{kind, words};

    #[test]
    fn a_build_names_its_commit_and_its_package() {
        assert_eq!(words("0.1.0", Some("1a2b3c4"), Some("deb")), "0.1.0 (commit 1a2b3c4, deb)");
        assert_eq!(words("0.1.0", None, None), "0.1.0 (built from source)");
    }

    #[test]
    fn a_mark_is_one_short_word() {
        let folder = Folder::new();
        let bin = folder.path("bin");
        fs::create_dir_all(&bin).expect("a folder");
        assert_eq!(kind(&bin), None);
        fs::create_dir_all(folder.path("share/deskmate")).expect("a folder");
        for (text, expected) in [
            ("deb\n", Some("deb")),
            ("AppImage", Some("AppImage")),
            ("", None),
            ("a b", None),
            ("\u{1b}[1m", None),
        ] {
            folder.file("share/deskmate/package", text.as_bytes());
            assert_eq!(kind(&bin).as_deref(), expected, "{text:?}");
        }
        folder.file("share/deskmate/package", &[0xff; 100]);
        assert_eq!(kind(&bin), None);
    }
}
