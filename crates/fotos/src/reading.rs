//! The text of a screenshot, as others get it.

use ocr::Page;
use schemars::JsonSchema;
use serde::Serialize;

use crate::screenshot::Screenshot;

/// What was read in a screenshot.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Reading {
    /// Which screenshot.
    pub screenshot_id: String,
    /// The language it was read in.
    pub language: String,
    /// All of the text, line by line.
    pub text: String,
    /// Its words, in reading order.
    pub regions: Vec<Region>,
}

/// A word and where it stands, in pixels of the full picture.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Region {
    /// The word.
    pub text: String,
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
    /// How sure the reader is, from 0 to 1.
    pub confidence: f64,
}

impl Reading {
    /// A page of a screenshot.
    pub fn new(screenshot: &Screenshot, language: &str, page: &Page) -> Reading {
        let regions = page.words().map(|word| Region {
            text: word.text.clone(),
            x: word.area.x,
            y: word.area.y,
            w: word.area.width,
            h: word.area.height,
            confidence: (f64::from(word.confidence) * 1_000.0).round() / 1_000.0,
        });
        Reading {
            screenshot_id: screenshot.id().to_string(),
            language: language.to_owned(),
            text: page.to_string(),
            regions: regions.collect(),
        }
    }
}
