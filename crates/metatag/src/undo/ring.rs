//! A file of numbered slots, used in turn: the oldest entry makes room for the newest.
//!
//! Its blocks are written once before they are used, so an entry costs the disk one small write and nothing of the file
//! system's own bookkeeping. What stands in a slot is checked by the header it was written with. A crash can leave a slot
//! that does not match its header, and nothing else.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use twox_hash::XxHash3_64;

const HEADER: usize = 64;

/// How the file is divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) slots: usize,
    /// In bytes, what one slot holds.
    pub(super) slot: usize,
}

/// How many slots are made ready at once.
const STEP: usize = 64;

/// Which entry is in a slot, and what it is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// The order of entries, from 1; a slot without one is empty.
    pub(super) number: u64,
    /// Which file, shortened.
    pub(super) path: u64,
    /// What the file was afterwards, shortened.
    pub(super) new: u64,
    /// Of the entry, in bytes. One that is longer than a slot is in a file of its own.
    pub(super) length: u64,
    check: u64,
}

/// The file, held by this process alone for as long as somebody may not see it change.
#[derive(Debug)]
pub(super) struct Ring {
    file: File,
    shape: Shape,
    headers: Vec<Header>,
}

impl Header {
    pub(super) fn of(number: u64, path: u64, new: u64, entry: &[u8]) -> Header {
        let check = XxHash3_64::oneshot(entry);
        Header { number, path, new, length: entry.len() as u64, check }
    }

    pub(super) fn fits(&self, entry: &[u8]) -> bool {
        self.length == entry.len() as u64 && self.check == XxHash3_64::oneshot(entry)
    }

    fn parse(bytes: &[u8]) -> Header {
        let mut numbers = bytes
            .chunks_exact(8)
            .map(|eight| eight.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight)));
        let mut next = || numbers.next().unwrap_or_default();
        Header { number: next(), path: next(), new: next(), length: next(), check: next() }
    }

    fn to_bytes(self) -> Vec<u8> {
        let Header { number, path, new, length, check } = self;
        [number, path, new, length, check].into_iter().flat_map(u64::to_le_bytes).collect()
    }
}

impl Ring {
    /// Reads the headers of a file, which may still be empty.
    pub(super) fn open(file: File, shape: Shape) -> io::Result<Ring> {
        let mut index = vec![0; shape.slots * HEADER];
        let mut read = 0;
        while let Some(rest) = index.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let headers = index.chunks_exact(HEADER).map(Header::parse).collect();
        Ok(Ring { file, shape, headers })
    }

    /// The entries there are, newest first, with their slots.
    pub(super) fn newest_first(&self) -> Vec<(usize, Header)> {
        let mut used: Vec<_> =
            self.headers.iter().copied().enumerate().filter(|(_, header)| header.number > 0).collect();
        used.sort_unstable_by_key(|(_, header)| std::cmp::Reverse(header.number));
        used
    }

    pub(super) fn is_inside(&self, header: &Header) -> bool {
        header.length <= self.shape.slot as u64
    }

    /// What stands in a slot; whether that fits its header, the caller has to look.
    pub(super) fn read(&self, slot: usize, header: &Header) -> io::Result<Vec<u8>> {
        let length = usize::try_from(header.length).unwrap_or(usize::MAX).min(self.shape.slot);
        let mut entry = vec![0; length];
        self.file.read_exact_at(&mut entry, self.place(slot))?;
        Ok(entry)
    }

    /// Where the next entry goes, with its number, and what has been there.
    pub(super) fn next(&self) -> (usize, u64, Header) {
        let (last, number) = self.newest_first().first().map_or((usize::MAX, 0), |(at, h)| (*at, h.number));
        let slot = last.wrapping_add(1) % self.shape.slots;
        (slot, number.saturating_add(1), self.headers[slot])
    }

    /// Puts an entry into a slot. It is on the disk only after [`sync`](Ring::sync).
    pub(super) fn write(&mut self, slot: usize, header: Header, entry: &[u8]) -> io::Result<()> {
        self.make_ready(slot)?;
        if self.is_inside(&header) {
            self.file.write_all_at(entry, self.place(slot))?;
        }
        self.set(slot, header)
    }

    /// Empties a slot.
    pub(super) fn clear(&mut self, slot: usize) -> io::Result<()> {
        self.set(slot, Header::parse(&[]))
    }

    /// Lets others in, and waits for the disk.
    pub(super) fn sync(self) -> io::Result<()> {
        files::unlock(&self.file)?;
        self.file.sync_data()
    }

    fn set(&mut self, slot: usize, header: Header) -> io::Result<()> {
        self.headers[slot] = header;
        self.file.write_all_at(&header.to_bytes(), (slot * HEADER) as u64)
    }

    /// Writes zeros where nothing was written yet, up to the end of this slot and some more.
    fn make_ready(&self, slot: usize) -> io::Result<()> {
        let ready = self.file.metadata()?.len();
        if self.place(slot + 1) <= ready {
            return Ok(());
        }
        let end = self.place((slot + STEP).min(self.shape.slots));
        let zeros = vec![0; usize::try_from(end - ready).unwrap_or_default()];
        self.file.write_all_at(&zeros, ready)?;
        self.file.sync_all()
    }

    fn place(&self, slot: usize) -> u64 {
        (self.shape.slots * HEADER + slot * self.shape.slot) as u64
    }
}
