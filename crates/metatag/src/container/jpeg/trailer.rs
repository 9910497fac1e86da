//! AFCP, a trailer of press cameras and archives that counts its places from the start of the file.

use std::borrow::Cow;

use super::super::FormatError;
use super::damaged;
use crate::bytes::ByteOrder;

/// Header and entry are of the same length: a signature or name, and two numbers.
const LENGTH: usize = 12;

/// An AFCP trailer: the places of the numbers that count from the start of the file, within the tail.
pub(super) struct Trailer {
    order: ByteOrder,
    numbers: Vec<usize>,
}

/// Finds the trailer in the tail, which begins at this byte of the file. Another trailer may follow it, so the last end is
/// looked for that leads back to a beginning.
pub(super) fn find(tail: &[u8], tail_at: usize) -> Option<Trailer> {
    // By single bytes: unlike the search for a word from the end, that is vectorised, and the tail is most of the file.
    memchr::memrchr_iter(b'A', tail).find_map(|end| ending_at(tail, tail_at, end))
}

fn ending_at(tail: &[u8], tail_at: usize, end: usize) -> Option<Trailer> {
    tail.get(end..end.checked_add(LENGTH)?)?;
    let signature = tail.get(end..end + 4)?;
    let order = match signature {
        b"AXS!" => ByteOrder::Big,
        b"AXS*" => ByteOrder::Little,
        _ => return None,
    };
    let start = usize::try_from(order.u32(tail, end + 4)?).ok()?.checked_sub(tail_at)?;
    if start >= end || tail.get(start..start.checked_add(4)?) != Some(signature) {
        return None;
    }
    let count = usize::from(order.u16(tail, start + 6)?);
    let entries = (1..=count).map(|number| start + number * LENGTH);
    let numbers: Vec<usize> =
        entries.map(|at| at + 8).chain([end + 4]).filter(|at| at + 4 <= tail.len()).collect();
    Some(Trailer { order, numbers })
}

/// Moves its places.
pub(super) fn mend(tail: &mut [u8], trailer: &Trailer, growth: i64) -> Result<(), FormatError> {
    for at in &trailer.numbers {
        let moved = trailer.order.u32(tail, *at).and_then(|old| u32::try_from(i64::from(old) + growth).ok());
        let moved = moved.ok_or_else(|| damaged("its AFCP trailer has impossible places"))?;
        trailer.order.put_u32(tail, *at, moved);
    }
    Ok(())
}

/// The tail without the numbers that [`mend`] changes.
pub(super) fn without_positions(tail: &[u8], tail_at: usize) -> Cow<'_, [u8]> {
    let Some(trailer) = find(tail, tail_at) else { return Cow::Borrowed(tail) };
    let mut tail = tail.to_vec();
    for at in &trailer.numbers {
        trailer.order.put_u32(&mut tail, *at, 0);
    }
    Cow::Owned(tail)
}
