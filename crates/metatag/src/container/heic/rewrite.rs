//! Putting a HEIC file together again: in the old places where the new blocks fit, else behind the old picture data.

use std::ops::Range;

use super::super::{FormatError, Rewritten};
use super::boxes::{self, Span};
use super::coding::Coding;
use super::coverage::Coverage;
use super::items;
use super::layout::{Layout, Part};
use super::locations::{self, Method};
use super::{Heic, Ours, RDF, refused, tracks};
use crate::model::Note;
use crate::stores::Stores;

/// Boxes that may stand behind the picture data without being a trailer, which is found from the end of the file.
const NOT_TRAILING: [&[u8; 4]; 6] = [b"ftyp", b"meta", b"mdat", b"moov", b"free", b"skip"];

/// An item that gets other bytes.
struct Changed {
    id: u32,
    kind: [u8; 4],
    content_type: &'static [u8],
    payload: Vec<u8>,
    is_new: bool,
}

pub(super) fn rewrite(heic: &Heic<'_>, stores: &Stores) -> Result<Rewritten, FormatError> {
    // There is no place for others.
    let stores = Stores { exif: stores.exif.clone(), xmp: stores.xmp.clone(), ..Stores::default() };
    let changed = changes(heic, &stores)?;
    let (in_place, moved): (Vec<Changed>, Vec<Changed>) =
        changed.into_iter().partition(|changed| slot(heic, changed).is_some());
    let removed = removed(heic, &stores);
    let (mut bytes, layout) = if moved.is_empty() && removed.is_empty() {
        let mut layout = Layout::default();
        layout.push(Part::Old(0..heic.file.len()));
        (heic.file.to_vec(), layout)
    } else {
        Plan::new(heic, moved, removed)?.build()?
    };
    for changed in &in_place {
        let slot = slot(heic, changed).ok_or_else(|| refused("a place vanished"))?;
        write_in_place(&mut bytes, heic, &layout, changed, slot)
            .ok_or_else(|| refused("an old place of metadata cannot be used again"))?;
    }
    let notes = heic.is_signed().then_some(Note::Provenance).into_iter().collect();
    Ok(Rewritten { bytes, stores, notes })
}

/// The items whose blocks are there no more.
fn removed(heic: &Heic<'_>, stores: &Stores) -> Vec<u32> {
    let exif = heic.exif.iter().filter(|_| stores.exif.is_none());
    let xmp = heic.xmp.iter().filter(|_| stores.xmp.is_none());
    exif.chain(xmp).map(|ours| ours.id).collect()
}

fn changes(heic: &Heic<'_>, stores: &Stores) -> Result<Vec<Changed>, FormatError> {
    let known = heic.meta.infos.list.iter().map(|info| info.id);
    let located = heic.meta.locations.list.iter().map(|location| location.id);
    let mut last = known.chain(located).max().unwrap_or_default();
    let mut changes = Vec::new();
    let mut change = |ours: Option<&Ours>, kind, content_type, header: &[u8], block: &[u8]| {
        let id = if let Some(ours) = ours {
            ours.id
        } else {
            // Ids in any other order make Apple's programs ignore gain maps.
            last = last.checked_add(1).ok_or_else(|| refused("it has no number left for an item"))?;
            last
        };
        let header = ours.map_or(header, |ours| &ours.header);
        let coding = ours.map_or(Coding::Plain, |ours| ours.coding);
        let payload = coding
            .encode([header, block].concat())
            .ok_or_else(|| refused("its XMP cannot be compressed again"))?;
        changes.push(Changed { id, kind, content_type, payload, is_new: ours.is_none() });
        Ok::<(), FormatError>(())
    };
    if let Some(exif) = stores.exif.as_ref().filter(|exif| Some(*exif) != heic.stores.exif.as_ref()) {
        change(heic.exif.as_ref(), *b"Exif", b"", b"\0\0\0\x06Exif\0\0", exif)?;
    }
    if let Some(xmp) = stores.xmp.as_ref().filter(|xmp| Some(*xmp) != heic.stores.xmp.as_ref()) {
        change(heic.xmp.as_ref(), *b"mime", RDF, b"", xmp)?;
    }
    Ok(changes)
}

