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
        Target { name: "jpeg", input: |random| JPEG.input(random), run: picture },
        Target { name: "png", input: |random| PNG.input(random), run: picture },
        Target { name: "heic", input: |random| HEIC.input(random), run: picture },
        Target { name: "avif", input: |random| AVIF.input(random), run: picture },
        Target { name: "webp", input: |random| WEBP.input(random), run: picture },
        Target { name: "tiff", input: |random| TIFF.input(random), run: picture },
        Target { name: "xmp", input: |random| XMP.input(random), run: |input| block(target::xmp(input)) },
        Target { name: "exif", input: |random| EXIF.input(random), run: |input| block(target::exif(input)) },
        Target { name: "iim", input: |random| IIM.input(random), run: |input| block(target::iim(input)) },
    ])
}
