//! What stands where a recipe has no photo: a quiet drawing, always the same one for the same title.

use askama::Template;
use sha2::{Digest, Sha256};

/// A drawing in place of a photo.
#[derive(Template)]
#[template(path = "placeholder.html")]
pub(crate) struct Placeholder {
    tint: u8,
    motif: u8,
}

impl Placeholder {
    /// The drawing for a title.
    pub(crate) fn of(title: &str) -> Placeholder {
        let hash = Sha256::digest(title.as_bytes());
        Placeholder { tint: hash[0] % 6, motif: hash[1] % 6 }
    }
}
