//! Drawing annotations, one after the other, anti-aliased.

use std::fmt::{self, Debug, Formatter};

use geometry::Rect;
use picture::Pixels;
use redaction::blur;
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

use super::letters::{Anchor, Letters, Words};
use super::{Annotation, Colour, Extent, Font, Point, Shape};

/// How much of a highlight hides what is below.
const HIGHLIGHT: f32 = 0.4;

/// Draws annotations. Fonts are looked for when the first words are drawn, and kept.
#[derive(Default)]
pub struct Renderer {
    letters: Option<Letters>,
}

impl Debug for Renderer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renderer").finish_non_exhaustive()
    }
}

impl Renderer {
    /// Draws all of them on a picture, in their order.
    pub fn draw<'a>(&mut self, annotations: impl IntoIterator<Item = &'a Annotation>, pixels: &mut Pixels) {
        for annotation in annotations {
            self.draw_one(annotation, pixels);
        }
    }

    fn draw_one(&mut self, annotation: &Annotation, pixels: &mut Pixels) {
        let Annotation { shape, colour, stroke, id: _ } = annotation;
        let pen = Pen { colour: *colour, stroke: *stroke };
        match shape {
            Shape::Arrow(points) => pen.arrow(points, pixels),
            Shape::Rect(frame) => pen.line(skia_rect(*frame).map(PathBuilder::from_rect), pixels),
            Shape::Ellipse(frame) => pen.line(skia_rect(*frame).and_then(PathBuilder::from_oval), pixels),
            Shape::Freehand(points) => pen.line(curve(points), pixels),
            Shape::Highlight(frame) => {
                let faint = Pen { colour: colour.fainter(HIGHLIGHT), ..pen };
                faint.area(skia_rect(*frame).map(PathBuilder::from_rect), pixels);
            }
            Shape::Blur(extent) => blur(pixels, extent.pixels()),
            Shape::Text { at, text, size, width, font } => {
                let anchor = Anchor::Corner(at.x, at.y);
                self.write(
                    &Words { text, size: *size, width: *width, colour: *colour, anchor, font: *font },
                    pixels,
                );
            }
            Shape::Step { at, number, size } => {
                pen.area(PathBuilder::from_circle(at.x, at.y, size / 2.0), pixels);
                let text = number.to_string();
                // Long numbers are smaller, so that they stay within the disc.
                let digits = u16::try_from(text.len()).map_or(1.0, f32::from);
                let letter = (size * 0.6).min(size * 1.2 / digits);
                let anchor = Anchor::Middle(at.x, at.y);
                self.write(
                    &Words {
                        text: &text,
                        size: letter.max(1.0),
                        width: None,
                        colour: colour.opposite(),
                        anchor,
                        font: Font::SansSerif,
                    },
                    pixels,
                );
            }
        }
    }

    fn write(&mut self, words: &Words<'_>, pixels: &mut Pixels) {
        self.letters.get_or_insert_with(Letters::new).draw(words, pixels);
    }
}

/// Draws in one colour.
#[derive(Clone, Copy)]
struct Pen {
    colour: Colour,
    stroke: f32,
}

