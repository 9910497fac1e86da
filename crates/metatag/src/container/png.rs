//! PNG: chunks, each kept as it is or replaced whole.

mod profile;
mod text;

use std::borrow::Cow;

use super::{FormatError, Piece, Rewritten};
use crate::bytes::u32_be;
use crate::inflate::Budget;
use crate::memory;
use crate::model::Note;
use crate::resources;
use crate::stores::Stores;

use profile::Profile;
use text::Text;

pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const XMP: &str = "XML:com.adobe.xmp";
const DESCRIPTION: &str = "Description";
/// Some writers put this before the TIFF block, although it belongs to JPEG.
const EXIF_HEADER: &[u8] = b"Exif\0\0";

/// Signed provenance (C2PA).
const PROVENANCE: &[u8; 4] = b"caBX";

/// Chunks that say what colours mean; new chunks come after them.
const COLOURS: [&[u8; 4]; 9] =
    [b"iCCP", b"sRGB", b"gAMA", b"cHRM", b"cICP", b"sBIT", b"mDCV", b"cLLI", b"pHYs"];

/// More chunks than any picture has; each costs memory besides its bytes.
const MOST_CHUNKS: usize = 1 << 18;

/// A PNG file taken apart.
#[derive(Debug)]
pub struct Png<'a> {
    chunks: Vec<Chunk<'a>>,
    /// What follows the last chunk.
    tail: &'a [u8],
    stores: Stores,
    /// IPTC, where somebody has put it into a text chunk.
    iptc: Option<Iptc>,
}

#[derive(Debug)]
struct Chunk<'a> {
    role: Role,
    kind: [u8; 4],
    /// All of it, with length and check sum.
    raw: &'a [u8],
    data: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Exif,
    Xmp,
    Iptc,
    Description,
    Foreign,
}

/// The roles that chunks of ours have, in the order in which new ones are written.
const OURS: [Role; 4] = [Role::Exif, Role::Xmp, Role::Description, Role::Iptc];

/// A profile with IPTC records in it: among Photoshop image resources, or bare.
#[derive(Debug)]
struct Iptc {
    profile: Profile,
    is_bare: bool,
}

