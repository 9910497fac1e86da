//! HEIC and AVIF: boxes and items. Boxes are kept as they are; of those that list items, entries are added and places mended.

pub(super) mod boxes;
mod coding;
mod coverage;
mod items;
mod layout;
mod locations;
mod rewrite;
mod tracks;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::{FormatError, Piece, Rewritten};
use crate::bytes::{u16_be, u32_be};
use crate::stores::{Container, Stores};

use boxes::Span;
use coding::Coding;
use items::{Infos, References};
use locations::{Location, Locations, Method};

const RDF: &[u8] = b"application/rdf+xml";

/// The kind of a `uuid` box with signed provenance.
const PROVENANCE: [u8; 16] = 0xD8FE_C3D6_1B0E_483C_9297_5828_877E_C481_u128.to_be_bytes();

/// More brands than any file has.
const MOST_BRANDS: usize = 256;

/// Items may share bytes, but not so many of them that a small file becomes a large one.
const SHARED: usize = 4;

/// A HEIC or AVIF file taken apart.
#[derive(Debug)]
pub struct Heic<'a> {
    file: &'a [u8],
    container: Container,
    boxes: Vec<Span>,
    /// Where what is no box begins.
    boxes_end: usize,
    meta: Meta<'a>,
    stores: Stores,
    exif: Option<Ours>,
    xmp: Option<Ours>,
}

/// The `meta` box, which lists the items: `pitm` the primary one, `iinf` all of them, `iref` how they belong together, `iloc`
/// where their bytes are.
#[derive(Debug)]
struct Meta<'a> {
    span: Span,
    children: Vec<Span>,
    primary: u32,
    infos: Infos<'a>,
    references: Option<References>,
    locations: Locations,
    idat: Option<Range<usize>>,
}

/// An item that holds one of our blocks.
#[derive(Debug)]
struct Ours {
    id: u32,
    /// What comes before the block in the item.
    header: Vec<u8>,
    coding: Coding,
}

