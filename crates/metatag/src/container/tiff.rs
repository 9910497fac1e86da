//! TIFF and DNG: a file of directories (IFDs), with our tags among those of others. Nothing in it moves; what is new goes to
//! its end.

use std::collections::BTreeMap;

use super::{FormatError, Piece, Rewritten};
use crate::exif::{self, ExifError, Ifd, Raw, Tag, Tags};
use crate::iim;
use crate::model::Note;
use crate::resources;
use crate::stores::{Digest, Stores};

const XMP: Place = (Ifd::Main, 700);
const IPTC: Place = (Ifd::Main, 33_723);
const PHOTOSHOP: Place = (Ifd::Main, 34_377);

/// A directory, and a tag in it.
type Place = (Ifd, u16);

/// The tags with blocks of metadata.
const BLOCKS: [Place; 3] = [XMP, IPTC, PHOTOSHOP];

/// The tags that are ours: the blocks, and those of EXIF.
fn ours() -> Vec<Place> {
    BLOCKS.into_iter().chain(Tag::ALL.map(Tag::place)).collect()
}

/// Signed provenance (C2PA).
const PROVENANCE: u16 = 52_545;

/// The types of values: bytes, and numbers of four bytes.
const BYTES: u16 = 1;
const LONGS: u16 = 4;

/// How descriptions begin that programs keep the layout of the picture in: microscopes, stacks, arrays.
const LAYOUTS: [&[u8]; 4] = [b"<?xml", b"<OME", b"ImageJ=", b"{\"shape\""];

/// A TIFF or DNG file taken apart.
#[derive(Debug)]
pub struct Tiff<'a> {
    file: &'a [u8],
    /// Those of the blocks.
    values: BTreeMap<Place, Raw>,
    stores: Stores,
    /// Whether the image resources have the same IPTC records again.
    is_mirrored: bool,
}

/// Whether a file begins like TIFF or `BigTIFF`. Canon's raw files do so too, and say what they are.
pub(super) fn is_tiff(file: &[u8]) -> bool {
    matches!(file.first_chunk(), Some(b"II*\0" | b"MM\0*" | b"II+\0" | b"MM\0+"))
        && file.get(8..10) != Some(b"CR")
}

fn damaged(error: ExifError) -> FormatError {
    let reason = match error {
        ExifError::NoHeader => "it has no header",
        ExifError::DamagedDirectory => "a directory does not fit into it",
        ExifError::Looping => "a directory leads back to the first one",
        ExifError::TooLarge => "it or a text in it is too large, or its entries share too many bytes",
        ExifError::Dangling => return refused("it has values or picture data outside of it"),
    };
    FormatError::Damaged { format: "TIFF", reason: reason.into() }
}

fn refused(reason: impl Into<String>) -> FormatError {
    FormatError::Unsafe { format: "TIFF", reason: reason.into() }
}

impl<'a> Tiff<'a> {
    pub(super) fn parse(file: &'a [u8]) -> Result<Tiff<'a>, FormatError> {
        // The limits of the blocks are those of XMP and IPTC.
        let values = exif::file::values(file, &BLOCKS, |_| usize::MAX).map_err(damaged)?;
        exif::file::foreign(file, &ours()).map_err(damaged)?;
        let mut tiff = Tiff { file, values, stores: Stores::default(), is_mirrored: false };
        tiff.stores.xmp = tiff.bytes(XMP).map(<[u8]>::to_vec);
        tiff.stores.tiff = Some(Tags::read(file).map_err(damaged)?);
        tiff.read_iptc();
        Ok(tiff)
    }

    fn bytes(&self, tag: Place) -> Option<&[u8]> {
        self.values.get(&tag).map(|value| value.bytes.as_slice())
    }

    /// IPTC records stand in a tag of their own, among image resources, or in both.
    fn read_iptc(&mut self) {
        let mut found = Stores::default();
        // Damaged ones hold nothing that can be read, and are refused when they are to be changed.
        let _ = resources::read(self.bytes(PHOTOSHOP).unwrap_or_default(), &mut found);
        self.stores.iim_digest = found.iim_digest;
        let Some(records) = self.values.get(&IPTC).map(in_order) else {
            (self.stores.iim, self.stores.further_iim) = (found.iim, found.further_iim);
            return;
        };
        self.is_mirrored = found.iim.as_deref().is_some_and(|copy| trimmed(copy) == trimmed(&records));
        let copies = found.iim.into_iter().skip(usize::from(self.is_mirrored)).chain(found.further_iim);
        self.stores.further_iim = copies.collect();
        self.stores.iim = Some(records);
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Every directory, value and piece of picture data of others.
    pub(super) fn foreign(&self) -> Vec<Piece<'a>> {
        let parts = exif::file::foreign(self.file, &ours()).unwrap_or_default();
        let mut pieces: Vec<Piece<'a>> =
            parts.into_iter().map(|(what, bytes)| Piece { what, bytes }).collect();
        let resources = self.bytes(PHOTOSHOP).unwrap_or_default();
        let others = resources::foreign(resources).unwrap_or_else(|_| vec![resources.to_vec()]);
        pieces
            .extend(others.into_iter().map(|raw| Piece { what: "image resource".into(), bytes: raw.into() }));
        pieces
    }

    pub(super) fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        let mut changes: BTreeMap<Place, Option<Raw>> = BTreeMap::new();
        if stores.xmp != self.stores.xmp {
            changes.insert(XMP, stores.xmp.clone().map(|bytes| self.typed(XMP, bytes)));
        }
        self.change_tags(stores, &mut changes)?;
        let (records, iim_digest) = self.change_iptc(stores, &mut changes)?;
        let bytes = if changes.is_empty() {
            self.file.to_vec()
        } else {
            let bytes = exif::file::with(self.file, &changes).map_err(damaged)?;
            self.check(&bytes, &changes.keys().copied().collect::<Vec<Place>>())?;
            bytes
        };
        // The version of the GPS tags goes with the last other one of its directory, which need not be one of ours.
        let written = Tags::read(&bytes).map_err(damaged)?;
        let tags = stores.tiff.clone().map(|tags| tags.with_tag_of(Tag::GpsVersionId, &written));
        let stores = Stores {
            tiff: tags,
            xmp: stores.xmp.clone(),
            iim: records,
            further_iim: stores.further_iim.clone(),
            iim_digest: iim_digest.filter(|_| self.values.contains_key(&PHOTOSHOP)),
            ..Stores::default()
        };
        let is_signed = exif::file::has(self.file, PROVENANCE);
        Ok(Rewritten { bytes, stores, notes: is_signed.then_some(Note::Provenance).into_iter().collect() })
    }