/// The bytes of the file in which an item can stay: all its own, and enough.
fn slot(heic: &Heic<'_>, changed: &Changed) -> Option<Range<usize>> {
    let location = heic.location(changed.id)?;
    let range = in_file(heic, location.method, &location.extents.first()?.range)?;
    if location.length_at().is_none() || changed.payload.len() > range.len() {
        return None;
    }
    let is_shared = others(heic, changed.id).any(|other| other.start < range.end && range.start < other.end);
    (!is_shared).then_some(range)
}

fn in_file(heic: &Heic<'_>, method: Method, range: &Range<usize>) -> Option<Range<usize>> {
    match method {
        Method::File => Some(range.clone()),
        Method::Idat => {
            let start = heic.meta.idat.clone()?.start;
            Some(start + range.start..start + range.end)
        }
        Method::Elsewhere => None,
    }
}

/// Where in the file the bytes of all other items are.
fn others<'h>(heic: &'h Heic<'_>, id: u32) -> impl Iterator<Item = Range<usize>> + 'h {
    let others = heic.meta.locations.list.iter().filter(move |location| location.id != id);
    others.flat_map(|location| {
        location.extents.iter().filter_map(|extent| in_file(heic, location.method, &extent.range))
    })
}

fn write_in_place(
    bytes: &mut [u8],
    heic: &Heic<'_>,
    layout: &Layout,
    changed: &Changed,
    slot: Range<usize>,
) -> Option<()> {
    let length = changed.payload.len();
    let start = match layout.moved(&slot) {
        Some(start) => start,
        // In `idat`, inside the rebuilt list of items.
        None => find_idat(bytes)?.start + slot.start.checked_sub(heic.meta.idat.clone()?.start)?,
    };
    let place = bytes.get_mut(start..start + slot.len())?;
    place[..length].copy_from_slice(&changed.payload);
    if length == slot.len() {
        return Some(());
    }
    place[length..].fill(0);
    // The entry has the same width and number in the new list.
    let new = Heic::parse_meta(bytes)?;
    let field = new.locations.list.iter().find(|location| location.id == changed.id)?.length_at()?;
    let number = locations::number(u64::try_from(length).ok()?, field.len())?;
    bytes.get_mut(field)?.copy_from_slice(&number);
    Some(())
}

fn find_idat(bytes: &[u8]) -> Option<Range<usize>> {
    Heic::parse_meta(bytes)?.idat
}

/// Where everything goes when the list of items grows.
struct Plan<'h, 'a> {
    heic: &'h Heic<'a>,
    moved: Vec<Changed>,
    removed: Vec<u32>,
    /// The children of the new list; the one with the places is filled in last.
    children: Vec<Child>,
    meta_length: usize,
}

enum Child {
    Made(Vec<u8>),
    /// The length of the body.
    Locations(usize),
}

impl<'h, 'a> Plan<'h, 'a> {
    fn new(heic: &'h Heic<'a>, moved: Vec<Changed>, removed: Vec<u32>) -> Result<Plan<'h, 'a>, FormatError> {
        let children =
            children(heic, &moved, &removed).ok_or_else(|| refused("its list of items is full"))?;
        let length: usize = children
            .iter()
            .map(|child| match child {
                Child::Made(raw) => raw.len(),
                Child::Locations(body) => 8 + body,
            })
            .sum();
        let meta = &heic.meta.span;
        let version = heic.meta.children.first().map_or(0, |first| first.start - meta.body);
        Ok(Plan { heic, moved, removed, children, meta_length: 8 + version + length })
    }