/// Which of the formats with these boxes a file is: by its brands. `mif1` alone says nothing about the coding.
pub(super) fn detect(file: &[u8]) -> Option<Container> {
    const AV1: [&[u8; 4]; 2] = [b"avif", b"avis"];
    const HEVC: [&[u8; 4]; 8] = [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"];
    let kind = Span::read(file, 0, file.len()).filter(|span| span.is(*b"ftyp"))?;
    let brands = file.get(kind.content())?;
    // The second word is a version.
    let brands: Vec<&[u8]> = brands
        .chunks_exact(4)
        .take(MOST_BRANDS)
        .enumerate()
        .filter(|(at, _)| *at != 1)
        .map(|(_, brand)| brand)
        .collect();
    let has = |brand: &[u8]| brands.contains(&brand);
    let has_any = |list: &[&[u8; 4]]| list.iter().any(|brand| has(brand.as_slice()));
    if has_any(&AV1) {
        return Some(Container::Avif);
    }
    (has_any(&HEVC) || has(b"mif1") || has(b"msf1")).then_some(Container::Heic)
}

fn damaged(reason: impl Into<String>) -> FormatError {
    FormatError::Damaged { format: "HEIC", reason: reason.into() }
}

fn refused(reason: impl Into<String>) -> FormatError {
    FormatError::Unsafe { format: "HEIC", reason: reason.into() }
}

impl<'a> Heic<'a> {
    pub(super) fn parse(file: &'a [u8], container: Container) -> Result<Heic<'a>, FormatError> {
        let (boxes, boxes_end) = boxes::read(file, 0..file.len());
        if boxes.len() == boxes::MOST_BOXES {
            return Err(refused(format!("it has {} boxes or more", boxes::MOST_BOXES)));
        }
        let mut metas = boxes.iter().filter(|span| span.is(*b"meta"));
        let (Some(meta), None) = (metas.next(), metas.next()) else {
            return Err(damaged("it has not exactly one list of items"));
        };
        let meta = Meta::parse(file, meta)?;
        let stores = Stores::default();
        let mut heic = Heic { file, container, boxes, boxes_end, meta, stores, exif: None, xmp: None };
        heic.check_extents()?;
        heic.read_exif()?;
        heic.read_xmp()?;
        Ok(heic)
    }

    /// The list of items alone.
    fn parse_meta(file: &'a [u8]) -> Option<Meta<'a>> {
        let (boxes, _) = boxes::read(file, 0..file.len());
        Meta::parse(file, boxes.iter().find(|span| span.is(*b"meta"))?).ok()
    }

    pub(super) fn container(&self) -> Container {
        self.container
    }

    /// Whether it has signed provenance (C2PA).
    fn is_signed(&self) -> bool {
        let is_provenance =
            |span: &Span| span.is(*b"uuid") && self.file[span.content()].starts_with(&PROVENANCE);
        self.boxes.iter().any(is_provenance)
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    pub(super) fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        rewrite::rewrite(self, stores)
    }

    /// Every extent must be in the file, or moving it would be guesswork.
    fn check_extents(&self) -> Result<(), FormatError> {
        let mut sum = 0_usize;
        for location in &self.meta.locations.list {
            for range in location.extents.iter().map(|extent| &extent.range) {
                if self.slice(location.method, range).is_none() && location.method != Method::Elsewhere {
                    return Err(damaged(format!("item {} is not all in it", location.id)));
                }
                sum = sum.saturating_add(range.len());
            }
        }
        if sum / SHARED > self.file.len() {
            return Err(refused("its items share too many bytes"));
        }
        Ok(())
    }

    fn slice(&self, method: Method, range: &Range<usize>) -> Option<&'a [u8]> {
        match method {
            Method::File => self.file.get(range.clone()),
            Method::Idat => self.file.get(self.meta.idat.clone()?)?.get(range.clone()),
            Method::Elsewhere => None,
        }
    }

    fn location(&self, id: u32) -> Option<&Location> {
        self.meta.locations.list.iter().find(|location| location.id == id)
    }

    fn payload(&self, id: u32) -> Option<Vec<u8>> {
        let location = self.location(id)?;
        let slices = location.extents.iter().map(|extent| self.slice(location.method, &extent.range));
        Some(slices.collect::<Option<Vec<_>>>()?.concat())
    }

    /// The item of a kind that describes the primary picture, by a `cdsc` reference in `iref`; others describe depth or gain
    /// maps.
    fn describing(&self, is_wanted: impl Fn(&items::Info<'_>) -> bool) -> Option<&items::Info<'a>> {
        let (mut describe_primary, mut describe_any) = (BTreeSet::new(), BTreeSet::new());
        let references = self.meta.references.iter().flat_map(|references| &references.list);
        for reference in references.filter(|reference| &reference.kind == b"cdsc" && !reference.to.is_empty())
        {
            describe_any.insert(reference.from);
            if reference.to.contains(&self.meta.primary) {
                describe_primary.insert(reference.from);
            }
        }
        let wanted = || self.meta.infos.list.iter().filter(|info| is_wanted(info));
        let of_primary = wanted().find(|info| describe_primary.contains(&info.id));
        of_primary.or_else(|| wanted().find(|info| !describe_any.contains(&info.id)))
    }

    fn read_exif(&mut self) -> Result<(), FormatError> {
        let Some(info) = self.describing(|info| &info.kind == b"Exif") else { return Ok(()) };
        let id = info.id;
        if info.is_protected {
            return Err(refused("its EXIF is encrypted"));
        }
        let payload = self.payload(id).ok_or_else(|| refused("its EXIF is not in the file"))?;
        let skip = u32_be(&payload, 0).and_then(|skip| usize::try_from(skip).ok()?.checked_add(4));
        let Some((header, tiff)) = skip.and_then(|skip| payload.split_at_checked(skip)) else {
            return Err(refused("its EXIF begins with an impossible length"));
        };
        self.stores.exif = Some(tiff.to_vec());
        self.exif = Some(Ours { id, header: header.to_vec(), coding: Coding::Plain });
        Ok(())
    }

    fn read_xmp(&mut self) -> Result<(), FormatError> {
        let Some(info) = self.describing(|info| &info.kind == b"mime" && info.content_type == RDF) else {
            return Ok(());
        };
        let id = info.id;
        if info.is_protected {
            return Err(refused("its XMP is encrypted"));
        }
        let payload = self.payload(id).ok_or_else(|| refused("its XMP is not in the file"))?;
        let (coding, packet) = Coding::decode(info.content_encoding, payload)
            .ok_or_else(|| refused("its XMP is compressed in a way that we do not know"))?;
        self.stores.xmp = Some(packet);
        self.xmp = Some(Ours { id, header: Vec::new(), coding });
        Ok(())
    }

    fn is_ours(&self, id: u32) -> bool {
        self.exif.iter().chain(&self.xmp).any(|ours| ours.id == id)
    }

    /// All boxes but those that hold ours, and the bytes of every item of others.
    pub(super) fn foreign(&self) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut piece = |what: String, bytes: Cow<'a, [u8]>| pieces.push(Piece { what, bytes });
        let name = |kind: &[u8; 4]| String::from_utf8_lossy(kind).into_owned();
        let raw = |range: Range<usize>| Cow::Borrowed(&self.file[range]);
        for span in &self.boxes {
            match &span.kind {
                b"meta" | b"mdat" | b"free" | b"skip" => {}
                b"moov" => {
                    let (table, starts) = self.without_places(span);
                    piece("box moov".into(), Cow::Owned(table));
                    piece("sequence".into(), Cow::Owned(starts));
                }
                kind => piece(format!("box {}", name(kind)), raw(span.content())),
            }
        }
        piece("trailer".into(), raw(self.boxes_end..self.file.len()));
        for child in &self.meta.children {
            if !matches!(&child.kind, b"iinf" | b"iref" | b"iloc" | b"free" | b"skip") {
                piece(format!("box {}", name(&child.kind)), raw(child.whole()));
            }
        }
        for info in self.meta.infos.list.iter().filter(|info| !self.is_ours(info.id)) {
            piece(format!("item {}", info.id), raw(info.raw.clone()));
        }
        let references = self.meta.references.iter().flat_map(|references| &references.list);
        for reference in references.filter(|reference| !self.is_ours(reference.from)) {
            piece(format!("reference of item {}", reference.from), raw(reference.raw.clone()));
        }
        for location in self.meta.locations.list.iter().filter(|location| !self.is_ours(location.id)) {
            for extent in &location.extents {
                let bytes = self.slice(location.method, &extent.range).unwrap_or_default();
                piece(format!("data of item {}", location.id), Cow::Borrowed(bytes));
            }
        }
        pieces
    }

    /// A `moov` box without the places in its tables, and what is there.
    fn without_places(&self, moov: &Span) -> (Vec<u8>, Vec<u8>) {
        let mut table = self.file[moov.content()].to_vec();
        let mut starts = Vec::new();
        for chunk in tracks::chunks(self.file, moov).unwrap_or_default() {
            let at = chunk.field.start - moov.body;
            table[at..at + chunk.field.len()].fill(0);
            let place = usize::try_from(chunk.place).unwrap_or(usize::MAX);
            let there = self.file.get(place..).unwrap_or_default();
            starts.extend_from_slice(&there[..there.len().min(16)]);
        }
        (table, starts)
    }
}

impl<'a> Meta<'a> {
    fn parse(file: &'a [u8], span: &Span) -> Result<Meta<'a>, FormatError> {
        // Some old writers left out the version that comes before the children.
        let has_version = file.get(span.body + 4..span.body + 8) != Some(b"hdlr");
        let children_at = span.body + if has_version { 4 } else { 0 };
        let children = boxes::read_all(file, children_at..span.end)
            .ok_or_else(|| damaged("its list of items has a box that does not fit"))?;
        let child = |kind: [u8; 4]| children.iter().filter(|child| child.is(kind)).collect::<Vec<_>>();
        let the = |kind: [u8; 4]| match child(kind).as_slice() {
            [only] => Ok(**only),
            _ => Err(damaged(format!("it has not exactly one box {}", String::from_utf8_lossy(&kind)))),
        };
        let pitm = the(*b"pitm")?;
        let primary = match file.get(pitm.body) {
            Some(0) => u16_be(file, pitm.body + 4).map(u32::from),
            _ => u32_be(file, pitm.body + 4),
        };
        let references = match child(*b"iref").as_slice() {
            [] => None,
            [only] => Some(References::parse(file, only).ok_or_else(|| damaged("its box iref"))?),
            _ => return Err(damaged("it has more than one box iref")),
        };
        let infos = Infos::parse(file, &the(*b"iinf")?).ok_or_else(|| damaged("its box iinf"))?;
        let locations = Locations::parse(file, &the(*b"iloc")?)
            .ok_or_else(|| damaged("its box iloc, or that is of a version we do not know"))?;
        let idat = child(*b"idat").first().map(|idat| idat.content());
        Ok(Meta {
            span: *span,
            primary: primary.ok_or_else(|| damaged("its box pitm"))?,
            infos,
            references,
            locations,
            idat,
            children,
        })
    }
}

#[cfg(test)]
mod tests;
