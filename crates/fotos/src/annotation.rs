//! What is drawn on a picture. One renderer for the tools and for the desktop program, so that both show the same.

mod colour;
mod given;
mod letters;
mod render;

pub use colour::Colour;
pub use given::{Given, Kind, Mistake, Place, check};
pub use render::Renderer;

/// A place in a picture; fractions are fine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// From the left edge.
    pub x: f32,
    /// From the upper edge.
    pub y: f32,
}

/// A box in a picture, of some size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// From the left edge.
    pub x: f32,
    /// From the upper edge.
    pub y: f32,
    /// How wide it is: more than nothing.
    pub width: f32,
    /// How high it is: more than nothing.
    pub height: f32,
}

/// One thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// What it is, and where.
    pub shape: Shape,
    /// Its colour.
    pub colour: Colour,
    /// How wide its lines are, in pixels.
    pub stroke: f32,
}

/// What can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through two points or more, with a head at the last one.
    Arrow(Vec<Point>),
    /// A box.
    Rect(Frame),
    /// The ellipse that fills a box.
    Ellipse(Frame),
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
    },
    /// A box in which nothing can be read any more.
    Blur(Frame),
    /// A line through many points.
    Freehand(Vec<Point>),
    /// A box through which one sees.
    Highlight(Frame),
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