    fn build(self) -> Result<(Vec<u8>, Layout), FormatError> {
        let heic = self.heic;
        let before_trailer =
            heic.boxes.iter().rposition(|span| NOT_TRAILING.contains(&&span.kind)).map_or(0, |at| at + 1);
        let growth = self.meta_length.saturating_sub(heic.meta.span.whole().len());
        // Sequences may use any data.
        let has_sequence = heic.boxes.iter().any(|span| span.is(*b"moov"));
        let (dead, needed) = self.payloads();
        let mut layout = Layout::default();
        let (mut meta_at, mut data_at, mut eaten) = (0, 0, None);
        for (at, span) in heic.boxes.iter().enumerate() {
            if at == before_trailer {
                data_at = self.push_data(&mut layout)?;
            }
            if span.is(*b"meta") {
                meta_at = layout.push(Part::New(vec![0; self.meta_length]));
                eaten =
                    heic.boxes.get(at + 1).and_then(|next| self.eat(next, growth)).map(|rest| (at + 1, rest));
            } else if let Some((_, rest)) = eaten.take_if(|(eaten, _)| *eaten == at) {
                layout.push(Part::New(rest));
            } else if span.is(*b"mdat")
                && !span.is_open
                && !has_sequence
                && dead.covers(&span.content())
                && !needed.touches(&span.content())
            {
                // It held nothing but what is written anew.
            } else if span.is_open && at + 1 == before_trailer {
                let header = closed(span).ok_or_else(|| refused("its last box is too long"))?;
                layout.push(Part::New(header));
                layout.push(Part::Old(span.content()));
            } else {
                layout.push(Part::Old(span.whole()));
            }
        }
        if before_trailer == heic.boxes.len() {
            data_at = self.push_data(&mut layout)?;
        }
        layout.push(Part::Old(heic.boxes_end..heic.file.len()));
        let mut bytes = layout.build(heic.file);
        let meta =
            self.meta(&layout, data_at).ok_or_else(|| refused("a place does not fit where it is kept"))?;
        bytes[meta_at..meta_at + meta.len()].copy_from_slice(&meta);
        self.mend_sequences(&mut bytes, &layout)?;
        Ok((bytes, layout))
    }

    /// Puts the new payloads into a box of their own, and says where its body begins.
    fn push_data(&self, layout: &mut Layout) -> Result<usize, FormatError> {
        if self.moved.is_empty() {
            return Ok(0);
        }
        let payloads: Vec<&[u8]> = self.moved.iter().map(|changed| changed.payload.as_slice()).collect();
        let data =
            boxes::make(*b"mdat", &payloads).ok_or_else(|| refused("its metadata would be too long"))?;
        Ok(layout.push(Part::New(data)) + 8)
    }

    /// What is left of a free box behind the list when that grows into it, so that nothing else has to move.
    fn eat(&self, next: &Span, growth: usize) -> Option<Vec<u8>> {
        let is_free = (next.is(*b"free") || next.is(*b"skip")) && !next.is_open;
        let left = next.whole().len().checked_sub(growth).filter(|left| *left == 0 || *left >= 8)?;
        let is_used = others(self.heic, 0).any(|range| range.start < next.end && next.start < range.end);
        if !is_free || is_used || growth == 0 {
            return None;
        }
        if left == 0 {
            return Some(Vec::new());
        }
        boxes::make(*b"free", &[&vec![0; left - 8]])
    }

    /// The parts of the file that held payloads which are written anew, and those that others still need.
    fn payloads(&self) -> (Coverage, Coverage) {
        let is_moved =
            |id: u32| self.moved.iter().any(|changed| changed.id == id) || self.removed.contains(&id);
        let (mut dead, mut needed) = (Vec::new(), Vec::new());
        for location in self.heic.meta.locations.list.iter().filter(|one| one.method == Method::File) {
            let list = if is_moved(location.id) { &mut dead } else { &mut needed };
            list.extend(location.extents.iter().map(|extent| extent.range.clone()));
        }
        (Coverage::of(dead), Coverage::of(needed))
    }

    fn meta(&self, layout: &Layout, data_at: usize) -> Option<Vec<u8>> {
        let heic = self.heic;
        let mut at = data_at;
        let mut ours = Vec::new();
        for changed in &self.moved {
            ours.push((changed.id, at..at + changed.payload.len()));
            at += changed.payload.len();
        }
        let meta = &heic.meta.span;
        let version = heic.meta.children.first().map_or(&[][..], |first| &heic.file[meta.body..first.start]);
        let mut body = version.to_vec();
        for child in &self.children {
            match child {
                Child::Made(raw) => body.extend_from_slice(raw),
                Child::Locations(length) => {
                    let new = heic
                        .meta
                        .locations
                        .body_with(heic.file, &ours, &self.removed, |range| layout.moved(&range))?;
                    if new.len() != *length {
                        return None;
                    }
                    body.extend(boxes::make(*b"iloc", &[&new])?);
                }
            }
        }
        boxes::make(*b"meta", &[&body]).filter(|meta| meta.len() == self.meta_length)
    }

