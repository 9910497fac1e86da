//! What is drawn on a picture. One renderer for the tools and for the desktop program, so that both show the same.

mod colour;
mod input;
mod letters;
mod render;

pub use colour::Colour;
pub use input::{AnnotationError, AnnotationInput, Kind, MOST_ANNOTATIONS, check};
pub use render::Renderer;

use geometry::Rect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in a picture; fractions are fine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// From the left edge.
    pub x: f32,
    /// From the upper edge.
    pub y: f32,
}

/// A box in a picture, of some size; fractions are fine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// From the left edge.
    pub x: f32,
    /// From the upper edge.
    pub y: f32,
    /// How wide it is: more than nothing.
    pub width: f32,
    /// How high it is: more than nothing.
    pub height: f32,
}

impl Extent {
    /// The whole pixels it touches.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places are within some hundred thousand"
    )]
    pub fn pixels(self) -> Rect {
        let (left, top) = (self.x.floor(), self.y.floor());
        let (right, bottom) = ((self.x + self.width).ceil(), (self.y + self.height).ceil());
        Rect { x: left as i32, y: top as i32, width: (right - left) as u32, height: (bottom - top) as u32 }
    }
}

/// One thing to draw. As JSON it is what `annotate_screenshot` takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "AnnotationInput", try_from = "AnnotationInput")]
pub struct Annotation {
    /// Its name, unique among those of a picture.
    pub id: String,
    /// What it is, and where.
    pub shape: Shape,
    /// Its colour.
    pub colour: Colour,
    /// How wide its lines are, in pixels.
    pub stroke: f32,
}

impl Annotation {
    /// One with a name nothing else has.
    pub fn new(shape: Shape, colour: Colour, stroke: f32) -> Annotation {
        Annotation { id: uuid::Uuid::new_v4().to_string(), shape, colour, stroke }
    }
}

/// A kind of letters; which font that is depends on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Font {
    /// Plain ones.
    #[default]
    SansSerif,
    /// Those of books.
    Serif,
    /// Those of terminals.
    Monospace,
}

/// What can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through two points or more, with a head at the last one.
    Arrow(Vec<Point>),
    /// A box.
    Rect(Extent),
    /// The ellipse that fills a box.
    Ellipse(Extent),
    /// Words.
    Text {
        /// Upper left corner.
        at: Point,
        /// The words; lines end where they do.
        text: String,
        /// How high a line is, about, in pixels.
        size: f32,
        /// Where lines are broken, if anywhere.
        width: Option<f32>,
        /// Its letters.
        font: Font,
    },
    /// A box in which nothing can be read any more.
    Blur(Extent),
    /// A line through many points.
    Freehand(Vec<Point>),
    /// A box through which one sees.
    Highlight(Extent),
    /// A number in a disc.
    Step {
        /// Its middle.
        at: Point,
        /// The number.
        number: u32,
        /// How wide the disc is, in pixels.
        size: f32,
    },
}
