//! Annotations as somebody gives them, checked into annotations that can be drawn.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Annotation, Colour, Frame, Point, Shape};

/// The kinds of annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A line with a head, through `points` or from one corner of the box to the other.
    Arrow,
    /// A box.
    Rect,
    /// An ellipse in a box.
    Ellipse,
    /// Words at `x`, `y`.
    Text,
    /// A box in which nothing can be read any more.
    Blur,
    /// A line through `points`.
    Freehand,
    /// A coloured box through which one sees.
    Highlight,
    /// A number in a disc around `x`, `y`.
    Step,
}

/// A point, in pixels of the full picture.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// From the left edge.
    pub x: f32,
    /// From the upper edge.
    pub y: f32,
}

/// An annotation as somebody gives it. All places are in pixels of the full picture.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// What to draw.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Left edge of the box, or where it begins.
    pub x: Option<f32>,
    /// Upper edge of the box, or where it begins.
    pub y: Option<f32>,
    /// Width of the box; of `text`, where its lines are broken.
    pub width: Option<f32>,
    /// Height of the box.
    pub height: Option<f32>,
    /// The points of an `arrow` (its head is at the last one) or a `freehand` line.
    pub points: Option<Vec<Place>>,
    /// The words of a `text`.
    pub text: Option<String>,
    /// Colour: `#RRGGBB`, `#RRGGBBAA` or a name.
    #[serde(default = "default_color")]
    #[schemars(default = "default_color_text")]
    pub color: Option<String>,
    /// Width of lines, in pixels.
    #[serde(default = "default_stroke_width")]
    pub stroke_width: f32,
    /// Size of letters, or of a `step`, in pixels; 16 and 24 without it.
    pub font_size: Option<f32>,
    /// The number of a `step`; without it, they are counted from 1.
    pub step_number: Option<u32>,
}

/// Kept apart from red, since a highlight has another colour of its own.
fn default_color() -> Option<String> {
    None
}

fn default_color_text() -> String {
    "#FF0000".to_owned()
}

fn default_stroke_width() -> f32 {
    2.0
}

/// An annotation that cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`annotations[{index}].{field}` {reason}")]
pub struct Mistake {
    /// Which annotation, counted from 0.
    pub index: usize,
    /// Which of its fields.
    pub field: &'static str,
    /// What is wrong with it, and what would be right.
    pub reason: String,
}

/// Places further away than this cannot be in a picture.
const FARTHEST: f32 = 100_000.0;

/// The widest line, the largest letter.
const WIDEST: f32 = 1_000.0;

/// The longest text, in characters, and the longest line, in points.
const LONGEST: usize = 10_000;

/// Checks annotations, in their order.
pub fn check(given: &[Given]) -> Result<Vec<Annotation>, Mistake> {
    let mut steps = 0;
    given
        .iter()
        .enumerate()
        .map(|(index, given)| {
            if given.kind == Kind::Step {
                steps = given.step_number.unwrap_or(steps + 1);
            }
            One { index, given }.check(steps)
        })
        .collect()
}

struct One<'a> {
    index: usize,
    given: &'a Given,
}