impl Pen {
    fn line(self, path: Option<Path>, pixels: &mut Pixels) {
        let Some(path) = path else { return };
        let stroke = Stroke {
            width: self.stroke,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        self.cover(&path, self.stroke / 2.0 + 1.0, pixels, |canvas, path, paint, place| {
            canvas.stroke_path(path, paint, &stroke, place, None);
        });
    }

    fn area(self, path: Option<Path>, pixels: &mut Pixels) {
        let Some(path) = path else { return };
        self.cover(&path, 1.0, pixels, |canvas, path, paint, place| {
            canvas.fill_path(path, paint, FillRule::Winding, place, None);
        });
    }

    /// Draws on a canvas no larger than needed, and lays that on the picture.
    fn cover(
        self,
        path: &Path,
        margin: f32,
        pixels: &mut Pixels,
        draw: impl Fn(&mut Pixmap, &Path, &Paint<'_>, Transform),
    ) {
        let bounds = path.bounds();
        let around = Extent {
            x: bounds.left() - margin,
            y: bounds.top() - margin,
            width: bounds.width() + 2.0 * margin,
            height: bounds.height() + 2.0 * margin,
        }
        .pixels();
        let Some(seen) = pixels.frame().common(around) else { return };
        let Some(mut canvas) = Pixmap::new(seen.width, seen.height) else { return };
        let mut paint = Paint::default();
        let Colour { rgb: [red, green, blue], opacity } = self.colour;
        paint.set_color_rgba8(red, green, blue, opacity);
        #[allow(clippy::cast_precision_loss, reason = "places in a picture are small")]
        let place = Transform::from_translate(-(seen.x as f32), -(seen.y as f32));
        draw(&mut canvas, path, &paint, place);
        lay(&canvas, seen, pixels);
    }

    fn arrow(self, points: &[Point], pixels: &mut Pixels) {
        let [.., before, tip] = points else { return };
        // The head points where the line comes from, even if the last two points are the same.
        let from = points.iter().rev().find(|point| *point != tip).unwrap_or(before);
        let (dx, dy) = (tip.x - from.x, tip.y - from.y);
        let length = dx.hypot(dy).max(0.001);
        let (dx, dy) = (dx / length, dy / length);
        let head = (self.stroke * 4.0).max(12.0).min(length.max(self.stroke * 2.0));
        let half = head * 0.45;
        // The line ends inside the head, so that its round end does not stick out.
        let neck = Point { x: tip.x - dx * head * 0.7, y: tip.y - dy * head * 0.7 };
        let mut line = points.to_vec();
        if let Some(last) = line.last_mut() {
            *last = neck;
        }
        self.line(curve(&line), pixels);
        let base = Point { x: tip.x - dx * head, y: tip.y - dy * head };
        let triangle = as_path(|path| {
            path.move_to(tip.x, tip.y);
            path.line_to(base.x - dy * half, base.y + dx * half);
            path.line_to(base.x + dy * half, base.y - dx * half);
            path.close();
        });
        self.area(triangle, pixels);
    }
}

fn as_path(build: impl FnOnce(&mut PathBuilder)) -> Option<Path> {
    let mut builder = PathBuilder::new();
    build(&mut builder);
    builder.finish()
}

fn skia_rect(frame: Extent) -> Option<tiny_skia::Rect> {
    tiny_skia::Rect::from_xywh(frame.x, frame.y, frame.width, frame.height)
}

/// A line from the first point to the last, bent towards those between.
fn curve(points: &[Point]) -> Option<Path> {
    let [first, between @ .., last] = points else { return None };
    as_path(|path| {
        path.move_to(first.x, first.y);
        for (at, point) in between.iter().enumerate() {
            let end = match between.get(at + 1) {
                Some(next) => Point { x: f32::midpoint(point.x, next.x), y: f32::midpoint(point.y, next.y) },
                None => *last,
            };
            path.quad_to(point.x, point.y, end.x, end.y);
        }
        path.line_to(last.x, last.y);
    })
}

/// Lays a canvas on a picture.
fn lay(canvas: &Pixmap, place: Rect, pixels: &mut Pixels) {
    let stride = canvas.width() as usize;
    for (row, drawn) in pixels.rows_mut(place).zip(canvas.pixels().chunks_exact(stride)) {
        for (below, over) in row.chunks_exact_mut(3).zip(drawn) {
            let rest = u32::from(u8::MAX - over.alpha());
            // Skia's colours are multiplied with their opacity already.
            for (below, colour) in below.iter_mut().zip([over.red(), over.green(), over.blue()]) {
                *below = mixed(u32::from(*below) * rest + u32::from(colour) * 255);
            }
        }
    }
}

/// Lays a colour on a pixel: `opacity` is how much of it hides what is below, at most 255.
pub(super) fn mix(below: &mut [u8], rgb: [u8; 3], opacity: u32) {
    for (below, colour) in below.iter_mut().zip(rgb) {
        *below = mixed(u32::from(*below) * (255 - opacity) + u32::from(colour) * opacity);
    }
}

/// A sum of parts of 255, as a byte.
fn mixed(sum: u32) -> u8 {
    u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use picture::Pixels;

    use super::{Letters, Renderer};
    use crate::annotation::{Annotation, Colour, Extent, Font, Point, Shape};

    const WHITE: [u8; 3] = [255; 3];
    const RED: [u8; 3] = [255, 0, 0];

    fn drawn(shapes: Vec<Shape>) -> Pixels {
        let mut pixels = Pixels::plain(200, 100, WHITE);
        let annotations: Vec<Annotation> =
            shapes.into_iter().map(|shape| Annotation::new(shape, Colour::RED, 4.0)).collect();
        Renderer::default().draw(&annotations, &mut pixels);
        pixels
    }

    fn frame(x: f32, y: f32, width: f32, height: f32) -> Extent {
        Extent { x, y, width, height }
    }

    fn point(x: f32, y: f32) -> Point {
        Point { x, y }
    }

    fn inked(pixels: &Pixels) -> usize {
        pixels.bytes().chunks_exact(3).filter(|pixel| **pixel != WHITE).count()
    }

    #[test]
    fn a_box_has_lines_and_an_empty_middle() {
        let pixels = drawn(vec![Shape::Rect(frame(50.0, 20.0, 100.0, 60.0))]);
        let seen = [(50, 50), (150, 50), (100, 20), (100, 79)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(seen, [RED; 4]);
        let white = [(100, 50), (46, 50), (53, 50), (100, 16), (155, 50)].map(|(x, y)| pixels.at(x, y));
        assert_eq!(white, [WHITE; 5]);
    }

    #[test]
    fn an_ellipse_touches_its_box_and_leaves_its_corners() {
        let pixels = drawn(vec![Shape::Ellipse(frame(50.0, 20.0, 100.0, 60.0))]);
        assert_eq!([(50, 50), (149, 50), (100, 20)].map(|(x, y)| pixels.at(x, y)), [RED; 3]);
        assert_eq!([(52, 22), (148, 78), (100, 50)].map(|(x, y)| pixels.at(x, y)), [WHITE; 3]);
    }

    #[test]
    fn an_arrow_has_its_head_at_the_end() {
        let pixels = drawn(vec![Shape::Arrow(vec![point(20.0, 50.0), point(180.0, 50.0)])]);
        assert_eq!([(20, 50), (100, 50), (175, 50)].map(|(x, y)| pixels.at(x, y)), [RED; 3]);
        // Wide shortly before the end, narrow elsewhere, and nothing behind it.
        assert_eq!((pixels.at(166, 54), pixels.at(100, 54), pixels.at(184, 50)), (RED, WHITE, WHITE));
    }

    #[test]
    fn points_in_between_bend_a_line() {
        let bent = drawn(vec![Shape::Arrow(vec![point(20.0, 80.0), point(100.0, 10.0), point(180.0, 80.0)])]);
        let red: Vec<u32> = (0..100).filter(|y| bent.at(100, *y) == RED).collect();
        assert!(!red.is_empty() && red.iter().all(|y| (30..60).contains(y)), "{red:?}");
        let free =
            drawn(vec![Shape::Freehand((0..10_u8).map(|n| point(f32::from(n) * 20.0, 50.0)).collect())]);
        assert_eq!((free.at(90, 50), free.at(170, 50), free.at(90, 60)), (RED, RED, WHITE));
    }

    #[test]
    fn words_of_any_script_are_drawn() {
        for text in ["Hello", "Grüße", "Ελλάδα", "привет"] {
            let words = Shape::Text {
                at: point(10.0, 10.0),
                text: text.to_owned(),
                size: 24.0,
                width: None,
                font: Font::SansSerif,
            };
            let pixels = drawn(vec![words]);
            assert!(inked(&pixels) > 100, "{text}");
            // Above and left of the place there is nothing.
            assert!(pixels.rows(Rect::of_size(200, 8)).flatten().all(|byte| *byte == 255), "{text}");
        }
    }

    #[test]
    fn words_are_seen_through_as_their_colour_says() {
        let words = Shape::Text {
            at: point(10.0, 10.0),
            text: "MMM".to_owned(),
            size: 40.0,
            width: None,
            font: Font::SansSerif,
        };
        let darkest = |opacity| {
            let mut pixels = Pixels::plain(200, 100, WHITE);
            let colour = Colour { rgb: [0, 0, 0], opacity };
            Renderer::default().draw(&[Annotation::new(words.clone(), colour, 4.0)], &mut pixels);
            pixels.bytes().iter().copied().min()
        };
        assert_eq!([255, 128, 0].map(darkest), [Some(0), Some(127), Some(255)]);
    }

    #[test]
    fn letters_outside_of_the_picture_cost_nothing_and_are_not_kept() {
        let words = |text: String, size| Shape::Text {
            at: point(0.0, 0.0),
            text,
            size,
            width: None,
            font: Font::SansSerif,
        };
        let mut renderer = Renderer::default();
        let mut pixels = Pixels::plain(200, 100, WHITE);
        let long = words("W".repeat(10_000), 1_000.0);
        let many = words((' '..'\u{250}').collect(), 1_000.0);
        for shape in [long, many] {
            renderer.draw(&[Annotation::new(shape, Colour::RED, 1.0)], &mut pixels);
            assert_eq!(renderer.letters.as_ref().map(Letters::kept), Some(0));
        }
        let small: Vec<Annotation> = (0..600_u16)
            .map(|at| words("Words of many sizes".to_owned(), 8.0 + f32::from(at) / 50.0))
            .map(|shape| Annotation::new(shape, Colour::RED, 1.0))
            .collect();
        renderer.draw(&small, &mut pixels);
        assert!(renderer.letters.as_ref().is_some_and(|letters| letters.kept() < 5_000));
    }

    #[test]
    fn long_words_are_broken_where_they_are_asked_to() {
        let text = |width| Shape::Text {
            at: point(10.0, 10.0),
            text: "one two three four".to_owned(),
            size: 16.0,
            width,
            font: Font::SansSerif,
        };
        let lower = |pixels: &Pixels| {
            pixels.rows(Rect { x: 0, y: 50, width: 200, height: 50 }).flatten().any(|byte| *byte < 255)
        };
        assert!(!lower(&drawn(vec![text(None)])) && lower(&drawn(vec![text(Some(50.0))])));
    }

    #[test]
    fn a_highlight_is_seen_through_and_a_step_has_a_number() {
        let pixels = drawn(vec![Shape::Highlight(frame(0.0, 0.0, 50.0, 50.0))]);
        assert_eq!((pixels.at(25, 25), pixels.at(75, 25)), ([255, 153, 153], WHITE));
        let pixels = drawn(vec![Shape::Step { at: point(100.0, 50.0), number: 8, size: 40.0 }]);
        assert_eq!((pixels.at(84, 50), pixels.at(70, 50)), (RED, WHITE));
        let inside = pixels.part(Rect { x: 90, y: 40, width: 20, height: 20 }).expect("a part");
        assert!(inside.bytes().chunks_exact(3).any(|pixel| *pixel == WHITE), "a white number");
    }

    #[test]
    fn what_comes_later_lies_on_top() {
        let bar = |frame| Shape::Highlight(frame);
        let mut pixels = drawn(vec![bar(frame(0.0, 0.0, 100.0, 100.0))]);
        let blue = Colour { rgb: [0, 0, 255], opacity: 255 };
        let blue = Annotation::new(Shape::Rect(frame(20.0, 20.0, 60.0, 60.0)), blue, 6.0);
        Renderer::default().draw(&[blue], &mut pixels);
        assert_eq!(pixels.at(20, 50), [0, 0, 255]);
    }

    #[test]
    fn nothing_outside_is_drawn_and_nothing_breaks() {
        let far = vec![
            Shape::Rect(frame(-90_000.0, -90_000.0, 99_999.0, 99_999.0)),
            Shape::Ellipse(frame(500.0, 500.0, 0.1, 0.1)),
            Shape::Arrow(vec![point(10.0, 10.0), point(10.0, 10.0)]),
            Shape::Blur(frame(-50.0, -50.0, 60.0, 60.0)),
            Shape::Text {
                at: point(-500.0, 90_000.0),
                text: "gone\u{0}\n\n".to_owned(),
                size: 1_000.0,
                width: Some(1.0),
                font: Font::SansSerif,
            },
            Shape::Step { at: point(0.0, 0.0), number: u32::MAX, size: 4.0 },
        ];
        assert_eq!(drawn(far).width(), 200);
    }
}
