//! The metadata blocks of one picture, as bytes.

/// The kinds of file that differ in which metadata they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// EXIF, XMP and IPTC.
    Jpeg,
    /// EXIF, XMP and the text chunk `Description`; IPTC only where somebody has already put it.
    Png,
    /// EXIF and XMP.
    Heic,
}

/// The metadata blocks of one picture; the container code takes them out and puts them back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stores {
    /// The TIFF block, from its byte order mark on, without `Exif\0\0`.
    pub exif: Option<Vec<u8>>,
    /// The XMP packet, with its wrapper if it has one.
    pub xmp: Option<Vec<u8>>,
    /// The IPTC-IIM records, the data of Photoshop resource 0x0404.
    pub iim: Option<Vec<u8>>,
    /// The digest of the IPTC-IIM records, the data of Photoshop resource 0x0425.
    pub iim_digest: Option<[u8; 16]>,
    /// The text of the PNG chunk `Description`.
    pub png_description: Option<String>,
}
