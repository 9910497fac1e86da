//! What raw pictures and videos say themselves. They are read and never written. Of a video only the headers of its boxes are
//! read, and the packet: it may be longer than all memory.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use super::heic::boxes::{Header, MOST_BOXES};
use super::tiff::Tiff;
use super::{FormatError, sidecar};
use crate::plan::LARGEST;
use crate::stores::Stores;
use crate::words;
use crate::xmp;

/// The kind of a `uuid` box with XMP.
const XMP: [u8; 16] = 0xBE7A_CFCB_97A9_42E8_9C71_9994_91E3_AFAC_u128.to_be_bytes();
/// The longest header of a box, with the kind of a `uuid` box.
const HEADER: usize = 16 + XMP.len();
/// Boxes are far apart or close together; of what is between them, little is read.
const BUFFER: usize = 512;

/// Why a raw picture or video does not say what may be in it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RawError {
    /// It is a raw picture that would have to be read whole.
    #[error("it has {}, and of raw pictures at most {} are read", words::bytes(*.0), words::bytes(LARGEST))]
    TooLarge(u64),
    /// Its packet is longer than any that is read.
    #[error("its XMP has {}, and at most {} are read", words::bytes(*.0), words::bytes(xmp::MOST_BYTES as u64))]
    LongPacket(u64),
    /// It has more boxes than any video.
    #[error("it has more than 131,072 boxes")]
    ManyBoxes,
    /// It is TIFF that we cannot take apart.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Reading failed.
    #[error("reading it failed: {0}")]
    Io(#[from] io::Error),
}

/// The metadata blocks that we find in a raw picture or video. Of formats whose insides only their makers know, none.
pub(crate) fn stores(mut file: impl Read + Seek) -> Result<Option<Stores>, RawError> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut file = BufReader::with_capacity(BUFFER, file);
    let mut head = Vec::new();
    file.rewind()?;
    file.by_ref().take(sidecar::HEAD as u64).read_to_end(&mut head)?;
    if !matches!(head.first_chunk(), Some(b"II*\0" | b"MM\0*")) {
        let packet = Boxes { file, left: MOST_BOXES }.packet(size)?;
        return Ok(packet.map(|packet| Stores { xmp: Some(packet), ..Stores::default() }));
    }
    if size > LARGEST {
        return Err(RawError::TooLarge(size));
    }
    let mut whole = Vec::new();
    file.rewind()?;
    file.take(LARGEST).read_to_end(&mut whole)?;
    Ok(Some(Tiff::parse(&whole)?.stores().clone()))
}

/// A file of boxes.
struct Boxes<R> {
    file: BufReader<R>,
    /// How many boxes may still be looked at.
    left: usize,
}

/// Where the body of a box is, and whether that is XMP after the kind of a `uuid` box.
struct Found {
    kind: [u8; 4],
    body: Range<u64>,
    is_xmp: bool,
}

impl<R: Read + Seek> Boxes<R> {
    /// The packet of a film or of Canon's newest raw format: in a box of its own, or where `QuickTime` has it.
    fn packet(&mut self, size: u64) -> Result<Option<Vec<u8>>, RawError> {
        let all = self.within(0..size)?;
        if let Some(alone) = all.iter().find(|found| found.is_xmp) {
            return self.content(alone).map(Some);
        }
        let Some(moov) = all.into_iter().find(|found| found.kind == *b"moov") else { return Ok(None) };
        let inside = self.within(moov.body)?;
        for udta in inside.iter().filter(|found| found.kind == *b"udta") {
            let data = self.within(udta.body.clone())?;
            if let Some(packet) = data.iter().find(|found| found.kind == *b"XMP_") {
                return self.content(packet).map(Some);
            }
        }
        inside.iter().find(|found| found.is_xmp).map(|found| self.content(found)).transpose()
    }