impl<'a> Png<'a> {
    pub(super) fn parse(file: &'a [u8]) -> Result<Png<'a>, FormatError> {
        let (chunks, tail) = chunks(file)?;
        let mut png = Png { chunks, tail, stores: Stores::default(), iptc: None };
        let mut budget = Budget::default();
        for at in 0..png.chunks.len() {
            png.read_native(at, &mut budget);
        }
        // Profiles count only where there is no chunk of the format's own.
        for at in 0..png.chunks.len() {
            png.read_profile(at, &mut budget);
        }
        if budget.is_exceeded() {
            return Err(refused("its texts and compressed metadata would take too much memory"));
        }
        Ok(png)
    }

    fn read_native(&mut self, at: usize, budget: &mut Budget) {
        let Chunk { kind, data, .. } = self.chunks[at];
        let role = if &kind == b"eXIf" && self.stores.exif.is_none() {
            self.stores.exif = Some(data.strip_prefix(EXIF_HEADER).unwrap_or(data).to_vec());
            Role::Exif
        } else if text::keyword(kind, data) == Some(XMP) && self.stores.xmp.is_none() {
            let Some(text) = Text::parse(kind, data, budget) else { return };
            self.stores.xmp = Some(text.bytes);
            Role::Xmp
        } else if text::keyword(kind, data) == Some(DESCRIPTION) {
            let text = Text::parse(kind, data, budget).filter(|text| text.language.is_empty());
            let Some(text) = text else { return };
            // Those that come later are replaced together with the first.
            self.stores.png_description.get_or_insert_with(|| text.decoded());
            Role::Description
        } else {
            return;
        };
        self.chunks[at].role = role;
    }

    fn read_profile(&mut self, at: usize, budget: &mut Budget) {
        let Chunk { kind, data, .. } = self.chunks[at];
        let Some(profile) = Profile::parse(kind, data, budget) else { return };
        let role = if let Some(exif) = profile.exif().filter(|_| self.stores.exif.is_none()) {
            self.stores.exif = Some(exif.to_vec());
            Role::Exif
        } else if let Some(xmp) = profile.xmp().filter(|_| self.stores.xmp.is_none()) {
            self.stores.xmp = Some(xmp.to_vec());
            Role::Xmp
        } else if let Some(iptc) = profile.iptc().filter(|_| self.iptc.is_none()) {
            let is_bare = iptc.starts_with(&[0x1C]);
            if is_bare {
                self.stores.iim = Some(iptc.to_vec());
            } else {
                let mut found = Stores::default();
                if resources::read(iptc, &mut found).is_err() || found.iim.is_none() {
                    return;
                }
                (self.stores.iim, self.stores.further_iim) = (found.iim, found.further_iim);
                self.stores.iim_digest = found.iim_digest;
            }
            self.iptc = Some(Iptc { profile, is_bare });
            Role::Iptc
        } else {
            return;
        };
        self.chunks[at].role = role;
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Every chunk of others, the image resources beside IPTC, and what follows the last chunk.
    pub(super) fn foreign(&self) -> Vec<Piece<'a>> {
        let mut pieces: Vec<Piece<'a>> = self
            .chunks
            .iter()
            .filter(|chunk| chunk.role == Role::Foreign)
            .map(|chunk| Piece {
                what: format!("chunk {}", String::from_utf8_lossy(&chunk.kind)),
                bytes: Cow::Borrowed(chunk.raw),
            })
            .collect();
        if let Some(iptc) = self.iptc.as_ref().filter(|iptc| !iptc.is_bare) {
            let others = resources::foreign(iptc.profile.iptc().unwrap_or_default()).unwrap_or_default();
            pieces.extend(
                others.into_iter().map(|raw| Piece { what: "image resource".into(), bytes: Cow::Owned(raw) }),
            );
        }
        pieces.push(Piece { what: "trailer".into(), bytes: Cow::Borrowed(self.tail) });
        pieces
    }

    pub(super) fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        let mut stores = stores.clone();
        if self.iptc.is_none() {
            // PNG has no place of its own for it.
            (stores.iim, stores.iim_digest) = (None, None);
            stores.further_iim.clear();
        }
        if self.iptc.as_ref().is_some_and(|iptc| iptc.is_bare) {
            stores.iim_digest = None;
        }
        let mut changes: Vec<(Role, Vec<Vec<u8>>)> = Vec::new();
        for role in OURS {
            changes.extend(self.changed(role, &stores)?.map(|chunks| (role, chunks)));
        }
        let picture_at = self.chunks.iter().position(|chunk| &chunk.kind == b"IDAT").unwrap_or_default();
        let header = self.chunks.iter().position(|chunk| &chunk.kind == b"IHDR").unwrap_or_default() + 1;
        let new_at =
            header + self.chunks[header..].iter().take_while(|chunk| COLOURS.contains(&&chunk.kind)).count();
        // The first chunk of a role gives its place, unless that is behind the picture, where few readers look.
        let places = OURS.map(|role| {
            self.chunks.iter().position(|chunk| chunk.role == role).filter(|at| *at < picture_at)
        });
        let place = |role: Role| OURS.iter().zip(places).find_map(|(ours, at)| at.filter(|_| *ours == role));
        let mut parts: Vec<Cow<'_, [u8]>> = vec![Cow::Borrowed(SIGNATURE)];
        for (at, chunk) in self.chunks.iter().enumerate() {
            if at == new_at {
                for (_, new) in changes.iter_mut().filter(|(role, _)| place(*role).is_none()) {
                    parts.extend(new.drain(..).map(Cow::Owned));
                }
            }
            match changes.iter_mut().find(|(role, _)| *role == chunk.role) {
                None => parts.push(Cow::Borrowed(chunk.raw)),
                Some((role, new)) if place(*role) == Some(at) => parts.extend(new.drain(..).map(Cow::Owned)),
                Some(_) => {}
            }
        }
        parts.push(Cow::Borrowed(self.tail));
        let is_signed = self.chunks.iter().any(|chunk| &chunk.kind == PROVENANCE);
        let notes = is_signed.then_some(Note::Provenance).into_iter().collect();
        Ok(Rewritten { bytes: memory::join(&parts), stores, notes })
    }

