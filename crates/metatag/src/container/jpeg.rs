//! JPEG: segments up to the scan, and everything from there to the end of the file untouched.

mod extended;
mod mpf;
mod trailer;

use std::borrow::Cow;

use super::{FormatError, Piece, Rewritten};
use crate::bytes::{ByteOrder, u16_be};
use crate::memory;
use crate::model::Note;
use crate::resources;
use crate::stores::{Capacity, Stores};
use crate::xmp::{Properties, Property};

const APP0: u8 = 0xE0;
const APP1: u8 = 0xE1;
const APP2: u8 = 0xE2;
const APP11: u8 = 0xEB;
const APP13: u8 = 0xED;

const EXIF: &[u8] = b"Exif\0\0";
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\0";

/// The length of a segment is a `u16` that counts itself.
const PAYLOAD: usize = 65_533;
/// What the XMP specification allows in one segment.
const XMP_CAPACITY: usize = 65_502;

/// Each block has to fit into one segment.
pub(crate) const CAPACITY: Capacity =
    Capacity { exif: PAYLOAD - EXIF.len(), xmp: XMP_CAPACITY, padded_xmp: XMP_CAPACITY };

/// More segments than any picture has; each costs memory besides its bytes.
const MOST_SEGMENTS: usize = 1 << 16;
/// There should be one packet. Some editors add another; each of them gets the new values and room to grow.
const MOST_PACKETS: usize = 16;

/// A JPEG file taken apart.
#[derive(Debug)]
pub struct Jpeg<'a> {
    file: &'a [u8],
    segments: Vec<Segment<'a>>,
    /// From the first scan to the end of the file: the picture, and whatever cameras put behind it.
    tail: &'a [u8],
    stores: Stores,
    /// The image resources of all segments that hold some, joined.
    resources: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Exif,
    Xmp,
    /// A packet after the first.
    FurtherXmp,
    /// A part of the packet that continues the first.
    ExtendedXmp,
    Photoshop,
    /// The index of further pictures behind this one.
    Mpf,
    Foreign,
}

#[derive(Debug)]
struct Segment<'a> {
    role: Role,
    marker: u8,
    /// All of it, with fill bytes and header.
    raw: &'a [u8],
    payload: &'a [u8],
}

impl<'a> Jpeg<'a> {
    pub(super) fn parse(file: &'a [u8]) -> Result<Jpeg<'a>, FormatError> {
        let (mut segments, tail_at) = segments(file)?;
        assign_roles(&mut segments)?;
        let parts = |role, header: usize| -> Vec<&[u8]> {
            let of_role = segments.iter().filter(|segment| segment.role == role);
            of_role.filter_map(|segment| segment.payload.get(header..)).collect()
        };
        let joined =
            |role, header: usize| Some(parts(role, header)).filter(|p| !p.is_empty()).map(|p| p.concat());
        let resources = joined(Role::Photoshop, PHOTOSHOP.len()).unwrap_or_default();
        let mut stores = Stores {
            exif: joined(Role::Exif, EXIF.len()),
            xmp: joined(Role::Xmp, XMP.len()),
            further_xmp: parts(Role::FurtherXmp, XMP.len()).into_iter().map(<[u8]>::to_vec).collect(),
            ..Stores::default()
        };
        // Damaged ones hold nothing that can be read, and are refused when they are to be changed.
        let _ = resources::read(&resources, &mut stores);
        stores.extended_xmp = read_extended(&mut segments, stores.xmp.as_deref());
        Ok(Jpeg { file, segments, tail: &file[tail_at..], stores, resources })
    }

    pub(super) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Every segment of others, the image resources that are not IPTC, and the tail.
    pub(super) fn foreign(&self) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        for segment in &self.segments {
            let bytes = match segment.role {
                Role::Exif | Role::Xmp | Role::FurtherXmp | Role::ExtendedXmp | Role::Photoshop => continue,
                Role::Foreign => Cow::Borrowed(segment.raw),
                Role::Mpf => mpf::without_positions(segment.raw),
            };
            pieces.push(Piece { what: format!("segment {:02X}", segment.marker), bytes });
        }
        let others = resources::foreign(&self.resources).unwrap_or_else(|_| vec![self.resources.clone()]);
        pieces.extend(
            others.into_iter().map(|raw| Piece { what: "image resource".into(), bytes: Cow::Owned(raw) }),
        );
        pieces.push(Piece {
            what: "picture data".into(),
            bytes: trailer::without_positions(self.tail, self.tail_at()),
        });
        pieces
    }

