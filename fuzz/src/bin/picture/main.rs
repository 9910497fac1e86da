//! Fuzzes the formats of pictures and the blocks of metadata in them. A new format is its seeds and two lines below.

mod mutate;
mod seeds;
mod target;

use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use fuzz::{Bounds, Target};
use mutate::Seeds;
use target::{block, picture};

static JPEG: LazyLock<Seeds> = LazyLock::new(seeds::jpeg::seeds);
static PNG: LazyLock<Seeds> = LazyLock::new(seeds::png::seeds);
static HEIC: LazyLock<Seeds> = LazyLock::new(seeds::heic::seeds);
static AVIF: LazyLock<Seeds> = LazyLock::new(seeds::avif::seeds);
static WEBP: LazyLock<Seeds> = LazyLock::new(seeds::webp::seeds);
static GIF: LazyLock<Seeds> = LazyLock::new(seeds::gif::seeds);
static TIFF: LazyLock<Seeds> = LazyLock::new(seeds::tiff::seeds);
static XMP: LazyLock<Seeds> = LazyLock::new(seeds::xmp::seeds);
static EXIF: LazyLock<Seeds> = LazyLock::new(seeds::exif::seeds);
static IIM: LazyLock<Seeds> = LazyLock::new(seeds::iim::seeds);

/// A release build needs a fraction of this for anything that is linear.
const TIME: Duration = Duration::from_secs(1);
const MEMORY: usize = 256 << 20;

macro_rules! target {
    ($name:literal, $seeds:ident, $run:expr) => {
        Target::new($name, |random| $seeds.input(random), $run).within(Bounds {
            time: TIME,
            memory: MEMORY,
            mutate: |random, input| $seeds.mutated(random, input),
        })
    };
}

fn main() -> ExitCode {
    fuzz::main(&[
        target!("jpeg", JPEG, picture),
        target!("png", PNG, picture),
        target!("heic", HEIC, picture),
        target!("avif", AVIF, picture),
        target!("webp", WEBP, picture),
        target!("gif", GIF, picture),
        target!("tiff", TIFF, picture),
        target!("xmp", XMP, |input| block(target::xmp(input))),
        target!("exif", EXIF, |input| block(target::exif(input))),
        target!("iim", IIM, |input| block(target::iim(input))),
    ])
}
