//! The metadata blocks of one picture, as bytes.

use std::fmt;

use crate::container::jpeg;
use crate::exif;

/// No block of metadata of a picture is longer, whatever its container could hold.
pub(crate) const LONGEST_BLOCK: usize = 16 << 20;

/// The kinds of file that differ in which metadata they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// EXIF, XMP and IPTC.
    Jpeg,
    /// EXIF, XMP and the text chunk `Description`; IPTC only where somebody has already put it.
    Png,
    /// EXIF and XMP.
    Heic,
    /// EXIF and XMP.
    Avif,
    /// EXIF and XMP.
    Webp,
    /// XMP.
    Gif,
    /// XMP and a description among the tags of the picture itself; IPTC only where somebody has already put it.
    Tiff,
    /// XMP in a file of its own, beside one that is never touched.
    Sidecar,
}

impl Container {
    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Container::Jpeg => "JPEG",
            Container::Png => "PNG",
            Container::Heic => "HEIC",
            Container::Avif => "AVIF",
            Container::Webp => "WebP",
            Container::Gif => "GIF",
            Container::Tiff => "TIFF",
            Container::Sidecar => "XMP",
        }
    }

    /// How much of each block it can hold.
    pub(crate) const fn capacity(self) -> Capacity {
        match self {
            Container::Jpeg => jpeg::CAPACITY,
            // A file of its own needs no room for the next change.
            Container::Sidecar => Capacity { padded_xmp: 0, ..Capacity::UNBOUNDED },
            Container::Png
            | Container::Heic
            | Container::Avif
            | Container::Webp
            | Container::Gif
            | Container::Tiff => Capacity::UNBOUNDED,
        }
    }

    /// Whether a description has a place outside XMP and IPTC.
    pub(crate) const fn holds_exif(self) -> bool {
        match self {
            Container::Jpeg
            | Container::Png
            | Container::Heic
            | Container::Avif
            | Container::Webp
            | Container::Tiff => true,
            Container::Gif | Container::Sidecar => false,
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many bytes of each metadata block a container can hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capacity {
    /// The TIFF block, without `Exif\0\0`.
    pub(crate) exif: usize,
    /// The XMP packet.
    pub(crate) xmp: usize,
    /// How long a packet may become by padding.
    pub(crate) padded_xmp: usize,
}

impl Capacity {
    const UNBOUNDED: Capacity = Capacity { exif: usize::MAX, xmp: usize::MAX, padded_xmp: usize::MAX };
}

/// All that belongs to IPTC: the records, further ones, and the digest.
pub(crate) type Iptc<'s> = (Option<&'s [u8]>, &'s [Vec<u8>], Option<Digest>);

/// The MD5 of IPTC-IIM records.
pub(crate) type Digest = [u8; 16];

/// The metadata blocks of one picture; the container code takes them out and puts them back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stores {
    /// The EXIF block, from its byte order mark on, without `Exif\0\0`.
    pub exif: Option<Vec<u8>>,
    /// Our tags of a TIFF file, which has no EXIF block: they stand among its own.
    pub tiff: Option<exif::Tags>,
    /// The XMP packet, with its wrapper if it has one.
    pub xmp: Option<Vec<u8>>,
    /// Further XMP packets, of which a file should have none. Some readers show the first, others the last.
    pub further_xmp: Vec<Vec<u8>>,
    /// The packet of a JPEG that continues the first one, which names it.
    pub extended_xmp: Option<Vec<u8>>,
    /// The IPTC-IIM records, the data of Photoshop resource 0x0404.
    pub iim: Option<Vec<u8>>,
    /// Further blocks of IPTC-IIM records, of which a file should have none.
    pub further_iim: Vec<Vec<u8>>,
    /// The digest of the IPTC-IIM records, the data of Photoshop resource 0x0425.
    pub iim_digest: Option<[u8; 16]>,
    /// The text of the PNG chunk `Description`.
    pub png_description: Option<String>,
}

impl Stores {
    /// All that belongs to IPTC, for comparing.
    pub(crate) fn iptc(&self) -> Iptc<'_> {
        (self.iim.as_deref(), &self.further_iim, self.iim_digest)
    }
}
