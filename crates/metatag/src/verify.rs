//! Reads what is about to be written, before it is: a mistake of ours must not reach a picture.

use std::collections::HashSet;

use crate::container::{FormatError, Picture, Rewritten};
use crate::model::{Change, Field, Mode, Removal, Wish, keywords};
use crate::text;
use crate::view::{Fault, View, view};

/// What is wrong with a file that was put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is no picture any more.
    #[error("the new file cannot be read: {0}")]
    Unreadable(#[from] FormatError),
    /// A metadata block is not what was written.
    #[error("the metadata does not read back as it was written")]
    Metadata,
    /// A metadata block was written that we could not read.
    #[error("what would be written could not be read again: {0}")]
    Fault(Fault),
    /// A value that was asked for cannot be read.
    #[error("`{0}` cannot be read in what was written")]
    Missing(Field),
    /// A value that should be gone can still be read.
    #[error("`{0}` can still be read in what was written")]
    Left(Field),
    /// Something that is not ours changed.
    #[error("the new file would have lost or changed something else: {0}")]
    Foreign(String),
}

/// Compares a file that was put together with what it was made from, and with what was asked for.
pub fn verify<'w>(
    old: &Picture<'_>,
    new: &Rewritten,
    change: impl Into<Change<'w>>,
) -> Result<(), VerifyError> {
    let read = old.parse_alike(&new.bytes)?;
    if read.container() != old.container() || read.stores() != &new.stores {
        return Err(VerifyError::Metadata);
    }
    let mut seen = view(read.stores());
    if let Some(fault) = seen.faults.pop()
        && seen.faults.len() >= view(old.stores()).faults.len()
    {
        return Err(VerifyError::Fault(fault));
    }
    match change.into() {
        Change::Write(wish) => check_wish(&seen, wish)?,
        Change::Remove(removal) => check_removal(&seen, removal)?,
    }
    let (before, after) = (old.foreign(), read.foreign());
    if let Some((was, _)) = before.iter().zip(&after).find(|(was, is)| was != is) {
        return Err(VerifyError::Foreign(was.what.clone()));
    }
    match (before.get(after.len()), after.get(before.len())) {
        (Some(piece), _) | (_, Some(piece)) => Err(VerifyError::Foreign(piece.what.clone())),
        (None, None) => Ok(()),
    }
}

/// Whether everything that was asked for can be read. What append mode kept instead is not asked about.
fn check_wish(view: &View, wish: &Wish) -> Result<(), VerifyError> {
    let key = |value: &String| text::key(value);
    let has_all = |field, wanted: &Option<Vec<String>>, found: &[String]| {
        let found: HashSet<String> = found.iter().map(key).collect();
        let mut wanted = wanted.iter().flatten().filter(|value| !text::is_blank(value));
        // Of a path, the last level is the keyword.
        let is_found = |value: &String| {
            found.contains(&key(value)) || found.contains(&text::key(keywords::keyword(value)))
        };
        if wanted.all(is_found) { Ok(()) } else { Err(VerifyError::Missing(field)) }
    };
    has_all(Field::Tags, &wish.tags, &view.keywords)?;
    has_all(Field::People, &wish.people, &view.keywords)?;
    has_all(Field::People, &wish.people, &view.people)?;
    let is_said = |field, wanted: &Option<String>, found: &Option<String>| {
        let wanted = wanted.as_ref().map(|text| Some(key(text)).filter(|text| !text.is_empty()));
        match (wanted, wish.mode) {
            (Some(wanted), Mode::Overwrite) if wanted != found.as_ref().map(key) => {
                Err(VerifyError::Missing(field))
            }
            (Some(_) | None, Mode::Overwrite | Mode::Append) => Ok(()),
        }
    };
    is_said(Field::Description, &wish.description, &view.description)?;
    is_said(Field::Location, &wish.location, &view.location)?;
    for (field, detail) in wish.details.iter().filter(|_| wish.mode == Mode::Overwrite) {
        if !detail.is_said_by(view.details.get(field).map(String::as_str)) {
            return Err(VerifyError::Missing(*field));
        }
    }
    Ok(())
}

