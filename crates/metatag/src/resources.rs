//! Photoshop image resource blocks (`8BIM`), which hold the IPTC records (0x0404) of a JPEG and their digest (0x0425) beside
//! much that is not ours.

use std::collections::VecDeque;

use crate::stores::{LONGEST_BLOCK, Stores};

const IIM: u16 = 0x0404;
const DIGEST: u16 = 0x0425;
const SIGNATURE: &[u8; 4] = b"8BIM";
/// More blocks than any file has; each costs memory besides its bytes.
const MOST_BLOCKS: usize = 1 << 16;
/// More IPTC records than any file has, in bytes of all blocks together.
const MOST_RECORDS: usize = 2 << 20;

/// Why resource blocks cannot be read or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResourceError {
    /// A block does not begin or end where it should.
    #[error("the Photoshop resources are damaged at byte {at}")]
    Damaged {
        /// Where.
        at: usize,
    },
    /// They are longer than in any real file.
    #[error("the Photoshop resources have more than 16 MiB")]
    TooLong,
    /// There are more blocks than in any real file.
    #[error("there are more than 65,536 Photoshop resources")]
    TooMany,
    /// There are more IPTC records than in any real file.
    #[error("there are more than 2 MiB of IPTC records")]
    TooManyRecords,
    /// A block would be longer than its length can say.
    #[error("a Photoshop resource is too large")]
    TooLarge,
}

/// One resource.
struct Block<'a> {
    signature: &'a [u8],
    id: u16,
    data: &'a [u8],
    /// The whole of it, with its padding.
    raw: &'a [u8],
}

impl Block<'_> {
    fn is(&self, id: u16) -> bool {
        self.signature == SIGNATURE && self.id == id
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Block<'_>>, ResourceError> {
    if bytes.len() > LONGEST_BLOCK {
        return Err(ResourceError::TooLong);
    }
    let mut blocks = Vec::new();
    let mut rest = bytes;
    while rest.iter().any(|byte| *byte != 0) {
        let (block, after) = next(rest).ok_or(ResourceError::Damaged { at: bytes.len() - rest.len() })?;
        if blocks.len() == MOST_BLOCKS {
            return Err(ResourceError::TooMany);
        }
        blocks.push(block);
        rest = after;
    }
    let records: usize = blocks.iter().filter(|block| block.is(IIM)).map(|block| block.data.len()).sum();
    if records > MOST_RECORDS {
        return Err(ResourceError::TooManyRecords);
    }
    Ok(blocks)
}

fn next(bytes: &[u8]) -> Option<(Block<'_>, &[u8])> {
    let (signature, rest) = bytes.split_first_chunk::<4>()?;
    if !signature.iter().all(u8::is_ascii_alphanumeric) {
        return None;
    }
    let (id, rest) = rest.split_first_chunk::<2>()?;
    let name = usize::from(*rest.first()?) + 1;
    let rest = rest.get(name + name % 2..)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (data, rest) = rest.split_at_checked(length)?;
    // The padding of the last block is often missing.
    let rest = if length % 2 == 1 { rest.get(1..).unwrap_or_default() } else { rest };
    let raw = bytes.get(..bytes.len() - rest.len())?;
    Some((Block { signature, id: u16::from_be_bytes(*id), data, raw }, rest))
}

/// Takes the IPTC records and their digest out of resource blocks.
pub fn read(bytes: &[u8], stores: &mut Stores) -> Result<(), ResourceError> {
    let blocks = parse(bytes)?;
    let mut records = blocks.iter().filter(|block| block.is(IIM)).map(|block| block.data.to_vec());
    stores.iim = records.next();
    stores.further_iim = records.collect();
    stores.iim_digest =
        blocks.iter().find(|block| block.is(DIGEST)).and_then(|block| block.data.try_into().ok());
    Ok(())
}

/// The blocks that are neither IPTC records nor their digest, and the padding each should have.
pub(crate) fn foreign(bytes: &[u8]) -> Result<Vec<Vec<u8>>, ResourceError> {
    let blocks = parse(bytes)?;
    let foreign = blocks.iter().filter(|block| !block.is(IIM) && !block.is(DIGEST));
    Ok(foreign
        .map(|block| {
            let mut raw = block.raw.to_vec();
            raw.resize(raw.len().next_multiple_of(2), 0);
            raw
        })
        .collect())
}

