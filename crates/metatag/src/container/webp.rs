//! WebP: chunks of RIFF. A picture of the simple kind gets the header that says which metadata there is.

use std::borrow::Cow;

use super::{FormatError, Piece, Rewritten};
use crate::bytes::{u16_le, u32_le};
use crate::model::Note;
use crate::stores::Stores;

const HEADER: usize = 12;
const VP8X: &[u8; 4] = b"VP8X";
const EXIF: &[u8; 4] = b"EXIF";
const XMP: &[u8; 4] = b"XMP ";
/// Signed provenance (C2PA).
const PROVENANCE: &[u8; 4] = b"C2PA";
/// Some writers put this before the TIFF block, although it belongs to JPEG.
const EXIF_HEADER: &[u8] = b"Exif\0\0";

/// More chunks than any picture has, animations included; each costs memory besides its bytes.
const MOST_CHUNKS: usize = 1 << 16;

/// What the first byte of the header says there is.
const HAS_ALPHA: u8 = 0x10;
const HAS_EXIF: u8 = 0x08;
const HAS_XMP: u8 = 0x04;

/// A WebP file taken apart.
#[derive(Debug)]
pub struct Webp<'a> {
    file: &'a [u8],
    chunks: Vec<Chunk<'a>>,
    /// What follows the chunks.
    tail: &'a [u8],
    /// The header, or the one that the file would have: what it says without the two bits of our metadata.
    header: [u8; 10],
    stores: Stores,
}

#[derive(Debug)]
struct Chunk<'a> {
    kind: [u8; 4],
    role: Role,
    data: &'a [u8],
}

impl Chunk<'_> {
    fn is_picture(&self) -> bool {
        matches!(&self.kind, b"VP8 " | b"VP8L" | b"ANMF")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Header,
    Exif,
    Xmp,
    Foreign,
}

pub(super) fn is_webp(file: &[u8]) -> bool {
    file.starts_with(b"RIFF") && file.get(8..HEADER) == Some(b"WEBP")
}

fn damaged(reason: impl Into<String>) -> FormatError {
    FormatError::Damaged { format: "WebP", reason: reason.into() }
}

impl<'a> Webp<'a> {
    pub(super) fn parse(file: &'a [u8]) -> Result<Webp<'a>, FormatError> {
        let (chunks, tail) = chunks(file)?;
        if !chunks.iter().any(Chunk::is_picture) {
            return Err(damaged("it has no picture"));
        }
        let header = header(&chunks)?;
        let mut webp = Webp { file, chunks, tail, header, stores: Stores::default() };
        for chunk in &mut webp.chunks {
            if &chunk.kind == EXIF && webp.stores.exif.is_none() {
                let block = chunk.data.strip_prefix(EXIF_HEADER).unwrap_or(chunk.data);
                webp.stores.exif = Some(block.to_vec());
                chunk.role = Role::Exif;
            } else if &chunk.kind == XMP && webp.stores.xmp.is_none() {
                webp.stores.xmp = Some(chunk.data.to_vec());
                chunk.role = Role::Xmp;
            }
        }
        Ok(webp)
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Every chunk of others, what the header says about the picture, and what follows.
    pub(super) fn foreign(&self) -> Vec<Piece<'a>> {
        let mut pieces = vec![Piece { what: "header".into(), bytes: Cow::Owned(self.header.to_vec()) }];
        for chunk in self.chunks.iter().filter(|chunk| chunk.role == Role::Foreign) {
            let what = format!("chunk {}", String::from_utf8_lossy(&chunk.kind));
            pieces.push(Piece { what, bytes: Cow::Borrowed(chunk.data) });
        }
        pieces.push(Piece { what: "trailer".into(), bytes: Cow::Borrowed(self.tail) });
        pieces
    }

    pub(super) fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        // There is no place for others.
        let stores = Stores { exif: stores.exif.clone(), xmp: stores.xmp.clone(), ..Stores::default() };
        let is_signed = self.chunks.iter().any(|chunk| &chunk.kind == PROVENANCE);
        let notes = is_signed.then_some(Note::Provenance).into_iter().collect();
        if stores == self.stores {
            return Ok(Rewritten { bytes: self.file.to_vec(), stores, notes });
        }
        let bytes = self.build(&stores).ok_or_else(|| FormatError::Unsafe {
            format: "WebP",
            reason: "its metadata would be too long".into(),
        })?;
        Ok(Rewritten { bytes, stores, notes })
    }

    /// The file with other metadata: each block in its old place, or else behind the picture, EXIF first.
    fn build(&self, stores: &Stores) -> Option<Vec<u8>> {
        let mut body = b"WEBP".to_vec();
        if stores.exif.is_some() || stores.xmp.is_some() || self.has(Role::Header) {
            push(&mut body, *VP8X, &self.header_with(stores))?;
        }
        let picture_end = self.chunks.iter().rposition(Chunk::is_picture);
        let exif_end = self.chunks.iter().position(|chunk| chunk.role == Role::Exif);
        for (at, chunk) in self.chunks.iter().enumerate() {
            match chunk.role {
                Role::Header => {}
                Role::Exif => push_some(&mut body, *EXIF, stores.exif.as_deref())?,
                Role::Xmp => push_some(&mut body, *XMP, stores.xmp.as_deref())?,
                Role::Foreign => push(&mut body, chunk.kind, chunk.data)?,
            }
            if picture_end == Some(at) && !self.has(Role::Exif) {
                push_some(&mut body, *EXIF, stores.exif.as_deref())?;
            }
            if picture_end.max(exif_end) == Some(at) && !self.has(Role::Xmp) {
                push_some(&mut body, *XMP, stores.xmp.as_deref())?;
            }
        }
        let length = u32::try_from(body.len()).ok()?;
        Some([b"RIFF", length.to_le_bytes().as_slice(), &body, self.tail].concat())
    }