    /// A value of the type that the tag had, if that can hold any bytes.
    fn typed(&self, tag: Place, bytes: Vec<u8>) -> Raw {
        let kind = self.values.get(&tag).map(|old| old.kind).filter(|kind| matches!(kind, 1 | 7));
        Raw { kind: kind.unwrap_or(BYTES), bytes }
    }

    /// Changes our tags among those of the picture.
    fn change_tags(
        &self,
        stores: &Stores,
        changes: &mut BTreeMap<Place, Option<Raw>>,
    ) -> Result<(), FormatError> {
        for tag in Tag::ALL {
            let value = |stores: &Stores| stores.tiff.as_ref().and_then(|tags| tags.get(tag)).cloned();
            let (old, new) = (value(&self.stores), value(stores));
            if old == new {
                continue;
            }
            let is_layout = |old: Raw| LAYOUTS.iter().any(|start| old.bytes.starts_with(start));
            if tag == Tag::ImageDescription && old.is_some_and(is_layout) {
                return Err(refused(
                    "its description is not a text, but tells programs how the picture is laid out",
                ));
            }
            changes.insert(tag.place(), new);
        }
        Ok(())
    }

    /// Changes IPTC where it is, and gives back the records and their digest as they will read.
    fn change_iptc(
        &self,
        stores: &Stores,
        changes: &mut BTreeMap<Place, Option<Raw>>,
    ) -> Result<(Option<Vec<u8>>, Option<Digest>), FormatError> {
        if stores.iptc() == self.stores.iptc() {
            return Ok((stores.iim.clone(), stores.iim_digest));
        }
        let mut among_resources = stores.clone();
        let mut records = stores.iim.clone();
        if let Some(old) = self.values.get(&IPTC) {
            if old.kind == LONGS
                && let Some(records) = &mut records
            {
                // Other programs read nothing but this type, which has only whole numbers.
                records.resize(records.len().next_multiple_of(4), 0);
            }
            let kind = if old.kind == LONGS { LONGS } else { self.typed(IPTC, Vec::new()).kind };
            // The digest is that of the whole value.
            let digest = records.as_deref().map(iim::digest).filter(|_| stores.iim_digest.is_some());
            if records != self.stores.iim {
                among_resources.iim_digest = digest;
                changes.insert(IPTC, records.clone().map(|bytes| Raw { kind, bytes }));
            }
            if !self.is_mirrored {
                let mut copies = stores.further_iim.iter().cloned();
                (among_resources.iim, among_resources.further_iim) = (copies.next(), copies.collect());
            }
        }
        if let Some(old) = self.bytes(PHOTOSHOP) {
            let new = resources::write(old, &among_resources).map_err(|error| refused(error.to_string()))?;
            changes.insert(PHOTOSHOP, Some(self.typed(PHOTOSHOP, new)));
        } else if !self.values.contains_key(&IPTC) {
            records = None;
        }
        Ok((records, among_resources.iim_digest))
    }

    /// Nothing but the places of ours may be different: directories of makers are found by places nobody else knows.
    fn check(&self, new: &[u8], tags: &[Place]) -> Result<(), FormatError> {
        let places = exif::file::changeable(self.file, tags).map_err(damaged)?;
        let is_same = |from: usize, to: usize| from >= to || self.file.get(from..to) == new.get(from..to);
        let mut at = 0;
        let mut is_kept = true;
        for place in places {
            is_kept &= is_same(at, place.start);
            at = at.max(place.end);
        }
        if is_kept && is_same(at, self.file.len()) {
            return Ok(());
        }
        Err(refused("something else in it would change"))
    }
}

/// Records as they were before somebody took them for numbers of the other byte order.
fn in_order(value: &Raw) -> Vec<u8> {
    let is_swapped =
        value.kind == LONGS && value.bytes.first() != Some(&0x1C) && value.bytes.get(3) == Some(&0x1C);
    if !is_swapped {
        return value.bytes.clone();
    }
    value.bytes.as_chunks::<4>().0.iter().flat_map(|four| four.iter().rev().copied()).collect()
}

/// Without the zeros that fill up to whole numbers.
fn trimmed(records: &[u8]) -> &[u8] {
    let end = records.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &records[..end]
}

#[cfg(test)]
mod tests;
