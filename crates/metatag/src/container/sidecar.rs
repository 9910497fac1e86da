//! Sidecars: XMP in a file of its own, beside raw pictures and videos, which are never touched.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::Rewritten;
use crate::stores::Stores;

/// How many bytes of a file decide whether it is what its name says.
pub const HEAD: usize = 32;

/// How the content of a kind of file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// TIFF, in which the maker keeps places that nobody else knows.
    Tiff,
    /// TIFF with the mark of Canon.
    Canon,
    /// Canon's format from before that.
    OldCanon,
    /// TIFF with a number of Olympus' own.
    Olympus,
    /// TIFF with a number of Panasonic's own.
    Panasonic,
    Fujifilm,
    Sigma,
    Minolta,
    /// A picture in a format that has no place for metadata.
    Bitmap,
    /// The boxes of MP4 and `QuickTime`, and of Canon's newest format.
    Boxes,
    Matroska,
    Avi,
    /// A stream of packets, perhaps each with its time before it.
    Transport,
    Mpeg,
    WindowsMedia,
}

/// The names that raw pictures and videos have, and what is in them.
const KINDS: [(&str, Content); 49] = [
    ("3fr", Content::Tiff),
    ("3g2", Content::Boxes),
    ("3gp", Content::Boxes),
    ("arw", Content::Tiff),
    ("asf", Content::WindowsMedia),
    ("avi", Content::Avi),
    ("bmp", Content::Bitmap),
    ("cr2", Content::Canon),
    ("cr3", Content::Boxes),
    ("crm", Content::Boxes),
    ("crw", Content::OldCanon),
    ("dcr", Content::Tiff),
    ("erf", Content::Tiff),
    ("fff", Content::Tiff),
    ("iiq", Content::Tiff),
    ("insv", Content::Boxes),
    ("k25", Content::Tiff),
    ("kdc", Content::Tiff),
    ("m2t", Content::Transport),
    ("m2ts", Content::Transport),
    ("m4v", Content::Boxes),
    ("mef", Content::Tiff),
    ("mkv", Content::Matroska),
    ("mos", Content::Tiff),
    ("mov", Content::Boxes),
    ("mp4", Content::Boxes),
    ("mpeg", Content::Mpeg),
    ("mpg", Content::Mpeg),
    ("mrw", Content::Minolta),
    ("mts", Content::Transport),
    ("nef", Content::Tiff),
    ("nrw", Content::Tiff),
    ("orf", Content::Olympus),
    ("ori", Content::Olympus),
    ("pef", Content::Tiff),
    ("qt", Content::Boxes),
    ("raf", Content::Fujifilm),
    ("raw", Content::Panasonic),
    ("rw2", Content::Panasonic),
    ("rwl", Content::Panasonic),
    ("sr2", Content::Tiff),
    ("srf", Content::Tiff),
    ("srw", Content::Tiff),
    ("ts", Content::Transport),
    ("vob", Content::Mpeg),
    ("webm", Content::Matroska),
    ("wmv", Content::WindowsMedia),
    ("x3f", Content::Sigma),
    ("xavc", Content::Boxes),
];

impl Content {
    fn begins(self, head: &[u8]) -> bool {
        let at = |at: usize, expected: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(expected));
        let any = |starts: &[&[u8]]| starts.iter().any(|start| head.starts_with(start));
        match self {
            Content::Tiff => any(&[b"II*\0", b"MM\0*"]),
            Content::Canon => any(&[b"II*\0", b"MM\0*"]) && at(8, b"CR"),
            Content::OldCanon => at(6, b"HEAPCCDR"),
            Content::Olympus => any(&[b"IIRO", b"IIRS", b"MMOR", b"II*\0"]),
            Content::Panasonic => any(&[b"IIU\0", b"II*\0"]),
            Content::Fujifilm => at(0, b"FUJIFILMCCD-RAW"),
            Content::Sigma => at(0, b"FOVb"),
            Content::Minolta => at(0, b"\0MRM"),
            Content::Bitmap => at(0, b"BM"),
            Content::Boxes => [b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"]
                .iter()
                .any(|kind| at(4, *kind)),
            Content::Matroska => at(0, b"\x1A\x45\xDF\xA3"),
            Content::Avi => at(0, b"RIFF") && at(8, b"AVI "),
            Content::Transport => at(0, b"G") || at(4, b"G"),
            Content::Mpeg => any(&[b"\0\0\x01\xBA", b"\0\0\x01\xB3"]),
            Content::WindowsMedia => at(0, b"\x30\x26\xB2\x75\x8E\x66\xCF\x11"),
        }
    }
}

