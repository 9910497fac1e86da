//! Unix: the loader knows where libraries are.
#![expect(unsafe_code, reason = "a library found at run time runs its own code when it is loaded")]

use libloading::{Error, Library};

/// Loads it.
///
/// # Safety
/// The library runs its initialisers.
pub(crate) unsafe fn load_tesseract() -> Result<Library, Error> {
    let names: &[&str] = match std::env::consts::OS {
        "macos" => &[
            "libtesseract.5.dylib",
            "/opt/homebrew/lib/libtesseract.dylib",
            "/usr/local/lib/libtesseract.dylib",
        ],
        _ => &["libtesseract.so.5", "libtesseract.so.4"],
    };
    // SAFETY: the caller's promise.
    super::first(names, |name| unsafe { Library::new(name) })
}