    /// Tables of chunks follow what they point at. Other kinds of tables are not known well enough.
    fn mend_sequences(&self, bytes: &mut [u8], layout: &Layout) -> Result<(), FormatError> {
        let heic = self.heic;
        let moves = heic.boxes.iter().any(|span| {
            span.is(*b"mdat") && layout.moved(&span.content()).is_some_and(|start| start != span.body)
        });
        if !moves {
            return Ok(());
        }
        for span in &heic.boxes {
            match &span.kind {
                b"moof" | b"sidx" | b"mfra" => {
                    return Err(refused(
                        "it has a table of fragments, which would point to the wrong places",
                    ));
                }
                b"moov" if heic.file[span.content()].windows(4).any(|word| word == b"CTBO") => {
                    return Err(refused("it has a table of a camera, which would point to the wrong places"));
                }
                b"moov" => self
                    .mend_moov(bytes, layout, span)
                    .ok_or_else(|| refused("the places of its sequence do not fit where they are kept"))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn mend_moov(&self, bytes: &mut [u8], layout: &Layout, moov: &Span) -> Option<()> {
        for chunk in tracks::chunks(self.heic.file, moov)? {
            let old = usize::try_from(chunk.place).ok()?;
            let new = u64::try_from(layout.moved(&(old..old))?).ok()?;
            let field = layout.moved(&chunk.field)?;
            let number = locations::number(new, chunk.field.len())?;
            bytes.get_mut(field..field + number.len())?.copy_from_slice(&number);
        }
        Some(())
    }
}

/// A header with a length, for a box that had none.
fn closed(span: &Span) -> Option<Vec<u8>> {
    let length = u32::try_from(span.whole().len()).ok()?;
    Some([length.to_be_bytes(), span.kind].concat())
}

/// The children of the new list of items.
fn children(heic: &Heic<'_>, moved: &[Changed], removed: &[u32]) -> Option<Vec<Child>> {
    let new: Vec<&Changed> = moved.iter().filter(|changed| changed.is_new).collect();
    let ids: Vec<u32> = moved.iter().map(|changed| changed.id).collect();
    let references = references(heic, &new, removed)?;
    let mut children = Vec::new();
    for span in &heic.meta.children {
        let raw = heic.file.get(span.whole())?;
        match &span.kind {
            b"iinf" => {
                children.push(Child::Made(list_of_items(heic, span, &new, removed)?));
                if heic.meta.references.is_none() {
                    children.push(Child::Made(references.clone()));
                }
            }
            b"iref" => children.push(Child::Made(references.clone())),
            b"iloc" => children.push(Child::Locations(heic.meta.locations.size_with(&ids, removed))),
            _ => children.push(Child::Made(raw.to_vec())),
        }
    }
    Some(children)
}

/// The box with the references; empty where there are none.
fn references(heic: &Heic<'_>, new: &[&Changed], removed: &[u32]) -> Option<Vec<u8>> {
    let primary = heic.meta.primary;
    let old = heic.meta.references.as_ref();
    let has_wide_ids = match old {
        Some(references) => references.has_wide_ids,
        None => new.iter().map(|new| new.id).chain([primary]).any(|id| id > u32::from(u16::MAX)),
    };
    let mut body = vec![u8::from(has_wide_ids), 0, 0, 0];
    for reference in old.iter().flat_map(|references| &references.list) {
        if !removed.contains(&reference.from) {
            body.extend_from_slice(heic.file.get(reference.raw.clone())?);
        }
    }
    for new in new {
        body.extend(items::describes(new.id, primary, has_wide_ids)?);
    }
    if body.len() == 4 {
        return Some(Vec::new());
    }
    boxes::make(*b"iref", &[&body])
}

fn list_of_items(heic: &Heic<'_>, iinf: &Span, new: &[&Changed], removed: &[u32]) -> Option<Vec<u8>> {
    let infos = &heic.meta.infos;
    let kept = || infos.list.iter().filter(|info| !removed.contains(&info.id));
    let count = u64::try_from(kept().count() + new.len()).ok()?;
    let mut body = heic.file.get(iinf.body..iinf.body + 4)?.to_vec();
    body.extend(locations::number(count, infos.count_width)?);
    for info in kept() {
        body.extend_from_slice(heic.file.get(info.raw.clone())?);
    }
    for new in new {
        body.extend(items::new_info(new.id, new.kind, new.content_type)?);
    }
    boxes::make(*b"iinf", &[&body])
}