    pub(super) fn rewrite(&self, stores: &Stores) -> Result<Rewritten, FormatError> {
        let mut stores = stores.clone();
        let mut notes = Vec::new();
        if stores.exif != self.stores.exif && stores.exif.as_ref().is_some_and(|e| e.len() > CAPACITY.exif) {
            stores.exif.clone_from(&self.stores.exif);
            notes.push(Note::ExifFull);
        }
        let after = |role| self.segments.iter().rposition(|segment| segment.role == role).map(|at| at + 1);
        let start = self.segments.iter().take_while(|segment| segment.marker == APP0).count();
        let after_exif = after(Role::Exif).unwrap_or(start);
        let after_xmp = after(Role::Xmp).unwrap_or(after_exif);
        let slot = |role, new_at, change| Slot { role, new_at, change };
        let mut slots = [
            slot(Role::Exif, start, self.new_exif(&stores)),
            slot(Role::Xmp, after_exif, self.new_xmp(&stores)?),
            slot(Role::FurtherXmp, after_xmp, self.new_further_xmp(&stores)?),
            slot(Role::ExtendedXmp, after_xmp, self.new_extended_xmp(&stores)?),
            slot(Role::Photoshop, after_xmp, self.new_photoshop(&stores)?),
        ];
        let mut parts = vec![Cow::Borrowed(&self.file[..2])];
        let mut mpf = None;
        for at in 0..=self.segments.len() {
            for slot in slots.iter_mut().filter(|slot| slot.new_at == at && after(slot.role).is_none()) {
                parts.extend(slot.take().into_iter().flatten());
            }
            let Some(segment) = self.segments.get(at) else { break };
            if segment.role == Role::Mpf {
                mpf = Some(parts.len());
            }
            // The first old segment of a role gives way to all new ones, the others to nothing.
            match slots.iter_mut().find(|slot| slot.role == segment.role).and_then(Slot::take) {
                Some(new) => parts.extend(new),
                None => parts.push(Cow::Borrowed(segment.raw)),
            }
        }
        parts.push(Cow::Borrowed(self.tail));
        self.mend_positions(&mut parts, mpf)?;
        if self.segments.iter().any(is_provenance) {
            notes.push(Note::Provenance);
        }
        Ok(Rewritten { bytes: memory::join(&parts), stores, notes })
    }

    fn new_exif(&self, stores: &Stores) -> Change {
        if stores.exif == self.stores.exif {
            return Change::Keep;
        }
        Change::Replace(stores.exif.iter().map(|exif| segment(APP1, &[EXIF, exif])).collect())
    }

    fn new_xmp(&self, stores: &Stores) -> Result<Change, FormatError> {
        if stores.xmp == self.stores.xmp {
            return Ok(Change::Keep);
        }
        let packets = stores.xmp.iter().map(|packet| packet_segment(packet)).collect::<Result<_, _>>()?;
        Ok(Change::Replace(packets))
    }

    fn new_further_xmp(&self, stores: &Stores) -> Result<Change, FormatError> {
        if stores.further_xmp == self.stores.further_xmp {
            return Ok(Change::Keep);
        }
        let packets = stores.further_xmp.iter().map(|packet| packet_segment(packet));
        Ok(Change::Replace(packets.collect::<Result<_, _>>()?))
    }

    fn new_extended_xmp(&self, stores: &Stores) -> Result<Change, FormatError> {
        if stores.extended_xmp == self.stores.extended_xmp {
            return Ok(Change::Keep);
        }
        let Some(packet) = &stores.extended_xmp else { return Ok(Change::Replace(Vec::new())) };
        let parts = extended::parts(packet).ok_or_else(|| refused("its extended XMP would be too long"))?;
        Ok(Change::Replace(parts.iter().map(|part| segment(APP1, &[part])).collect()))
    }

