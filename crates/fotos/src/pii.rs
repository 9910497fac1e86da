//! Private things in text: what they look like, and where they stand in a picture.

mod api_key;
mod card;
mod number;
mod scan;
mod segment;

use ocr::Page;
use schemars::JsonSchema;
use serde::Serialize;

use crate::pixels::Pixels;
use crate::rect::Rect;
use crate::smear::smear;

/// The kinds of private things that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A social security number of the United States.
    Ssn,
    /// The number of a credit card.
    CreditCard,
    /// A key or token that opens something.
    ApiKey,
    /// An address of the internet, of version 4 or 6.
    IpAddress,
}

/// Something private, and where it is. What it says is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// What it is.
    pub kind: Kind,
    /// Where it is, with a margin.
    pub place: Rect,
}

/// Everything private on a page.
pub fn find(page: &Page) -> Vec<Detection> {
    let mut found = Vec::new();
    for segment in page.lines.iter().flat_map(segment::segments) {
        for (kind, characters) in scan::scan(&segment.text()) {
            found.extend(segment.place(characters).map(|place| Detection { kind, place }));
        }
    }
    found
}

/// The picture without what was found.
pub fn redacted(pixels: &Pixels, detections: &[Detection]) -> Pixels {
    let mut redacted = pixels.clone();
    for detection in detections {
        smear(&mut redacted, detection.place);
    }
    redacted
}