    /// The new chunks of a role, of which there may be none; nothing where the old ones stay.
    fn changed(&self, role: Role, stores: &Stores) -> Result<Option<Vec<Vec<u8>>>, FormatError> {
        let old = &self.stores;
        Ok(match role {
            Role::Exif => (stores.exif != old.exif)
                .then(|| stores.exif.iter().map(|tiff| chunk(*b"eXIf", tiff)).collect()),
            Role::Xmp => (stores.xmp != old.xmp).then(|| {
                stores.xmp.iter().map(|xmp| chunk(*b"iTXt", &text::international(XMP, xmp))).collect()
            }),
            Role::Description => (stores.png_description != old.png_description).then(|| {
                let texts = stores.png_description.iter();
                texts
                    .map(|text| chunk(*b"iTXt", &text::international(DESCRIPTION, text.as_bytes())))
                    .collect()
            }),
            Role::Iptc => match &self.iptc {
                Some(iptc) if stores.iptc() != old.iptc() => Some(iptc.with(stores)?.into_iter().collect()),
                _ => None,
            },
            Role::Foreign => None,
        })
    }
}

impl Iptc {
    /// The chunk with other records.
    fn with(&self, stores: &Stores) -> Result<Option<Vec<u8>>, FormatError> {
        let content = if self.is_bare {
            stores.iim.clone().unwrap_or_default()
        } else {
            resources::write(self.profile.iptc().unwrap_or_default(), stores)
                .map_err(|error| refused(error.to_string()))?
        };
        if content.is_empty() {
            return Ok(None);
        }
        let (kind, data) = self.profile.with_iptc(&content);
        Ok(Some(chunk(kind, &data)))
    }
}

fn damaged(reason: impl Into<String>) -> FormatError {
    FormatError::Damaged { format: "PNG", reason: reason.into() }
}

fn refused(reason: impl Into<String>) -> FormatError {
    FormatError::Unsafe { format: "PNG", reason: reason.into() }
}

fn chunks(file: &[u8]) -> Result<(Vec<Chunk<'_>>, &[u8]), FormatError> {
    let mut chunks: Vec<Chunk<'_>> = Vec::new();
    let mut at = SIGNATURE.len();
    loop {
        let whole = || {
            let length = usize::try_from(u32_be(file, at)?).ok()?;
            let kind: [u8; 4] = *file.get(at + 4..)?.first_chunk()?;
            let raw = file.get(at..at.checked_add(length)?.checked_add(12)?)?;
            Some(Chunk { role: Role::Foreign, kind, raw, data: &raw[8..8 + length] })
        };
        let chunk = whole().ok_or_else(|| damaged(format!("the chunk at byte {at} does not fit into it")))?;
        if !chunk.kind.iter().all(u8::is_ascii_alphabetic) {
            return Err(damaged(format!("no chunk begins at byte {at}")));
        }
        at += chunk.raw.len();
        let is_last = &chunk.kind == b"IEND";
        chunks.push(chunk);
        if is_last {
            break;
        }
        if chunks.len() > MOST_CHUNKS {
            return Err(refused(format!("it has more than {MOST_CHUNKS} chunks")));
        }
    }
    let has = |kind: &[u8; 4]| chunks.iter().position(|chunk| &chunk.kind == kind);
    match (has(b"IHDR"), has(b"IDAT")) {
        (Some(header), Some(picture)) if header < picture => Ok((chunks, &file[at..])),
        _ => Err(damaged("it has no picture")),
    }
}

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(data.len() + 12);
    raw.extend_from_slice(&u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    raw.extend_from_slice(&kind);
    raw.extend_from_slice(data);
    let mut sum = crc32fast::Hasher::new();
    sum.update(&raw[4..]);
    raw.extend_from_slice(&sum.finalize().to_be_bytes());
    raw
}

#[cfg(test)]
mod tests;
