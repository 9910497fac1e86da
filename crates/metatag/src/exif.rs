//! EXIF: the TIFF block of a picture, patched without moving anything in it.

/// Why an EXIF block cannot be read or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExifError {
    /// It does not begin like a TIFF block.
    #[error("the EXIF block has no TIFF header")]
    NoHeader,
    /// Its first directory does not fit into it.
    #[error("the first directory of the EXIF block is damaged")]
    DamagedDirectory,
    /// It is larger than any real block, or would be.
    #[error("the EXIF block is too large")]
    TooLarge,
}