/// Whether files with this extension may be such.
pub(crate) fn is_known(extension: &str) -> bool {
    KINDS.iter().any(|(name, _)| extension.eq_ignore_ascii_case(name))
}

/// Whether the metadata of a file belongs beside it: by its name, and by its first bytes.
pub fn is_kept_beside(path: &Path, head: &[u8]) -> bool {
    let Some(extension) = path.extension().and_then(OsStr::to_str) else { return false };
    KINDS.iter().any(|(name, content)| extension.eq_ignore_ascii_case(name) && content.begins(head))
}

/// Whether a file is called a sidecar itself.
pub(crate) fn is_xmp(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| extension.eq_ignore_ascii_case("xmp"))
}

/// Whether a file begins like XML, in any character set.
pub(crate) fn begins_like_xmp(file: &[u8]) -> bool {
    let marks: [&[u8]; 4] = [b"\xEF\xBB\xBF", b"\xFE\xFF", b"\xFF\xFE", b""];
    let rest = marks.iter().find_map(|mark| file.strip_prefix(*mark)).unwrap_or(file);
    let first = rest.iter().find(|byte| **byte != 0 && !byte.is_ascii_whitespace());
    first == Some(&b'<')
}

/// The names a sidecar can have, the one that a new one gets first: with the whole name of the file, as darktable and
/// digiKam do it, or in place of its extension, as Lightroom does.
pub fn names(path: &Path) -> Vec<OsString> {
    let with = |name: Option<&OsStr>, extension: &str| {
        let mut name = name?.to_owned();
        name.push(extension);
        Some(name)
    };
    let (whole, stem) = (path.file_name(), path.file_stem());
    [(whole, ".xmp"), (whole, ".XMP"), (stem, ".xmp"), (stem, ".XMP")]
        .into_iter()
        .filter_map(|(name, extension)| with(name, extension))
        .collect()
}

/// A sidecar; an empty one is one that is not there yet.
#[derive(Debug)]
pub struct Sidecar {
    stores: Stores,
}

impl Sidecar {
    pub(super) fn new(file: &[u8]) -> Sidecar {
        let xmp = Some(file.to_vec()).filter(|packet| !packet.is_empty());
        Sidecar { stores: Stores { xmp, ..Stores::default() } }
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    pub(super) fn rewrite(stores: &Stores) -> Rewritten {
        let stores = Stores { xmp: stores.xmp.clone(), ..Stores::default() };
        let bytes = stores.xmp.clone().unwrap_or_default();
        Rewritten { bytes, stores, notes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_content_must_agree() {
        let kept = |name: &str, head: &[u8]| is_kept_beside(Path::new(name), head);
        assert!(kept("/a/b.NEF", b"MM\0*\0\0\0\x08"));
        assert!(kept("b.cr2", b"II*\0\x10\0\0\0CR\x02\0"));
        assert!(kept("b.cr3", b"\0\0\0\x18ftypcrx "));
        assert!(kept("b.mov", b"\0\0\0\x14ftypqt  "));
        assert!(kept("b.mp4", b"\0\0\0\x20ftypisom"));
        assert!(kept("b.raf", b"FUJIFILMCCD-RAW 0201"));
        assert!(kept("b.mts", b"\0\0\0\0G@"));
        assert!(!kept("b.cr2", b"\xff\xd8\xff\xe1"), "a JPEG that is called raw is a JPEG");
        assert!(!kept("b.mov", b"some text, nothing else"));
        assert!(!kept("b.dng", b"II*\0\x08\0\0\0"), "a DNG holds its metadata itself");
        assert!(!kept("b.heic", b"\0\0\0\x18ftypheic"));
        assert!(!kept("b.gif", b"GIF89a"));
        assert!(kept("b.bmp", b"BM\x46\0\0\0"));
        assert!(!kept("b", b"II*\0"));
        assert!(!kept("b.nef", b""));
        assert!(KINDS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn a_sidecar_has_one_of_two_names() {
        assert_eq!(names(Path::new("/p/a.b.CR2")), ["a.b.CR2.xmp", "a.b.CR2.XMP", "a.b.xmp", "a.b.XMP"]);
    }
}
