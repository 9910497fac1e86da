//! Reads what is about to be written, before it is: a mistake of ours must not reach a picture.

use crate::container::{FormatError, Picture, Rewritten};
use crate::view::view;

/// What is wrong with a file that was put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is no picture any more.
    #[error("the new file cannot be read: {0}")]
    Unreadable(#[from] FormatError),
    /// A metadata block is not what was written.
    #[error("the metadata does not read back as it was written")]
    Metadata,
    /// Something that is not ours changed.
    #[error("the new file would have lost or changed something else: {0}")]
    Foreign(String),
}

/// Compares a file that was put together with what it was made from.
pub fn verify(old: &Picture<'_>, new: &Rewritten) -> Result<(), VerifyError> {
    let read = Picture::parse(&new.bytes)?;
    if read.container() != old.container()
        || read.stores() != &new.stores
        || view(read.stores()) != view(&new.stores)
    {
        return Err(VerifyError::Metadata);
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

#[cfg(test)]
mod tests {
    use super::{VerifyError, verify};
    use crate::container::Picture;
    use crate::stores::Stores;

    const FILE: &[u8] = b"\xff\xd8\xff\xfe\0\x05abc\xff\xdb\0\x03x\xff\xda\0\x02picture\xff\xd9";

    #[track_caller]
    fn check(spoil: impl FnOnce(&mut Vec<u8>), expected: Result<(), VerifyError>) {
        let old = Picture::parse(FILE).expect("a picture");
        let stores = Stores { xmp: Some(b"<x/>".to_vec()), ..Stores::default() };
        let mut new = old.rewrite(&stores).expect("rewritten");
        spoil(&mut new.bytes);
        assert_eq!(verify(&old, &new), expected);
    }

    fn replace(bytes: &mut Vec<u8>, old: &[u8], new: &[u8]) {
        let at = bytes.windows(old.len()).position(|window| window == old).expect("there");
        bytes.splice(at..at + old.len(), new.iter().copied());
    }

    #[test]
    fn every_kind_of_damage_is_found() {
        check(|_| (), Ok(()));
        check(|bytes| replace(bytes, b"<x/>", b"<y/>"), Err(VerifyError::Metadata));
        check(|bytes| replace(bytes, b"abc", b"abd"), Err(VerifyError::Foreign("segment FE".into())));
        check(
            |bytes| replace(bytes, b"picture", b"Picture"),
            Err(VerifyError::Foreign("picture data".into())),
        );
        check(
            |bytes| replace(bytes, b"\xff\xdb\0\x03x", b""),
            Err(VerifyError::Foreign("segment DB".into())),
        );
        check(
            |bytes| replace(bytes, b"\xff\xda", b"\xff\xdb\0\x03x\xff\xda"),
            Err(VerifyError::Foreign("picture data".into())),
        );
        let old = Picture::parse(FILE).expect("a picture");
        let mut new = old.rewrite(&Stores::default()).expect("rewritten");
        new.bytes.truncate(10);
        assert!(matches!(verify(&old, &new), Err(VerifyError::Unreadable(_))));
    }
}