    fn has(&self, role: Role) -> bool {
        self.chunks.iter().any(|chunk| chunk.role == role)
    }

    fn header_with(&self, stores: &Stores) -> [u8; 10] {
        let mut header = self.header;
        if stores.exif.is_some() {
            header[0] |= HAS_EXIF;
        }
        if stores.xmp.is_some() {
            header[0] |= HAS_XMP;
        }
        header
    }
}

/// The chunks, and what follows them.
fn chunks(file: &[u8]) -> Result<(Vec<Chunk<'_>>, &[u8]), FormatError> {
    let length = u32_le(file, 4).and_then(|length| usize::try_from(length).ok()?.checked_add(8));
    let (body, tail) = length
        .filter(|length| *length >= HEADER)
        .and_then(|length| file.split_at_checked(length))
        .ok_or_else(|| damaged("it is shorter than it says"))?;
    let mut chunks = Vec::new();
    let mut at = HEADER;
    while at < body.len() {
        let whole = || {
            let kind = *body.get(at..)?.first_chunk()?;
            let length = usize::try_from(u32_le(body, at + 4)?).ok()?;
            let data = body.get(at + 8..(at + 8).checked_add(length)?)?;
            let role = if &kind == VP8X { Role::Header } else { Role::Foreign };
            Some(Chunk { kind, role, data })
        };
        let chunk = whole().ok_or_else(|| damaged(format!("the chunk at byte {at} does not fit into it")))?;
        // The last chunk of some files lacks its padding.
        at += 8 + chunk.data.len().next_multiple_of(2);
        chunks.push(chunk);
        if chunks.len() > MOST_CHUNKS {
            let reason = format!("it has more than {MOST_CHUNKS} chunks");
            return Err(FormatError::Unsafe { format: "WebP", reason });
        }
    }
    Ok((chunks, tail))
}

/// The header without the bits of our metadata; made from the picture where there is none.
fn header(chunks: &[Chunk<'_>]) -> Result<[u8; 10], FormatError> {
    let mut headers = chunks.iter().filter(|chunk| chunk.role == Role::Header);
    match (headers.next(), headers.next()) {
        (Some(only), None) => {
            let mut header: [u8; 10] =
                only.data.try_into().map_err(|_| damaged("its header has a wrong length"))?;
            header[0] &= !(HAS_EXIF | HAS_XMP);
            Ok(header)
        }
        (None, _) => {
            let made = chunks.iter().find_map(|chunk| match &chunk.kind {
                b"VP8 " => lossy(chunk.data),
                b"VP8L" => lossless(chunk.data),
                _ => None,
            });
            made.ok_or_else(|| damaged("it has no picture"))
        }
        (Some(_), Some(_)) => Err(damaged("it has more than one header")),
    }
}

/// The header of a lossy picture: the size stands behind the start code of its only frame.
fn lossy(data: &[u8]) -> Option<[u8; 10]> {
    let is_key_frame = data.first()? & 1 == 0 && data.get(3..6)? == [0x9D, 0x01, 0x2A];
    let side = |at| Some(u32::from(u16_le(data, at)? & 0x3FFF));
    canvas(0, side(6)?, side(8)?).filter(|_| is_key_frame)
}

/// The header of a lossless picture: two sides less one of 14 bits each, and whether there is transparency.
fn lossless(data: &[u8]) -> Option<[u8; 10]> {
    let bits = u32_le(data, 1).filter(|_| data.first() == Some(&0x2F))?;
    let flags = if bits >> 28 & 1 == 1 { HAS_ALPHA } else { 0 };
    canvas(flags, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
}

fn canvas(flags: u8, width: u32, height: u32) -> Option<[u8; 10]> {
    let [w0, w1, w2, _] = width.checked_sub(1)?.to_le_bytes();
    let [h0, h1, h2, _] = height.checked_sub(1)?.to_le_bytes();
    Some([flags, 0, 0, 0, w0, w1, w2, h0, h1, h2])
}

fn push(body: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) -> Option<()> {
    body.extend_from_slice(&kind);
    body.extend_from_slice(&u32::try_from(data.len()).ok()?.to_le_bytes());
    body.extend_from_slice(data);
    if data.len() % 2 == 1 {
        body.push(0);
    }
    Some(())
}

fn push_some(body: &mut Vec<u8>, kind: [u8; 4], data: Option<&[u8]>) -> Option<()> {
    data.map_or(Some(()), |data| push(body, kind, data))
}

#[cfg(test)]
mod tests;
