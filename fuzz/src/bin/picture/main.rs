//! Fuzzes the formats of pictures and the blocks of metadata in them. A new format is its seeds and two lines below.

mod mutate;
mod seeds;
mod target;

use std::process::ExitCode;
use std::sync::LazyLock;

use fuzz::Target;
use mutate::Seeds;
use target::{block, picture};

static JPEG: LazyLock<Seeds> = LazyLock::new(seeds::jpeg::seeds);
static PNG: LazyLock<Seeds> = LazyLock::new(seeds::png::seeds);
static HEIC: LazyLock<Seeds> = LazyLock::new(seeds::heic::seeds);
static AVIF: LazyLock<Seeds> = LazyLock::new(seeds::avif::seeds);
static WEBP: LazyLock<Seeds> = LazyLock::new(seeds::webp::seeds);
static TIFF: LazyLock<Seeds> = LazyLock::new(seeds::tiff::seeds);
static XMP: LazyLock<Seeds> = LazyLock::new(seeds::xmp::seeds);
static EXIF: LazyLock<Seeds> = LazyLock::new(seeds::exif::seeds);
static IIM: LazyLock<Seeds> = LazyLock::new(seeds::iim::seeds);

fn main() -> ExitCode {
    fuzz::main(&[
        Target::new("jpeg", |random| JPEG.input(random), picture),
        Target::new("png", |random| PNG.input(random), picture),
        Target::new("heic", |random| HEIC.input(random), picture),
        Target::new("avif", |random| AVIF.input(random), picture),
        Target::new("webp", |random| WEBP.input(random), picture),
        Target::new("tiff", |random| TIFF.input(random), picture),
        Target::new("xmp", |random| XMP.input(random), |input| block(target::xmp(input))),
        Target::new("exif", |random| EXIF.input(random), |input| block(target::exif(input))),
        Target::new("iim", |random| IIM.input(random), |input| block(target::iim(input))),
    ])
}
