//! The languages that text in pictures can be read in.

use std::path::Path;

use ocr::Reader;

use super::check::Check;

/// How many codes are listed by name.
const LISTED: usize = 12;

pub(super) fn look() -> Vec<Check> {
    if let Some(folder) = super::set("TESSDATA_PREFIX")
        && !Path::new(&folder).is_dir()
    {
        let found = format!("`TESSDATA_PREFIX` is not a folder: `{}`", Path::new(&folder).display());
        return vec![Check::problem(
            "OCR",
            found,
            "set it to the folder with the `.traineddata` files, or unset it",
        )];
    }
    let codes = Reader::new().languages();
    let listed = codes.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = codes.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![Check::ok("OCR", format!("reads {listed}{more}"))]
}
