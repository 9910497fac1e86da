//! Recipes for elsewhere: schema.org JSON-LD, Cooklang, and the portable archive, which either engine restores.

mod archive;
mod cooklang;
mod json_ld;

pub use archive::{
    Archive, NoArchive, read as read_archive, read_from_disk as read_archive_from_disk,
    write as write_archive, write_blocking as write_archive_blocking,
};
pub use cooklang::cooklang;
pub use json_ld::json_ld;