impl One<'_> {
    fn check(&self, step: u32) -> Result<Annotation, Mistake> {
        let Given { kind, color, stroke_width, .. } = self.given;
        let default = if *kind == Kind::Highlight { Colour::YELLOW } else { Colour::RED };
        let colour = match color {
            None => default,
            Some(text) => Colour::parse(text).ok_or_else(|| {
                self.mistake(
                    "color",
                    format!("is no colour: `{text}`; write `#RRGGBB`, `#RRGGBBAA` or a name such as `red`"),
                )
            })?,
        };
        let stroke = self.within("stroke_width", *stroke_width, 0.1, WIDEST)?;
        let shape = match kind {
            Kind::Arrow => Shape::Arrow(self.line()?),
            Kind::Rect => Shape::Rect(self.frame()?),
            Kind::Ellipse => Shape::Ellipse(self.frame()?),
            Kind::Text => Shape::Text {
                at: self.origin()?,
                text: self.text()?,
                size: self.within("font_size", self.given.font_size.unwrap_or(16.0), 1.0, WIDEST)?,
                width: self
                    .given
                    .width
                    .map(|width| self.within("width", width, 1.0, FARTHEST))
                    .transpose()?,
            },
            Kind::Blur => Shape::Blur(self.frame()?),
            Kind::Freehand => Shape::Freehand(self.points("freehand")?),
            Kind::Highlight => Shape::Highlight(self.frame()?),
            Kind::Step => Shape::Step {
                at: self.origin()?,
                number: step,
                size: self.within("font_size", self.given.font_size.unwrap_or(24.0), 4.0, WIDEST)?,
            },
        };
        Ok(Annotation { shape, colour, stroke })
    }

    fn mistake(&self, field: &'static str, reason: impl Into<String>) -> Mistake {
        Mistake { index: self.index, field, reason: reason.into() }
    }

    fn within(&self, field: &'static str, value: f32, least: f32, most: f32) -> Result<f32, Mistake> {
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(self.mistake(field, format!("is out of range: {value}; from {least} to {most}")))
    }

    fn needed(&self, field: &'static str, value: Option<f32>, least: f32) -> Result<f32, Mistake> {
        let value =
            value.ok_or_else(|| self.mistake(field, format!("is missing: a {} needs it", self.name())))?;
        self.within(field, value, least, FARTHEST)
    }

    fn name(&self) -> &'static str {
        match self.given.kind {
            Kind::Arrow => "arrow",
            Kind::Rect => "rect",
            Kind::Ellipse => "ellipse",
            Kind::Text => "text",
            Kind::Blur => "blur",
            Kind::Freehand => "freehand",
            Kind::Highlight => "highlight",
            Kind::Step => "step",
        }
    }

    fn origin(&self) -> Result<Point, Mistake> {
        let (x, y) = (self.needed("x", self.given.x, -FARTHEST)?, self.needed("y", self.given.y, -FARTHEST)?);
        Ok(Point { x, y })
    }

    fn frame(&self) -> Result<Frame, Mistake> {
        let Point { x, y } = self.origin()?;
        let width = self.needed("width", self.given.width, 0.1)?;
        let height = self.needed("height", self.given.height, 0.1)?;
        Ok(Frame { x, y, width, height })
    }

    fn points(&self, kind: &str) -> Result<Vec<Point>, Mistake> {
        let points = self.given.points.as_deref().unwrap_or_default();
        if !(2..=LONGEST).contains(&points.len()) {
            let reason = format!("has {} points: a {kind} needs from 2 to {LONGEST}", points.len());
            return Err(self.mistake("points", reason));
        }
        let checked = points.iter().map(|Place { x, y }| {
            Ok(Point {
                x: self.within("points", *x, -FARTHEST, FARTHEST)?,
                y: self.within("points", *y, -FARTHEST, FARTHEST)?,
            })
        });
        checked.collect()
    }

    /// An arrow through its points, or across its box, whose width and height may then be negative.
    fn line(&self) -> Result<Vec<Point>, Mistake> {
        if self.given.points.is_some() {
            return self.points("arrow");
        }
        let missing = self.given.x.is_none() && self.given.y.is_none();
        if missing {
            return Err(
                self.mistake("points", "is missing: an arrow needs it, or `x`, `y`, `width` and `height`")
            );
        }
        let Point { x, y } = self.origin()?;
        let width = self.needed("width", self.given.width, -FARTHEST)?;
        let height = self.needed("height", self.given.height, -FARTHEST)?;
        Ok(vec![Point { x, y }, Point { x: x + width, y: y + height }])
    }

    fn text(&self) -> Result<String, Mistake> {
        match self.given.text.as_deref() {
            None | Some("") => Err(self.mistake("text", "is missing: a text needs it")),
            Some(text) if text.chars().count() > LONGEST => {
                Err(self.mistake("text", format!("is too long: at most {LONGEST} characters")))
            }
            Some(text) => Ok(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Given, check};
    use crate::annotation::{Point, Shape};

    fn given(value: Value) -> Vec<Given> {
        serde_json::from_value(value).expect("annotations")
    }

    #[track_caller]
    fn mistake(annotation: &Value) -> String {
        let rect = json!({ "type": "rect", "x": 1, "y": 2, "width": 3, "height": 4 });
        check(&given(json!([rect, annotation]))).expect_err("a mistake").to_string()
    }

    #[test]
    fn a_mistake_names_the_annotation_and_the_field() {
        let text = mistake(&json!({ "type": "rect", "x": 1, "y": 2, "width": 3 }));
        assert_eq!(text, "`annotations[1].height` is missing: a rect needs it");
        let text = mistake(&json!({ "type": "blur", "x": 1, "y": 2, "width": 0, "height": 4 }));
        assert_eq!(text, "`annotations[1].width` is out of range: 0; from 0.1 to 100000");
        let text = mistake(&json!({ "type": "text", "x": 1, "y": 2, "text": "a", "color": "reddish" }));
        assert!(text.starts_with("`annotations[1].color` is no colour: `reddish`"), "{text}");
        let text = mistake(&json!({ "type": "freehand", "points": [{ "x": 1, "y": 1 }] }));
        assert_eq!(text, "`annotations[1].points` has 1 points: a freehand needs from 2 to 10000");
        let text = mistake(&json!({ "type": "text", "x": 1, "y": 2 }));
        assert_eq!(text, "`annotations[1].text` is missing: a text needs it");
        assert!(mistake(&json!({ "type": "arrow" })).contains("`annotations[1].points` is missing"));
        assert!(
            mistake(&json!({ "type": "ellipse", "x": 1e30, "y": 2, "width": 1, "height": 1 }))
                .contains(".x` is out of range")
        );
        assert!(
            mistake(&json!({ "type": "step", "x": 1, "y": 2, "stroke_width": -1 }))
                .contains(".stroke_width`")
        );
    }

    #[test]
    fn an_arrow_goes_through_its_points_or_across_its_box() {
        let arrows = json!([
            { "type": "arrow", "points": [{ "x": 1, "y": 2 }, { "x": 3, "y": 4 }] },
            { "type": "arrow", "x": 10, "y": 10, "width": -5, "height": 5 },
        ]);
        let ends: Vec<Point> = check(&given(arrows))
            .expect("sound")
            .into_iter()
            .filter_map(|annotation| match annotation.shape {
                Shape::Arrow(points) => points.last().copied(),
                _ => None,
            })
            .collect();
        assert_eq!(ends, [Point { x: 3.0, y: 4.0 }, Point { x: 5.0, y: 15.0 }]);
    }

    #[test]
    fn steps_are_counted() {
        let step = |number: Value| json!({ "type": "step", "x": 1, "y": 1, "step_number": number });
        let all = given(json!([step(json!(null)), step(json!(null)), step(json!(7)), step(json!(null))]));
        let numbers: Vec<u32> = check(&all)
            .expect("sound")
            .into_iter()
            .filter_map(|annotation| match annotation.shape {
                Shape::Step { number, .. } => Some(number),
                _ => None,
            })
            .collect();
        assert_eq!(numbers, [1, 2, 7, 8]);
    }
}
