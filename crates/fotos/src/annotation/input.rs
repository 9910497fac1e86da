//! Annotations as JSON has them, checked into annotations that can be drawn, and back.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Annotation, Colour, Extent, Font, Point, Shape};

/// The kinds of annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// An annotation as JSON has it. All places are in pixels of the full picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnnotationInput {
    /// A name of your choice for it; without it, it gets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub id: Option<String>,
    /// What to draw.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Left edge of the box, or where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<f32>,
    /// Upper edge of the box, or where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<f32>,
    /// Width of the box; of `text`, where its lines are broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f32>,
    /// Height of the box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f32>,
    /// The points of an `arrow` (its head is at the last one) or a `freehand` line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Point>>,
    /// The words of a `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Colour: `#RRGGBB`, `#RRGGBBAA` or a name.
    #[serde(default = "default_color")]
    #[schemars(default = "default_color_text")]
    pub color: Option<String>,
    /// Width of lines, in pixels.
    #[serde(default = "default_stroke_width")]
    pub stroke_width: f32,
    /// Size of letters, or of a `step`, in pixels; 16 and 24 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_size: Option<f32>,
    /// The number of a `step`; without it, they are counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_number: Option<u32>,
    /// The letters of a `text`, as the person chose them. Agents are not told: they have no use for it, and it is more to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub font_family: Option<Font>,
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
pub struct AnnotationError {
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

/// The longest name, in characters.
const LONGEST_ID: usize = 64;

/// More than anybody can look at.
pub const MOST_ANNOTATIONS: usize = 1_000;

/// Checks annotations, in their order.
pub fn check(inputs: &[AnnotationInput]) -> Result<Vec<Annotation>, AnnotationError> {
    let mut steps: u32 = 0;
    let mut ids = HashSet::new();
    let mut checked = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        if input.kind == Kind::Step {
            steps = input.step_number.unwrap_or(steps.saturating_add(1));
        }
        let check = Check { index, input };
        let annotation = check.annotation(steps)?;
        if !ids.insert(annotation.id.clone()) {
            return Err(check.mistake("id", format!("is there twice: `{}`", annotation.id)));
        }
        checked.push(annotation);
    }
    Ok(checked)
}

impl TryFrom<AnnotationInput> for Annotation {
    type Error = AnnotationError;

    fn try_from(input: AnnotationInput) -> Result<Annotation, AnnotationError> {
        Check { index: 0, input: &input }.annotation(input.step_number.unwrap_or(1))
    }
}

impl From<Annotation> for AnnotationInput {
    fn from(annotation: Annotation) -> AnnotationInput {
        let Annotation { id, shape, colour, stroke } = annotation;
        let mut input = AnnotationInput {
            id: Some(id),
            kind: shape.kind(),
            x: None,
            y: None,
            width: None,
            height: None,
            points: None,
            text: None,
            color: Some(colour.to_string()),
            stroke_width: stroke,
            font_size: None,
            step_number: None,
            font_family: None,
        };
        match shape {
            Shape::Arrow(points) | Shape::Freehand(points) => input.points = Some(points),
            Shape::Rect(extent) | Shape::Ellipse(extent) | Shape::Blur(extent) | Shape::Highlight(extent) => {
                let Extent { x, y, width, height } = extent;
                [input.x, input.y, input.width, input.height] = [x, y, width, height].map(Some);
            }
            Shape::Text { at, text, size, width, font } => {
                [input.x, input.y, input.font_size] = [at.x, at.y, size].map(Some);
                (input.width, input.text) = (width, Some(text));
                input.font_family = (font != Font::default()).then_some(font);
            }
            Shape::Step { at, number, size } => {
                [input.x, input.y, input.font_size] = [at.x, at.y, size].map(Some);
                input.step_number = Some(number);
            }
        }
        input
    }
}

impl Shape {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Shape::Arrow(_) => Kind::Arrow,
            Shape::Rect(_) => Kind::Rect,
            Shape::Ellipse(_) => Kind::Ellipse,
            Shape::Text { .. } => Kind::Text,
            Shape::Blur(_) => Kind::Blur,
            Shape::Freehand(_) => Kind::Freehand,
            Shape::Highlight(_) => Kind::Highlight,
            Shape::Step { .. } => Kind::Step,
        }
    }
}

/// Checks one annotation, and says which one it is.
struct Check<'a> {
    index: usize,
    input: &'a AnnotationInput,
}