/// Puts the IPTC records and their digest back; all other blocks stay byte for byte, and so do these if they have not
/// changed.
pub fn write(bytes: &[u8], stores: &Stores) -> Result<Vec<u8>, ResourceError> {
    let mut old = Stores::default();
    read(bytes, &mut old)?;
    let blocks = parse(bytes)?;
    let keep_records = (&old.iim, &old.further_iim) == (&stores.iim, &stores.further_iim);
    let keep_digest = old.iim_digest == stores.iim_digest;
    if keep_records && keep_digest {
        return Ok(bytes.to_vec());
    }
    let all = stores.iim.iter().chain(&stores.further_iim).filter(|_| !keep_records);
    let mut records: VecDeque<&Vec<u8>> = all.collect();
    let mut digest = stores.iim_digest.as_ref().filter(|_| !keep_digest);
    let mut written = Vec::with_capacity(bytes.len() + 1024);
    for block in &blocks {
        if block.is(IIM) && !keep_records {
            records.pop_front().map_or(Ok(()), |records| push(&mut written, IIM, records))?;
        } else if block.is(DIGEST) && !keep_digest {
            digest.take().map_or(Ok(()), |digest| push(&mut written, DIGEST, digest))?;
        } else {
            written.extend_from_slice(block.raw);
            if block.raw.len() % 2 == 1 {
                written.push(0);
            }
        }
    }
    for records in records {
        push(&mut written, IIM, records)?;
    }
    digest.map_or(Ok(()), |digest| push(&mut written, DIGEST, digest))?;
    Ok(written)
}

fn push(out: &mut Vec<u8>, id: u16, data: &[u8]) -> Result<(), ResourceError> {
    let length = u32::try_from(data.len()).map_err(|_| ResourceError::TooLarge)?;
    out.extend_from_slice(SIGNATURE);
    out.extend_from_slice(&id.to_be_bytes());
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(data);
    if data.len() % 2 == 1 {
        out.push(0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(id: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        push(&mut bytes, id, data).unwrap();
        bytes
    }

    fn stores(iim: Option<&[u8]>, digest: Option<u8>) -> Stores {
        Stores { iim: iim.map(<[u8]>::to_vec), iim_digest: digest.map(|d| [d; 16]), ..Stores::default() }
    }

    #[track_caller]
    fn check(old: &[Vec<u8>], read_as: &Stores, new: &Stores, written: &[Vec<u8>]) {
        let old = old.concat();
        let mut found = Stores::default();
        read(&old, &mut found).unwrap();
        assert_eq!(&found, read_as);
        assert_eq!(write(&old, read_as).unwrap(), old);
        assert_eq!(write(&old, new).unwrap(), written.concat());
    }

    #[test]
    fn only_our_blocks_change() {
        let named = b"8BIM\x03\xED\x04name\0\0\0\0\x03abc\0".to_vec();
        let foreign = b"PHUT\x04\x04\0\0\0\0\0\x01x\0".to_vec();
        let slices = block(0x0421, b"versn");
        check(
            &[named.clone(), block(IIM, b"abc"), slices.clone(), foreign.clone(), block(DIGEST, &[1; 16])],
            &stores(Some(b"abc"), Some(1)),
            &stores(Some(b"defg"), Some(2)),
            &[named.clone(), block(IIM, b"defg"), slices.clone(), foreign, block(DIGEST, &[2; 16])],
        );
        check(
            &[slices.clone(), named.clone()],
            &stores(None, None),
            &stores(Some(b"a"), Some(2)),
            &[slices.clone(), named, block(IIM, b"a"), block(DIGEST, &[2; 16])],
        );
        check(
            &[block(IIM, b"abc"), slices.clone()],
            &stores(Some(b"abc"), None),
            &stores(None, None),
            &[slices],
        );
    }

    #[test]
    fn every_block_of_records_keeps_its_place() {
        let further = |first: &[u8], further: &[&[u8]]| Stores {
            further_iim: further.iter().map(|records| records.to_vec()).collect(),
            ..stores(Some(first), None)
        };
        check(
            &[block(IIM, b"ab"), block(1, b"x"), block(IIM, b"cd"), block(IIM, b"")],
            &further(b"ab", &[b"cd", b""]),
            &further(b"e", &[b"f", b""]),
            &[block(IIM, b"e"), block(1, b"x"), block(IIM, b"f"), block(IIM, b"")],
        );
    }

    #[test]
    fn a_missing_last_padding_byte_is_added_when_something_follows() {
        let last = block(1, b"xyz");
        let cut = last[..last.len() - 1].to_vec();
        check(&[cut], &stores(None, None), &stores(Some(b"a"), None), &[last, block(IIM, b"a")]);
    }

    #[test]
    fn damage_is_an_error() {
        let good = [block(1, b"x"), block(IIM, b"abc")].concat();
        for bad in [&good[..good.len() - 3], b"8BI", b"8BIM\x04\x04\xFF\0", b"junkjunkjunk\0\0\0"] {
            assert!(read(bad, &mut Stores::default()).is_err(), "{bad:?}");
        }
    }
}
