//! Datasets: a marker, a record, a number, a length, the data.

use std::borrow::Cow;

use super::IimError;

const MARKER: u8 = 0x1C;
/// More than any real block; what is taken apart takes a multiple of it in memory.
const MOST_BYTES: usize = 2 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dataset<'a> {
    pub(super) record: u8,
    pub(super) number: u8,
    pub(super) data: Cow<'a, [u8]>,
    /// Exactly as it was, if it is an old one.
    raw: Option<&'a [u8]>,
}

impl Dataset<'_> {
    pub(super) fn new(record: u8, number: u8, data: &[u8]) -> Self {
        Self { record, number, data: Cow::Owned(data.to_vec()), raw: None }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> Result<(), IimError> {
        if let Some(raw) = self.raw {
            out.extend_from_slice(raw);
            return Ok(());
        }
        out.extend_from_slice(&[MARKER, self.record, self.number]);
        if let Ok(length @ 0..=0x7FFF) = u16::try_from(self.data.len()) {
            out.extend_from_slice(&length.to_be_bytes());
        } else {
            let length = u32::try_from(self.data.len()).map_err(|_| IimError::TooLarge)?;
            out.extend_from_slice(&[0x80, 4]);
            out.extend_from_slice(&length.to_be_bytes());
        }
        out.extend_from_slice(&self.data);
        Ok(())
    }
}

/// Takes the records apart. Zeros at the end are padding, and so they are in the middle, where blocks were put together.
pub(super) fn parse(records: &[u8]) -> Result<Vec<Dataset<'_>>, IimError> {
    if records.len() > MOST_BYTES {
        return Err(IimError::TooLarge);
    }
    let mut datasets = Vec::new();
    let mut rest = records;
    while let Some(start) = rest.iter().position(|byte| *byte != 0) {
        rest = &rest[start..];
        let (dataset, after) = next(rest).ok_or(IimError::Damaged { at: records.len() - rest.len() })?;
        datasets.push(dataset);
        rest = after;
    }
    Ok(datasets)
}

fn next(bytes: &[u8]) -> Option<(Dataset<'_>, &[u8])> {
    let (&[MARKER, record, number, high, low], mut rest) = bytes.split_first_chunk::<5>()? else {
        return None;
    };
    let mut length = usize::from(u16::from_be_bytes([high & 0x7F, low]));
    if high & 0x80 != 0 {
        let (digits, after) = rest.split_at_checked(length).filter(|_| (1..=4).contains(&length))?;
        length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
        rest = after;
    }
    let (data, rest) = rest.split_at_checked(length)?;
    let raw = bytes.get(..bytes.len() - rest.len());
    Some((Dataset { record, number, data: Cow::Borrowed(data), raw }, rest))
}
