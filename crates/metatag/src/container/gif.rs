//! GIF: blocks, one of which may be an application extension with an XMP packet.
//!
//! The packet does not stand in sub-blocks as everything else does. A reader that knows nothing of XMP takes its bytes for
//! the lengths of sub-blocks, and whichever way it goes, the [magic trailer](trailer) behind the packet leads it to the end.

use std::borrow::Cow;
use std::ops::Range;

use super::{FormatError, Piece, Rewritten};
use crate::memory;
use crate::stores::Stores;

const HEADER: usize = 13;
const EXTENSION: u8 = 0x21;
const IMAGE: u8 = 0x2C;
const TRAILER: u8 = 0x3B;
const APPLICATION: u8 = 0xFF;
const GRAPHIC_CONTROL: u8 = 0xF9;
/// The identifier and authentication code of the extension, behind its length.
const XMP: &[u8] = b"\x0BXMP DataXMP";

/// A GIF file taken apart.
#[derive(Debug)]
pub struct Gif<'a> {
    file: &'a [u8],
    /// The extension with the packet, or the empty place for one: behind the extensions that come before any picture.
    place: Range<usize>,
    stores: Stores,
}

pub(super) fn is_gif(file: &[u8]) -> bool {
    file.starts_with(b"GIF87a") || file.starts_with(b"GIF89a")
}

fn damaged(reason: impl Into<String>) -> FormatError {
    FormatError::Damaged { format: "GIF", reason: reason.into() }
}

fn refused(reason: impl Into<String>) -> FormatError {
    FormatError::Unsafe { format: "GIF", reason: reason.into() }
}

impl<'a> Gif<'a> {
    pub(super) fn parse(file: &'a [u8]) -> Result<Gif<'a>, FormatError> {
        let cut_short = || damaged("it ends before its picture does");
        let flags = *file.get(10).ok_or_else(cut_short)?;
        let mut at = HEADER + colours(flags);
        let (mut new_at, mut found, mut has_picture) = (None, None, false);
        // Some writers leave the trailer out.
        while let Some(block) = file.get(at).filter(|block| **block != TRAILER) {
            let start = at;
            match *block {
                EXTENSION => {
                    let label = *file.get(at + 1).ok_or_else(cut_short)?;
                    if label == GRAPHIC_CONTROL {
                        new_at.get_or_insert(start);
                    }
                    let body = at + 2;
                    at = sub_blocks(file, body).ok_or_else(cut_short)?;
                    let is_xmp = label == APPLICATION && file[body..at].starts_with(XMP);
                    if is_xmp && found.replace(start..at).is_some() {
                        return Err(refused("it has more than one XMP packet"));
                    }
                }
                IMAGE => {
                    new_at.get_or_insert(start);
                    has_picture = true;
                    let flags = *file.get(at + 9).ok_or_else(cut_short)?;
                    // The byte before the sub-blocks says how wide the codes of the picture are.
                    at = sub_blocks(file, at + 10 + colours(flags) + 1).ok_or_else(cut_short)?;
                }
                _ => return Err(damaged(format!("no block begins at byte {at}"))),
            }
        }
        if !has_picture {
            return Err(damaged("it has no picture"));
        }
        let mut stores = Stores::default();
        if let Some(extension) = &found {
            let data = &file[extension.start + 2 + XMP.len()..extension.end];
            let packet = data.strip_suffix(trailer().as_slice());
            stores.xmp = Some(packet.ok_or_else(|| refused("its XMP has no end that we know"))?.to_vec());
        }
        let new_at = new_at.unwrap_or(at);
        Ok(Gif { file, place: found.unwrap_or(new_at..new_at), stores })
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Everything before and behind the packet. Only the version in the header may change.
    pub(super) fn foreign(&self) -> Vec<Piece<'a>> {
        let piece = |what: &str, bytes: &'a [u8]| Piece { what: what.into(), bytes: Cow::Borrowed(bytes) };
        let mut before = piece("what comes before the XMP", &self.file[6..self.place.start]);
        before.bytes.to_mut().extend_from_slice(&self.file[self.place.end..]);
        vec![before]
    }

    pub(super) fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        // There is no place for others.
        let stores = Stores { xmp: stores.xmp.clone(), ..Stores::default() };
        if stores == self.stores {
            return Ok(Rewritten { bytes: self.file.to_vec(), stores, notes: Vec::new() });
        }
        let mut parts: Vec<Cow<'_, [u8]>> = Vec::new();
        // The older version has no extensions.
        parts.push(Cow::Borrowed(if stores.xmp.is_some() { b"GIF89a" } else { &self.file[..6] }));
        parts.push(Cow::Borrowed(&self.file[6..self.place.start]));
        if let Some(packet) = &stores.xmp {
            if packet.contains(&0) {
                return Err(refused("its XMP would have a zero in it, which ends a block of GIF"));
            }
            parts.push(Cow::Borrowed(&[EXTENSION, APPLICATION]));
            parts.push(Cow::Borrowed(XMP));
            parts.push(Cow::Borrowed(packet));
            parts.push(Cow::Owned(trailer()));
        }
        parts.push(Cow::Borrowed(&self.file[self.place.end..]));
        Ok(Rewritten { bytes: memory::join(&parts), stores, notes: Vec::new() })
    }
}