/// Whether nothing of what was to go can be read.
fn check_removal(view: &View, removal: &Removal) -> Result<(), VerifyError> {
    let missing = removal.missing_in(view);
    if missing.tags != removal.tags {
        return Err(VerifyError::Left(Field::Tags));
    }
    if missing.people != removal.people {
        return Err(VerifyError::Left(Field::People));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{VerifyError, verify};
    use crate::container::Picture;
    use crate::model::{Details, Field, Mode, Modified, Wish};
    use crate::stores::Stores;

    const NOTHING: Wish = Wish {
        tags: None,
        description: None,
        people: None,
        location: None,
        details: Details::new(),
        mode: Mode::Overwrite,
        modified: Modified::Now,
    };
    const FILE: &[u8] = b"\xff\xd8\xff\xfe\0\x05abc\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9";

    const PACKET: &[u8] = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";

    #[track_caller]
    fn check(spoil: impl FnOnce(&mut Vec<u8>), expected: &Result<(), VerifyError>) {
        let old = Picture::parse(FILE).expect("a picture");
        let stores = Stores { xmp: Some(PACKET.to_vec()), ..Stores::default() };
        let mut new = old.rewrite(&stores).expect("rewritten");
        spoil(&mut new.bytes);
        assert_eq!(&verify(&old, &new, &NOTHING), expected);
    }

    fn replace(bytes: &mut Vec<u8>, old: &[u8], new: &[u8]) {
        let at = bytes.windows(old.len()).position(|window| window == old).expect("there");
        bytes.splice(at..at + old.len(), new.iter().copied());
    }

    #[test]
    fn every_kind_of_damage_is_found() {
        check(|_| (), &Ok(()));
        check(|bytes| replace(bytes, b"x:xmpmeta", b"x:xapmeta"), &Err(VerifyError::Metadata));
        check(|bytes| replace(bytes, b"abc", b"abd"), &Err(VerifyError::Foreign("segment FE".into())));
        check(
            |bytes| replace(bytes, b"picture", b"Picture"),
            &Err(VerifyError::Foreign("picture data".into())),
        );
        check(
            |bytes| replace(bytes, b"\xff\xdb\0\x03x", b""),
            &Err(VerifyError::Foreign("segment DB".into())),
        );
        check(
            |bytes| replace(bytes, b"\xff\xda", b"\xff\xdb\0\x03x\xff\xda"),
            &Err(VerifyError::Foreign("picture data".into())),
        );
        let old = Picture::parse(FILE).expect("a picture");
        let mut new = old.rewrite(&Stores::default()).expect("rewritten");
        new.bytes.truncate(10);
        assert!(matches!(verify(&old, &new, &NOTHING), Err(VerifyError::Unreadable(_))));
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let with = |packet: &[u8]| Stores { xmp: Some(packet.to_vec()), ..Stores::default() };
        let old = Picture::parse(FILE).expect("a picture");
        let damaged = old.rewrite(&with(b"<x/>")).expect("rewritten");
        assert!(matches!(verify(&old, &damaged, &NOTHING), Err(VerifyError::Fault(_))));
        // What could not be read before may stay as it is.
        let old = Picture::parse(&damaged.bytes).expect("a picture");
        let same = old.rewrite(&with(b"<x/>")).expect("rewritten");
        assert_eq!(verify(&old, &same, &NOTHING), Ok(()));
    }

    #[test]
    fn what_was_asked_for_must_be_there() {
        let old = Picture::parse(FILE).expect("a picture");
        let new = old.rewrite(&Stores::default()).expect("rewritten");
        let list = || Some(vec!["a".to_owned()]);
        let text = || Some("a".to_owned());
        for (wish, field) in [
            (Wish { tags: list(), ..NOTHING }, Field::Tags),
            (Wish { people: list(), ..NOTHING }, Field::People),
            (Wish { description: text(), ..NOTHING }, Field::Description),
            (Wish { location: text(), ..NOTHING }, Field::Location),
        ] {
            assert_eq!(verify(&old, &new, &wish), Err(VerifyError::Missing(field)));
        }
        let nothing = Wish { tags: Some(vec![" ".into()]), description: Some(String::new()), ..NOTHING };
        assert_eq!(verify(&old, &new, &nothing), Ok(()));
    }
}
