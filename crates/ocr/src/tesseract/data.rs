//! Where Tesseract's language data is.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where packages put it, if `TESSDATA_PREFIX` does not say.
const FOLDERS: &[&str] = &[
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    r"C:\Program Files\Tesseract-OCR\tessdata",
];

const ENDING: &str = "traineddata";

/// A folder of language data.
pub(super) struct Data {
    folder: PathBuf,
}

impl Data {
    /// The folder that is used, whether it exists or not.
    pub(super) fn find() -> Self {
        let chosen = env::var_os("TESSDATA_PREFIX").filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || FOLDERS.iter().map(PathBuf::from).find(|folder| folder.is_dir());
        Self { folder: chosen.or_else(usual).unwrap_or_else(|| PathBuf::from(FOLDERS[0])) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The codes of the languages in it, in order; none if it cannot be read.
    pub(super) fn languages(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut codes: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            // Orientation and equations are data too, but no languages.
            .filter(|code| code != "osd" && code != "equ")
            .collect();
        codes.sort_unstable();
        codes
    }
}