/// How many bytes the table of colours takes that a byte of flags announces.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Where the sub-blocks end that begin here.
fn sub_blocks(file: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*file.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

/// A one, all bytes from 255 down to 0, and the end. Each byte, taken for a length, leads to the end.
fn trailer() -> Vec<u8> {
    [1].into_iter().chain((0..=255).rev()).chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{FormatError, Picture};
    use super::{Gif, trailer};
    use crate::stores::{Container, Stores};

    /// One pixel, as in every list of smallest files, with a loop before it.
    const PICTURE: &[u8] =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0\
        \x21\xf9\x04\0\0\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3b";

    fn with(packet: Option<&[u8]>) -> Stores {
        Stores { xmp: packet.map(<[u8]>::to_vec), ..Stores::default() }
    }

    #[test]
    fn a_packet_is_written_found_and_removed() {
        let old = Picture::parse(PICTURE).expect("a picture");
        assert_eq!((old.container(), old.stores()), (Container::Gif, &Stores::default()));
        let new = old.rewrite(&with(Some(b"<x:xmpmeta/>"))).expect("rewritten").bytes;
        let extension = [b"\x21\xff\x0bXMP DataXMP<x:xmpmeta/>".as_slice(), &trailer()].concat();
        let at = PICTURE.windows(2).position(|two| two == b"\x21\xf9").expect("a control block");
        assert_eq!(new, [&PICTURE[..at], &extension, &PICTURE[at..]].concat());
        let read = Picture::parse(&new).expect("a picture");
        assert_eq!(read.stores(), &with(Some(b"<x:xmpmeta/>")));
        assert_eq!(read.foreign(), old.foreign());
        assert_eq!(read.rewrite(&Stores::default()).expect("rewritten").bytes, PICTURE);
        let other = read.rewrite(&with(Some(&[b'x'; 5000]))).expect("rewritten").bytes;
        assert_eq!(Picture::parse(&other).expect("a picture").stores(), &with(Some(&[b'x'; 5000])));
        assert!(matches!(read.rewrite(&with(Some(b"a\0b"))), Err(FormatError::Unsafe { .. })));
    }

    #[test]
    fn the_older_version_becomes_the_newer_one() {
        let older = [b"GIF87a", &PICTURE[6..]].concat();
        let old = Picture::parse(&older).expect("a picture");
        let new = old.rewrite(&with(Some(b"<x/>"))).expect("rewritten").bytes;
        assert!(new.starts_with(b"GIF89a"));
        assert_eq!(Picture::parse(&new).expect("a picture").foreign(), old.foreign());
    }

    #[test]
    fn damage_is_refused_and_what_follows_the_trailer_is_kept() {
        for length in 0..PICTURE.len() - 1 {
            let _ = Gif::parse(&PICTURE[..length]).expect_err("cut short");
        }
        let without_trailer = &PICTURE[..PICTURE.len() - 1];
        Gif::parse(without_trailer).expect("some writers leave it out");
        let longer = [PICTURE, b"more"].concat();
        let picture = Picture::parse(&longer).expect("a picture");
        assert!(picture.rewrite(&with(Some(b"<x/>"))).expect("rewritten").bytes.ends_with(b"\x3bmore"));
        let twice = [&PICTURE[..19], &b"\x21\xff\x0bXMP DataXMP\0".repeat(2), &PICTURE[19..]].concat();
        assert!(matches!(Gif::parse(&twice), Err(FormatError::Unsafe { .. })));
    }
}
