//! The items of a picture: what there is (`iinf`), and what describes what (`iref`).

use std::ops::Range;

use super::boxes::{self, Span};
use crate::bytes::{u16_be, u32_be};

/// What `iinf` says about an item.
#[derive(Debug, Clone)]
pub(super) struct Info<'a> {
    pub(super) id: u32,
    /// Zeros for items of old kinds, which have none.
    pub(super) kind: [u8; 4],
    pub(super) is_protected: bool,
    /// Of items of the kind `mime`.
    pub(super) content_type: &'a [u8],
    pub(super) content_encoding: &'a [u8],
    pub(super) raw: Range<usize>,
}

/// The list of items.
#[derive(Debug)]
pub(super) struct Infos<'a> {
    pub(super) list: Vec<Info<'a>>,
    /// How many bytes the count before the entries has.
    pub(super) count_width: usize,
}

impl<'a> Infos<'a> {
    pub(super) fn parse(file: &'a [u8], iinf: &Span) -> Option<Infos<'a>> {
        let version = *file.get(iinf.body)?;
        let count_width = if version == 0 { 2 } else { 4 };
        let entries_at = iinf.body + 4 + count_width;
        let list = boxes::read_all(file, entries_at..iinf.end)?
            .iter()
            .map(|span| Info::parse(file, span))
            .collect::<Option<Vec<_>>>()?;
        Some(Infos { list, count_width })
    }
}

impl<'a> Info<'a> {
    fn parse(file: &'a [u8], span: &Span) -> Option<Info<'a>> {
        let body = file.get(span.content()).filter(|_| span.is(*b"infe"))?;
        let (id, rest) = match *body.first()? {
            0..=2 => (u32::from(u16_be(body, 4)?), body.get(6..)?),
            3 => (u32_be(body, 4)?, body.get(8..)?),
            _ => return None,
        };
        let mut info = Info {
            id,
            kind: [0; 4],
            is_protected: u16_be(rest, 0)? != 0,
            content_type: b"",
            content_encoding: b"",
            raw: span.whole(),
        };
        if body[0] >= 2 {
            info.kind = *rest.get(2..)?.first_chunk()?;
            let mut words = rest.get(6..)?.split(|byte| *byte == 0).skip(1);
            if &info.kind == b"mime" {
                info.content_type = words.next().unwrap_or_default();
                info.content_encoding = words.next().unwrap_or_default();
            }
        }
        Some(info)
    }
}

/// A new, hidden item: programs that show pictures are not to show it.
pub(super) fn new_info(id: u32, kind: [u8; 4], content_type: &[u8]) -> Option<Vec<u8>> {
    let (version, id) = match u16::try_from(id) {
        Ok(short) => (2, short.to_be_bytes().to_vec()),
        Err(_) => (3, id.to_be_bytes().to_vec()),
    };
    let content_type = if content_type.is_empty() { Vec::new() } else { [content_type, b"\0"].concat() };
    boxes::make(*b"infe", &[&[version, 0, 0, 1], &id, &[0, 0], &kind, b"\0", &content_type])
}

/// What `iref` says: one item is to others what the type of the reference says.
#[derive(Debug)]
pub(super) struct References {
    pub(super) list: Vec<Reference>,
    pub(super) has_wide_ids: bool,
}

#[derive(Debug)]
pub(super) struct Reference {
    pub(super) kind: [u8; 4],
    pub(super) from: u32,
    pub(super) to: Vec<u32>,
    pub(super) raw: Range<usize>,
}

impl References {
    pub(super) fn parse(file: &[u8], iref: &Span) -> Option<References> {
        let has_wide_ids = match *file.get(iref.body)? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let width = if has_wide_ids { 4 } else { 2 };
        let id = |body: &[u8], at: usize| {
            if has_wide_ids { u32_be(body, at) } else { u16_be(body, at).map(u32::from) }
        };
        let list = boxes::read_all(file, iref.body + 4..iref.end)?
            .iter()
            .map(|span| {
                let body = file.get(span.content())?;
                let count = usize::from(u16_be(body, width)?);
                let to = (0..count).map(|n| id(body, width + 2 + n * width)).collect::<Option<_>>()?;
                Some(Reference { kind: span.kind, from: id(body, 0)?, to, raw: span.whole() })
            })
            .collect::<Option<_>>()?;
        Some(References { list, has_wide_ids })
    }
}

/// A reference that says: this item describes that one.
pub(super) fn describes(from: u32, to: u32, has_wide_ids: bool) -> Option<Vec<u8>> {
    let id = |id: u32| {
        if has_wide_ids {
            return Some(id.to_be_bytes().to_vec());
        }
        u16::try_from(id).ok().map(|id| id.to_be_bytes().to_vec())
    };
    boxes::make(*b"cdsc", &[&id(from)?, &[0, 1], &id(to)?])
}
