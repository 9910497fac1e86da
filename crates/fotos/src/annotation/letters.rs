//! Words as pixels, in any script: shaped and drawn by `cosmic-text`, with one font of our own for machines that have
//! none.

use cosmic_text::{Attrs, Buffer, Color, Family, FontSystem, Metrics, Shaping, SwashCache, Wrap, fontdb};
use geometry::Rect;
use picture::Pixels;

use super::{Colour, Font};

/// The font that is always there: our own.
const SANS_SERIF: &str = "DejaVu Sans";

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

    pub(super) fn draw(&mut self, words: &Words<'_>, pixels: &mut Pixels) {
        let mut lines = Buffer::new(&mut self.fonts, Metrics::new(words.size, words.size * 1.25));
        lines.set_wrap(&mut self.fonts, Wrap::WordOrGlyph);
        lines.set_size(&mut self.fonts, words.width, None);
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
        let Colour { rgb: [red, green, blue], opacity } = words.colour;
        let colour = Color::rgba(red, green, blue, opacity);
        lines.draw(&mut self.fonts, &mut self.drawn, colour, |x, y, width, height, colour| {
            let rect = Rect { x: left + x, y: top + y, width, height };
            let [red, green, blue, opacity] = colour.as_rgba();
            super::render::blend(pixels, rect, Colour { rgb: [red, green, blue], opacity });
        });
    }
}
