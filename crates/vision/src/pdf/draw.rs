//! The process that draws a page.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::page::Page;
use hayro::hayro_syntax::{LoadPdfError, Pdf};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use picture::{Effort, Layout, Picture};

use super::Outcome;
use crate::load::MOST_PICTURE;
use crate::sys;

/// The longer edge of a drawn page, in pixels: small print can be read, and no provider looks closer.
const EDGE: f32 = 2048.0;

/// Memory of the process, in bytes.
const MEMORY: u64 = 1 << 30;

/// Seconds of a processor.
const SECONDS: u64 = 20;

/// Draws one page of the PDF on stdin, and writes what came of it to stdout. For a process that does nothing else: it loses
/// most of what a process may do.
pub fn draw_page(number: u32) -> ExitCode {
    if sys::confine(MEMORY, SECONDS).is_err() {
        return ExitCode::FAILURE;
    }
    let mut file = Vec::new();
    let read = io::stdin().lock().take(MOST_PICTURE as u64).read_to_end(&mut file);
    match read.and_then(|_| answer(draw(file, number))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn answer((outcome, png): (Outcome, Vec<u8>)) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &outcome)?;
    out.write_all(b"\n")?;
    out.write_all(&png)?;
    out.flush()
}

fn draw(file: Vec<u8>, number: u32) -> (Outcome, Vec<u8>) {
    let pdf = match Pdf::new(file) {
        Ok(pdf) => pdf,
        Err(LoadPdfError::Decryption(_)) => return (Outcome::Locked, Vec::new()),
        Err(LoadPdfError::Invalid) => return (Outcome::Damaged, Vec::new()),
    };
    let pages = pdf.pages().len();
    let index = (number as usize).wrapping_sub(1);
    match pdf.pages().get(index).map(paint) {
        None if pages == 0 => (Outcome::Damaged, Vec::new()),
        None => (Outcome::NoSuchPage { pages }, Vec::new()),
        Some(None) => (Outcome::Damaged, Vec::new()),
        Some(Some(png)) => (Outcome::Drawn { pages }, png),
    }
}

/// The page on white paper, as PNG.
fn paint(page: &Page<'_>) -> Option<Vec<u8>> {
    let (width, height) = page.render_dimensions();
    let scale = EDGE / width.max(height);
    // A page may be a thread; its picture has a pixel at least. The renderer cuts fractions off.
    let stretch = |edge: f32| ((edge * scale).round().max(1.0) + 0.01) / edge;
    let paper = PixmapSettings { x_scale: stretch(width), y_scale: stretch(height), bg_color: WHITE };
    let settings = InterpreterSettings::default();
    let pixels = hayro::render(page, &RenderCache::new(), &settings, &RenderSettings::default(), &paper);
    let (width, height) = (u32::from(pixels.width()), u32::from(pixels.height()));
    let opaque = pixels.data_as_u8_slice().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    let picture = Picture::new(Layout::Rgb, width, height, opaque.collect()).ok()?;
    picture::encode_png(&picture, Effort::Fast).ok().map(|encoded| encoded.bytes)
}