    fn new_photoshop(&self, stores: &Stores) -> Result<Change, FormatError> {
        if stores.iptc() == self.stores.iptc() {
            return Ok(Change::Keep);
        }
        let resources =
            resources::write(&self.resources, stores).map_err(|error| refused(error.to_string()))?;
        // Readers join the segments, so a resource may go on in the next one.
        let payloads = resources.chunks(PAYLOAD - PHOTOSHOP.len());
        Ok(Change::Replace(payloads.map(|payload| segment(APP13, &[PHOTOSHOP, payload])).collect()))
    }

    /// The index of further pictures counts from its own place, and an AFCP trailer from the start of the file.
    fn mend_positions(&self, parts: &mut [Cow<'a, [u8]>], mpf: Option<usize>) -> Result<(), FormatError> {
        let length = |parts: &[Cow<'_, [u8]>]| parts.iter().map(|part| part.len()).sum::<usize>();
        let new_length = length(parts);
        let growth = signed(new_length) - signed(self.file.len());
        let old_mpf = self.segments.iter().position(|segment| segment.role == Role::Mpf);
        if let (Some(old), Some(new)) = (old_mpf, mpf) {
            let before: usize = self.segments[..old].iter().map(|segment| segment.raw.len()).sum();
            let old_after = self.file.len() - 2 - before;
            let new_after = new_length - length(&parts[..new]);
            let growth_after = signed(new_after) - signed(old_after);
            if (growth, growth_after) != (0, 0)
                && let Some(part) = parts.get_mut(new)
            {
                mpf::mend(part.to_mut(), growth, growth_after)?;
            }
        }
        if growth != 0
            && let Some(found) = trailer::find(self.tail, self.tail_at())
            && let Some(tail) = parts.last_mut()
        {
            trailer::mend(tail.to_mut(), &found, growth)?;
        }
        Ok(())
    }

    fn tail_at(&self) -> usize {
        self.file.len() - self.tail.len()
    }
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn damaged(reason: impl Into<String>) -> FormatError {
    FormatError::Damaged { format: "JPEG", reason: reason.into() }
}

fn refused(reason: impl Into<String>) -> FormatError {
    FormatError::Unsafe { format: "JPEG", reason: reason.into() }
}

fn packet_segment(packet: &[u8]) -> Result<Vec<u8>, FormatError> {
    if packet.len() > XMP_CAPACITY {
        let length = packet.len();
        return Err(refused(format!(
            "its XMP would have {length} bytes, and {XMP_CAPACITY} fit; write less text"
        )));
    }
    Ok(segment(APP1, &[XMP, packet]))
}

/// Signed provenance (C2PA), in boxes of JUMBF.
fn is_provenance(segment: &Segment<'_>) -> bool {
    segment.marker == APP11
        && segment.payload.starts_with(b"JP")
        && segment.payload.windows(4).any(|word| word == b"c2pa")
}

/// Finds the packet that continues the first one, and the segments it is in. One that is not whole is left alone.
fn read_extended(segments: &mut [Segment<'_>], main: Option<&[u8]>) -> Option<Vec<u8>> {
    let is_part =
        |segment: &Segment<'_>| segment.marker == APP1 && segment.payload.starts_with(extended::HEADER);
    if !segments.iter().any(is_part) {
        return None;
    }
    let main = Properties::read(main?).ok()?;
    let name = main.text(Property::HasExtendedXmp)?;
    let of_name = |segment: &Segment<'_>| is_part(segment) && extended::is_named(segment.payload, name);
    let packet = extended::join(segments.iter().filter(|s| of_name(s)).map(|s| s.payload))?;
    for segment in segments.iter_mut().filter(|segment| of_name(segment)) {
        segment.role = Role::ExtendedXmp;
    }
    Some(packet)
}

/// The segments before the scan, and where the scan begins. Bytes that belong to none, and markers without content, stand
/// together as one.
fn segments(file: &[u8]) -> Result<(Vec<Segment<'_>>, usize), FormatError> {
    let mut segments = Vec::new();
    let mut at = 2;
    // Where the bytes began that belong to no segment.
    let mut stray = at;
    loop {
        at += junk(&file[at..]);
        let start = at;
        while file.get(at) == Some(&0xFF) {
            at += 1;
        }
        let marker = *file.get(at).ok_or_else(|| damaged("it ends before the picture begins"))?;
        at += 1;
        // Markers without content.
        if matches!(marker, 0x01 | 0xD0..=0xD8) {
            continue;
        }
        if stray < start {
            let raw = &file[stray..start];
            segments.push(Segment { role: Role::Foreign, marker: 0, raw, payload: &raw[..0] });
        }
        // The scan, or the end of a file without any.
        if matches!(marker, 0xDA | 0xD9) {
            return Ok((segments, start));
        }
        let length = u16_be(file, at).map_or(0, usize::from);
        if length < 2 || file.len() < at + length {
            return Err(damaged(format!("the segment at byte {start} does not fit into it")));
        }
        let payload = &file[at + 2..at + length];
        at += length;
        stray = at;
        segments.push(Segment { role: Role::Foreign, marker, raw: &file[start..at], payload });
        if segments.len() > MOST_SEGMENTS {
            return Err(refused(format!("it has more than {MOST_SEGMENTS} segments")));
        }
    }
}

/// How many bytes stand before the next segment that should not be there. Decoders skip them, and so do we.
fn junk(file: &[u8]) -> usize {
    let is_marker = |pair: &[u8]| pair[0] == 0xFF && pair[1] != 0;
    file.windows(2).position(is_marker).unwrap_or(file.len())
}

/// Says which segments are ours. Of a kind that is there twice, the first counts, as for everybody else; but image
/// resources and an EXIF block that was too long for one segment go on in further ones, and of XMP packets some readers
/// show the first and others the last.
fn assign_roles(segments: &mut [Segment<'_>]) -> Result<(), FormatError> {
    let (mut has_exif, mut packets, mut has_mpf) = (false, 0, false);
    let mut is_after_exif = false;
    for segment in segments {
        let payload = segment.payload;
        let role = match segment.marker {
            APP1 if payload.starts_with(EXIF) => {
                let is_start = ByteOrder::of(&payload[EXIF.len()..]).is_some();
                let goes_on = is_after_exif && !is_start;
                if goes_on || !has_exif { Role::Exif } else { Role::Foreign }
            }
            APP1 if payload.starts_with(XMP) => {
                packets += 1;
                if packets == 1 { Role::Xmp } else { Role::FurtherXmp }
            }
            APP2 if payload.starts_with(mpf::HEADER) && !has_mpf => Role::Mpf,
            APP13 if payload.starts_with(PHOTOSHOP) => Role::Photoshop,
            _ => Role::Foreign,
        };
        is_after_exif = role == Role::Exif;
        has_exif |= is_after_exif;
        has_mpf |= role == Role::Mpf;
        segment.role = role;
    }
    if packets > MOST_PACKETS {
        return Err(refused(format!("it has {packets} XMP packets instead of one")));
    }
    Ok(())
}

fn segment(marker: u8, payload: &[&[u8]]) -> Vec<u8> {
    let length: usize = payload.iter().map(|part| part.len()).sum();
    let mut raw = vec![0xFF, marker];
    raw.extend_from_slice(&u16::try_from(length + 2).unwrap_or(u16::MAX).to_be_bytes());
    for part in payload {
        raw.extend_from_slice(part);
    }
    raw
}

/// What becomes of the segments of one role.
enum Change {
    Keep,
    Replace(Vec<Vec<u8>>),
}

/// The segments of one role on their way to the output.
struct Slot {
    role: Role,
    /// Before which segment new ones go when there are no old ones, whose place they would take.
    new_at: usize,
    change: Change,
}

impl Slot {
    /// The new segments the first time, none after that; nothing at all where the old ones stay.
    fn take<'a>(&mut self) -> Option<Vec<Cow<'a, [u8]>>> {
        match &mut self.change {
            Change::Keep => None,
            Change::Replace(new) => Some(new.drain(..).map(Cow::Owned).collect()),
        }
    }
}

#[cfg(test)]
mod tests;