impl Check<'_> {
    fn annotation(&self, step: u32) -> Result<Annotation, AnnotationError> {
        let AnnotationInput { kind, color, stroke_width, .. } = self.input;
        let id = match self.input.id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
            None => uuid::Uuid::new_v4().to_string(),
            Some(id) if id.chars().count() > LONGEST_ID => {
                return Err(self.mistake("id", format!("is too long: at most {LONGEST_ID} characters")));
            }
            Some(id) => id.to_owned(),
        };
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
            Kind::Rect => Shape::Rect(self.extent()?),
            Kind::Ellipse => Shape::Ellipse(self.extent()?),
            Kind::Text => Shape::Text {
                at: self.origin()?,
                text: self.text()?,
                size: self.within("font_size", self.input.font_size.unwrap_or(16.0), 1.0, WIDEST)?,
                width: self
                    .input
                    .width
                    .map(|width| self.within("width", width, 1.0, FARTHEST))
                    .transpose()?,
                font: self.input.font_family.unwrap_or_default(),
            },
            Kind::Blur => Shape::Blur(self.extent()?),
            Kind::Freehand => Shape::Freehand(self.points("freehand")?),
            Kind::Highlight => Shape::Highlight(self.extent()?),
            Kind::Step => Shape::Step {
                at: self.origin()?,
                number: step,
                size: self.within("font_size", self.input.font_size.unwrap_or(24.0), 4.0, WIDEST)?,
            },
        };
        Ok(Annotation { id, shape, colour, stroke })
    }

    fn mistake(&self, field: &'static str, reason: impl Into<String>) -> AnnotationError {
        AnnotationError { index: self.index, field, reason: reason.into() }
    }

    fn within(&self, field: &'static str, value: f32, least: f32, most: f32) -> Result<f32, AnnotationError> {
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(self.mistake(field, format!("is out of range: {value}; from {least} to {most}")))
    }

    fn needed(&self, field: &'static str, value: Option<f32>, least: f32) -> Result<f32, AnnotationError> {
        let value =
            value.ok_or_else(|| self.mistake(field, format!("is missing: a {} needs it", self.name())))?;
        self.within(field, value, least, FARTHEST)
    }

    fn name(&self) -> &'static str {
        match self.input.kind {
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

    fn origin(&self) -> Result<Point, AnnotationError> {
        let (x, y) = (self.needed("x", self.input.x, -FARTHEST)?, self.needed("y", self.input.y, -FARTHEST)?);
        Ok(Point { x, y })
    }

    fn extent(&self) -> Result<Extent, AnnotationError> {
        let Point { x, y } = self.origin()?;
        let width = self.needed("width", self.input.width, 0.1)?;
        let height = self.needed("height", self.input.height, 0.1)?;
        Ok(Extent { x, y, width, height })
    }

    fn points(&self, kind: &str) -> Result<Vec<Point>, AnnotationError> {
        let points = self.input.points.as_deref().unwrap_or_default();
        if !(2..=LONGEST).contains(&points.len()) {
            let reason = format!("has {} points: a {kind} needs from 2 to {LONGEST}", points.len());
            return Err(self.mistake("points", reason));
        }
        let checked = points.iter().map(|Point { x, y }| {
            Ok(Point {
                x: self.within("points", *x, -FARTHEST, FARTHEST)?,
                y: self.within("points", *y, -FARTHEST, FARTHEST)?,
            })
        });
        checked.collect()
    }

    /// An arrow through its points, or across its box, whose width and height may then be negative.
    fn line(&self) -> Result<Vec<Point>, AnnotationError> {
        if self.input.points.is_some() {
            return self.points("arrow");
        }
        let missing = self.input.x.is_none() && self.input.y.is_none();
        if missing {
            return Err(
                self.mistake("points", "is missing: an arrow needs it, or `x`, `y`, `width` and `height`")
            );
        }
        let Point { x, y } = self.origin()?;
        let width = self.needed("width", self.input.width, -FARTHEST)?;
        let height = self.needed("height", self.input.height, -FARTHEST)?;
        Ok(vec![Point { x, y }, Point { x: x + width, y: y + height }])
    }

    fn text(&self) -> Result<String, AnnotationError> {
        match self.input.text.as_deref() {
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

    use super::{AnnotationInput, check};
    use crate::annotation::{Annotation, Point, Shape};

    fn given(value: Value) -> Vec<AnnotationInput> {
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
    fn an_annotation_is_read_back_as_it_was_written_with_its_id() {
        let all = json!([
            { "id": "one", "type": "rect", "x": 1, "y": 2, "width": 3, "height": 4, "color": "#12345678" },
            { "type": "arrow", "points": [{ "x": 1, "y": 2 }, { "x": 3, "y": 4 }], "stroke_width": 5 },
            { "type": "text", "x": 1, "y": 2, "text": "Grüße", "font_size": 20, "width": 90, "font_family": "monospace" },
            { "type": "step", "x": 1, "y": 2, "step_number": 7 },
            { "type": "highlight", "x": 1, "y": 2, "width": 3, "height": 4 },
        ]);
        let checked = check(&given(all)).expect("sound");
        assert_eq!(checked[0].id, "one");
        assert!(checked.iter().skip(1).all(|annotation| annotation.id.len() == 36));
        let json = serde_json::to_string(&checked).expect("JSON");
        assert_eq!(serde_json::from_str::<Vec<Annotation>>(&json).expect("annotations"), checked);
        let twice = json!({ "id": "a", "type": "step", "x": 1, "y": 1 });
        let refused = check(&given(json!([twice, twice]))).expect_err("twice").to_string();
        assert_eq!(refused, "`annotations[1].id` is there twice: `a`");
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