    /// The boxes of a range that may matter, up to what is no box.
    fn within(&mut self, range: Range<u64>) -> Result<Vec<Found>, RawError> {
        let mut all = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let room = range.end - at;
            let mut head = Vec::with_capacity(HEADER);
            self.seek(at)?;
            self.file.by_ref().take(room.min(HEADER as u64)).read_to_end(&mut head)?;
            let Some(header) = Header::read(&head) else { break };
            let length = header.length.unwrap_or(room);
            if length < header.size || length > room {
                break;
            }
            self.left = self.left.checked_sub(1).ok_or(RawError::ManyBoxes)?;
            let body = at + header.size..at + length;
            let start = usize::try_from(header.size).ok().and_then(|size| head.get(size..));
            let is_xmp = header.kind == *b"uuid" && start.is_some_and(|start| start.starts_with(&XMP));
            if is_xmp || [*b"moov", *b"udta", *b"XMP_"].contains(&header.kind) {
                all.push(Found { kind: header.kind, body, is_xmp });
            }
            at += length;
        }
        Ok(all)
    }

    fn content(&mut self, found: &Found) -> Result<Vec<u8>, RawError> {
        let start = found.body.start + if found.is_xmp { XMP.len() as u64 } else { 0 };
        let length = found.body.end.saturating_sub(start);
        if length > xmp::MOST_BYTES as u64 {
            return Err(RawError::LongPacket(length));
        }
        let mut packet = Vec::new();
        self.seek(start)?;
        self.file.by_ref().take(length).read_to_end(&mut packet)?;
        Ok(packet)
    }

    /// Goes to a place, without reading again what is at hand.
    fn seek(&mut self, to: u64) -> io::Result<()> {
        let at = self.file.stream_position()?;
        let far = i64::try_from(i128::from(to) - i128::from(at)).map_err(io::Error::other)?;
        self.file.seek_relative(far)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read, Seek, SeekFrom};

    use super::{LARGEST, MOST_BOXES, RawError, XMP, stores};
    use crate::container::heic::boxes;
    use crate::xmp::MOST_BYTES;

    const PACKET: &[u8] = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";

    fn boxed(kind: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
        boxes::make(kind, parts).expect("short")
    }

    fn kind() -> Vec<u8> {
        boxed(*b"ftyp", &[b"qt  \0\0\0\0"])
    }

    /// The packet that is found in a file.
    fn packet(file: &[u8]) -> Option<Vec<u8>> {
        stores(Cursor::new(file)).expect("read").and_then(|stores| stores.xmp)
    }

    #[test]
    fn films_have_their_packet_in_one_of_three_places() {
        let uuid = boxed(*b"uuid", &[&XMP, PACKET]);
        let other = boxed(*b"uuid", &[&[7; 16], PACKET]);
        let data = boxed(*b"udta", &[&boxed(*b"XMP_", &[PACKET])]);
        let open = [b"\0\0\0\0uuid", &XMP[..], PACKET].concat();
        let long = [b"\0\0\0\x01uuid\0\0\0\0\0\0\0\x45", &XMP[..], PACKET].concat();
        for file in [
            [&kind()[..], &other, &uuid].concat(),
            [&kind()[..], &other, &open].concat(),
            [&kind()[..], &long, &other].concat(),
            [kind(), boxed(*b"moov", &[&boxed(*b"udta", &[]), &data])].concat(),
            [kind(), boxed(*b"moov", &[&other, &uuid])].concat(),
        ] {
            assert_eq!(packet(&file).as_deref(), Some(PACKET));
        }
        for file in [&[kind(), other].concat()[..], &kind(), b"FUJIFILMCCD-RAW 0201", b"", b"\0\0\0\x01uuid"]
        {
            assert_eq!(packet(file), None);
        }
    }

    /// A file that is nothing but zeros between a beginning and an end, and says how much of it was read.
    struct Long<'f> {
        start: Vec<u8>,
        end: Vec<u8>,
        size: u64,
        at: u64,
        read: &'f mut u64,
    }

    impl Read for Long<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let mut count = 0;
            for byte in buffer.iter_mut().take(usize::try_from(self.size - self.at).unwrap_or(usize::MAX)) {
                let index = |at| usize::try_from(at).expect("short");
                let end = self.size - self.end.len() as u64;
                *byte = match self.at {
                    at if at < self.start.len() as u64 => self.start[index(at)],
                    at if at >= end => self.end[index(at - end)],
                    _ => 0,
                };
                self.at += 1;
                count += 1;
            }
            *self.read += count as u64;
            Ok(count)
        }
    }

    impl Seek for Long<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.at = match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.at.checked_add_signed(by).expect("in the file"),
                SeekFrom::End(by) => self.size.checked_add_signed(by).expect("in the file"),
            };
            Ok(self.at)
        }
    }

    #[test]
    fn of_a_video_of_a_terabyte_only_the_headers_and_the_packet_are_read() {
        const FILM: u64 = 1 << 40;
        let start = [kind(), b"\0\0\0\x01mdat".to_vec(), FILM.to_be_bytes().to_vec()].concat();
        let end = boxed(*b"uuid", &[&XMP, PACKET]);
        let size = kind().len() as u64 + FILM + end.len() as u64;
        let mut read = 0;
        let found = stores(Long { start, end, size, at: 0, read: &mut read }).expect("read");
        assert_eq!(found.and_then(|stores| stores.xmp).as_deref(), Some(PACKET));
        assert!(read < 8_192, "{read}");
    }

    #[test]
    fn what_is_too_much_is_said() {
        let long = boxed(*b"uuid", &[&XMP, &vec![b' '; MOST_BYTES + 1]]);
        let refused = stores(Cursor::new([kind(), long].concat()));
        assert!(matches!(refused, Err(RawError::LongPacket(_))), "{refused:?}");
        let many = boxed(*b"udta", &[&boxed(*b"free", &[]).repeat(3)]).repeat(MOST_BOXES / 4);
        let refused = stores(Cursor::new([kind(), boxed(*b"moov", &[&many])].concat()));
        assert!(matches!(refused, Err(RawError::ManyBoxes)), "{refused:?}");
        let mut read = 0;
        let start = b"II*\0".to_vec();
        let large = Long { start, end: Vec::new(), size: LARGEST + 1, at: 0, read: &mut read };
        assert!(matches!(stores(large), Err(RawError::TooLarge(_))));
        assert!(matches!(stores(Cursor::new(b"II*\0\xff\xff\xff\xff")), Err(RawError::Format(_))));
    }
}
