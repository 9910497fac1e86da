//! A store of `pass`: a folder of files, each encrypted by gpg; or of `passage`, by age.
//!
//! The first line of an entry is the secret. A line with `otpauth://` becomes `NAME/totp`, and what else there is
//! `NAME/notes`, so nothing is lost.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::age::{self, Opener};
use super::{Found, ImportError, program};
use crate::keys::Identity;

/// No store is deeper or larger; a folder that is, is something else.
const DEEPEST: usize = 16;
const MOST: usize = 100_000;

/// Reads a store. Entries that end in `.age` need the identity.
pub fn read(folder: &Path, identity: Option<&Identity>) -> Result<Vec<Found>, ImportError> {
    let mut files = Vec::new();
    collect(folder, 0, &mut files)?;
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
        let plain = decrypt(&path, identity)?;
        split(&name.to_string_lossy(), &plain, &mut found)?;
    }
    Ok(found)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let failed = |source| ImportError::Read { path: folder.to_owned(), source };
    let unfit =
        |reason: &str| ImportError::Format { expected: "a password store", reason: reason.to_owned() };
    if depth > DEEPEST {
        return Err(unfit("its folders are too deep"));
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let encrypted = path.extension().is_some_and(|end| end == "gpg" || end == "age");
        // Links are left alone: they could lead in circles, or out of the store.
        if kind.is_dir() && !hidden {
            collect(&path, depth + 1, files)?;
        } else if kind.is_file() && encrypted && !hidden {
            files.push(path);
        }
        if files.len() > MOST {
            return Err(unfit("it has too many entries"));
        }
    }
    Ok(())
}

fn decrypt(path: &Path, identity: Option<&Identity>) -> Result<Zeroizing<Vec<u8>>, ImportError> {
    if path.extension().is_some_and(|end| end == "age") {
        let file = fs::read(path).map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
        let identity = identity.ok_or_else(|| ImportError::Format {
            expected: "a store that opens without a key",
            reason: "its entries are age files; give their identity with `--old-keyfile`".to_owned(),
        })?;
        return Ok(age::open(&file, &Opener::Identity(identity))?);
    }
    let options = ["--quiet", "--yes", "--decrypt", "--"].map(OsStr::new);
    let arguments = [options.as_slice(), &[path.as_os_str()]].concat();
    Ok(program::decrypt("gpg", &arguments, &path.to_string_lossy())?)
}

/// The parts of an entry, each a secret of its own.
fn split(name: &str, plain: &[u8], found: &mut Vec<Found>) -> Result<(), ImportError> {
    let Ok(text) = std::str::from_utf8(plain) else {
        found.push(Found::new(name, plain.to_vec())?);
        return Ok(());
    };
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    found.push(Found::new(name, first.trim_end_matches('\r').as_bytes().to_vec())?);
    let mut notes = Zeroizing::new(String::with_capacity(rest.len() + 1));
    for line in rest.lines() {
        if line.starts_with("otpauth://") {
            found.push(Found::new(format!("{name}/totp"), line.as_bytes().to_vec())?);
        } else {
            notes.push_str(line);
            notes.push('\n');
        }
    }
    let notes = notes.trim();
    if !notes.is_empty() {
        found.push(Found::new(format!("{name}/notes"), notes.as_bytes().to_vec())?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn an_entry_is_its_first_line_and_the_rest_is_kept() {
        let mut found = Vec::new();
        split("web/shop", b"hunter2\nlogin: ada\notpauth://totp/x?secret=A\nurl: shop\n", &mut found)
            .expect("short");
        split("key", b"only", &mut found).expect("short");
        let parts: Vec<(&str, &str)> =
            found.iter().map(|each| (each.name.as_str(), each.value.as_text().expect("text"))).collect();
        assert_eq!(
            parts,
            [
                ("web/shop", "hunter2"),
                ("web/shop/totp", "otpauth://totp/x?secret=A"),
                ("web/shop/notes", "login: ada\nurl: shop"),
                ("key", "only"),
            ]
        );
    }
}
