//! Recipes for elsewhere: schema.org JSON-LD, Cooklang, and the portable archive, which either engine restores.

mod archive;
mod cooklang;
mod json_ld;

pub use archive::{NoArchive, read as read_archive, write as write_archive};
pub use cooklang::cooklang;
pub use json_ld::json_ld;
