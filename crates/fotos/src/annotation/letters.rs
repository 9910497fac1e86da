//! Words as pixels, in any script: shaped and drawn by `cosmic-text`, with one font of our own for machines that have
//! none.

use cosmic_text::{
    Attrs, Buffer, Family, FontSystem, LayoutGlyph, Metrics, Shaping, SwashCache, SwashContent, SwashImage,
    Wrap, fontdb,
};
use geometry::Rect;
use picture::Pixels;

use super::render::mix;
use super::{Colour, Font};

/// The font that is always there: our own.
const SANS_SERIF: &str = "DejaVu Sans";

/// How many drawn letters are kept, and the largest of them: those of a thousand sizes would fill the memory.
const MOST_KEPT: usize = 4_096;
const LARGEST_KEPT: f32 = 96.0;

/// The first of these that this machine has.
fn installed<'a>(found: &fontdb::Database, wanted: &[&'a str]) -> &'a str {
    let is_there =
        |name: &&&str| found.faces().any(|face| face.families.iter().any(|(family, _)| family == **name));
    wanted.iter().find(is_there).copied().unwrap_or(SANS_SERIF)
}

/// The fonts of this machine, and the letters drawn so far.
pub(super) struct Letters {
    fonts: FontSystem,
    drawn: SwashCache,
}

/// Where words go.
pub(super) enum Anchor {
    /// Their upper left corner.
    Corner(f32, f32),
    /// Their middle.
    Middle(f32, f32),
}

/// Some words to draw.
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) size: f32,
    pub(super) width: Option<f32>,
    pub(super) colour: Colour,
    pub(super) anchor: Anchor,
    pub(super) font: Font,
}

impl Letters {
    /// Looks for fonts, which takes some milliseconds.
    pub(super) fn new() -> Letters {
        let mut found = fontdb::Database::new();
        found.load_font_data(dejavu::sans::regular().to_vec());
        found.load_system_fonts();
        found.set_sans_serif_family(SANS_SERIF);
        let serif = installed(&found, &["DejaVu Serif", "Liberation Serif", "Noto Serif", "Times New Roman"]);
        found.set_serif_family(serif);
        let monospace =
            installed(&found, &["DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", "Consolas"]);
        found.set_monospace_family(monospace);
        let fonts = FontSystem::new_with_locale_and_db("en-US".to_owned(), found);
        Letters { fonts, drawn: SwashCache::new() }
    }

    /// How many drawn letters are kept.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.drawn.image_cache.len()
    }

    pub(super) fn draw(&mut self, words: &Words<'_>, pixels: &mut Pixels) {
        let mut lines = Buffer::new(&mut self.fonts, Metrics::new(words.size, words.size * 1.25));
        lines.set_wrap(&mut self.fonts, Wrap::WordOrGlyph);
        let below = match words.anchor {
            Anchor::Corner(_, y) => Some((edge(pixels.height()) - y).max(0.0) + 2.0 * words.size),
            Anchor::Middle(..) => None,
        };
        lines.set_size(&mut self.fonts, words.width, below);
        let family = match words.font {
            Font::SansSerif => Family::SansSerif,
            Font::Serif => Family::Serif,
            Font::Monospace => Family::Monospace,
        };
        let attributes = Attrs::new().family(family);
        lines.set_text(&mut self.fonts, words.text, &attributes, Shaping::Advanced, None);
        lines.shape_until_scroll(&mut self.fonts, false);
        let (x, y) = match words.anchor {
            Anchor::Corner(x, y) => (x, y),
            Anchor::Middle(x, y) => {
                let width = lines.layout_runs().map(|run| run.line_w).fold(0.0, f32::max);
                let height: f32 = lines.layout_runs().map(|run| run.line_height).sum();
                (x - width / 2.0, y - height / 2.0)
            }
        };
        #[allow(clippy::cast_possible_truncation, reason = "places are within a hundred thousand")]
        let (left, top) = (x.round() as i32, y.round() as i32);
        for run in lines.layout_runs() {
            for glyph in run.glyphs {
                let at = glyph.physical((0.0, run.line_y), 1.0);
                let (x, y) = (left.saturating_add(at.x), top.saturating_add(at.y));
                if pixels.frame().common(around(glyph, x, y)).is_none() {
                    continue;
                }
                if let Some(image) = self.drawn.get_image(&mut self.fonts, at.cache_key) {
                    lay(image, (x, y), words.colour, pixels);
                }
            }
        }
        if words.size > LARGEST_KEPT || self.drawn.image_cache.len() > MOST_KEPT {
            self.drawn = SwashCache::new();
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "places in a picture are small")]
fn edge(pixels: u32) -> f32 {
    pixels as f32
}

/// Where a letter that stands at a place can be seen: accents and tails reach beyond its own box.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is neither negative nor large"
)]
fn around(glyph: &LayoutGlyph, x: i32, y: i32) -> Rect {
    let (reach, width) = ((3.0 * glyph.font_size).ceil() as u32, glyph.w.abs().ceil() as u32);
    let before = i32::try_from(reach).unwrap_or(i32::MAX);
    Rect {
        x: x.saturating_sub(before),
        y: y.saturating_sub(before),
        width: 2 * reach + width,
        height: 2 * reach,
    }
}

/// Lays a letter on the picture, where it is inside.
fn lay(letter: &SwashImage, (x, y): (i32, i32), colour: Colour, pixels: &mut Pixels) {
    let size = letter.placement;
    let place = Rect {
        x: x.saturating_add(size.left),
        y: y.saturating_sub(size.top),
        width: size.width,
        height: size.height,
    };
    // Letters with colours of their own have four bytes for a pixel, others one, which says how much of it is covered.
    let bytes = match letter.content {
        SwashContent::Mask => 1,
        SwashContent::Color => 4,
        SwashContent::SubpixelMask => return,
    };
    let Some(seen) = pixels.frame().common(place) else { return };
    let (skipped, above) = (place.x.abs_diff(seen.x) as usize, place.y.abs_diff(seen.y) as usize);
    let rows = letter.data.chunks_exact((size.width as usize * bytes).max(1)).skip(above);
    for (row, drawn) in pixels.rows_mut(seen).zip(rows) {
        for (below, over) in row.chunks_exact_mut(3).zip(drawn.chunks_exact(bytes).skip(skipped)) {
            let (rgb, covered) = match *over {
                [red, green, blue, covered] => ([red, green, blue], covered),
                [covered] => (colour.rgb, covered),
                _ => return,
            };
            mix(below, rgb, u32::from(covered) * u32::from(colour.opacity) / 255);
        }
    }
}
