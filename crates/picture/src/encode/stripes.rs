//! Rows of pixels made small: stripes of the picture, each by whichever processor is free, that follow each other in one
//! stream.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use zlib_rs::adler32::{adler32, adler32_combine};
use zlib_rs::{Deflate, DeflateFlush};

/// Before each row: that it is written as it is.
const NO_FILTER: u8 = 0;

/// The compressor gets rows in pieces of about this many bytes: little enough to stay near the processor.
const PIECE: usize = 32 * 1024;

/// The pixels of a stripe take about this many bytes: little next to what it costs to begin one, and enough stripes for
/// processors to share.
const STRIPE: usize = 384 * 1024;

/// More processors than this are not asked to help with one picture.
const MOST_THREADS: usize = 4;

/// How many threads there are to share the work. Looking that up takes longer than a small picture.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS));

/// How far what was compressed looks back.
const WINDOW_BITS: u8 = 15;

/// Room for the compressor to write to is added in such steps.
const ROOM: usize = 64 * 1024;

/// What a decoder is told first: how far it has to look back, and that nothing else is needed.
const BEGINNING: [u8; 2] = [0x78, 0x01];

/// A part of the stream.
struct Stripe {
    bytes: Vec<u8>,
    checksum: u32,
    /// How long it is when it is read.
    length: u64,
}

/// The stream for rows of so many bytes, in parts; nothing where the compressor gives up.
pub(super) fn compress(pixels: &[u8], stride: usize, level: i32) -> Option<Vec<Vec<u8>>> {
    let rows = (STRIPE / stride.max(1)).max(1);
    let stripes: Vec<&[u8]> = pixels.chunks(rows.checked_mul(stride)?).collect();
    let done = share(&stripes, stride, level)?;
    let checksum = done.iter().fold(1, |sum, stripe| adler32_combine(sum, stripe.checksum, stripe.length));
    let mut parts: Vec<Vec<u8>> = done.into_iter().map(|stripe| stripe.bytes).collect();
    parts.first_mut()?.splice(..0, BEGINNING);
    parts.last_mut()?.extend_from_slice(&checksum.to_be_bytes());
    Some(parts)
}

/// The stripes in their order, made by as many threads as there are processors.
fn share(stripes: &[&[u8]], stride: usize, level: i32) -> Option<Vec<Stripe>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut compressor = Deflate::new(level, false, WINDOW_BITS);
        let mut done = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(stripe) = stripes.get(index)
        {
            let is_last = index + 1 == stripes.len();
            done.push((index, one(&mut compressor, stripe, stride, is_last)));
            compressor.reset();
        }
        done
    };
    let threads = stripes.len().min(*THREADS);
    let mut done = thread::scope(|scope| {
        // Where there is no thread to be had, there is less help.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let helpers: Vec<_> = (1..threads).filter_map(start).collect();
        let mut done = work();
        for helper in helpers {
            done.extend(helper.join().ok()?);
        }
        Some(done)
    })?;
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, stripe)| stripe).collect()
}

fn one(compressor: &mut Deflate, pixels: &[u8], stride: usize, is_last: bool) -> Option<Stripe> {
    let mut bytes = Vec::new();
    let mut filled = 0;
    let mut push = |mut input: &[u8], flush| {
        loop {
            if bytes.len() - filled < ROOM / 2 {
                bytes.resize(filled + ROOM, 0);
            }
            let (read, written) = (compressor.total_in(), compressor.total_out());
            compressor.compress(input, bytes.get_mut(filled..)?, flush).ok()?;
            filled += usize::try_from(compressor.total_out() - written).ok()?;
            input = input.get(usize::try_from(compressor.total_in() - read).ok()?..)?;
            // As long as there is room left, the compressor has nothing more to say.
            if input.is_empty() && filled < bytes.len() {
                return Some(());
            }
        }
    };
    let (mut checksum, mut length) = (1, 0);
    let rows = (PIECE / stride.max(1)).max(1);
    let mut piece = Vec::with_capacity(rows.min(pixels.len() / stride.max(1)) * (stride + 1));
    for some in pixels.chunks(rows * stride) {
        piece.clear();
        for row in some.chunks_exact(stride) {
            piece.push(NO_FILTER);
            piece.extend_from_slice(row);
        }
        push(&piece, DeflateFlush::NoFlush)?;
        checksum = adler32(checksum, &piece);
        length += piece.len() as u64;
    }
    push(&[], if is_last { DeflateFlush::Finish } else { DeflateFlush::SyncFlush })?;
    bytes.truncate(filled);
    Some(Stripe { bytes, checksum, length })
}
