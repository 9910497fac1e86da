//! What a window consists of, as its program tells assistive technology: buttons, fields, menus. Where it tells nothing, what can be
//! read there.

#[cfg(target_os = "linux")]
mod atspi;

use geometry::Rect;
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(target_os = "linux")]
pub(crate) use atspi::elements;

/// A part of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Element {
    /// What it is: `push button`, `entry`, `menu item`; `text` where it was read.
    pub role: String,
    /// What it is called, or what was read.
    pub name: String,
    /// What is in it. A password is never told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What holds for it: `enabled`, `focused`, `checked` and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<&'static str>,
    /// Where it is on the screen.
    #[serde(rename = "box")]
    pub place: Rect,
    /// How deep it lies in the window.
    pub depth: usize,
    /// Who told it.
    pub source: Source,
}

/// Who told an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The program, through its accessibility interface.
    Accessibility,
    /// It was read in the picture.
    Ocr,
}

/// The window whose elements are wanted.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its process.
    pub pid: Option<u32>,
    /// Its title.
    pub title: String,
    /// Where its content is on the screen.
    pub place: Rect,
}

/// How many elements a window may have; the rest are not told.
pub const MOST_ELEMENTS: usize = 1_000;

/// Other systems are not asked yet.
#[cfg(not(target_os = "linux"))]
pub(crate) async fn elements(_: &Wanted) -> Vec<Element> {
    Vec::new()
}

/// Adds what was read where the program told nothing: lines on which no element with a name lies.
pub fn add_read(elements: &mut Vec<Element>, page: &ocr::Page, origin: (i32, i32)) {
    let told: Vec<Rect> = elements
        .iter()
        .filter(|element| !element.name.is_empty() || element.value.is_some() || element.role == PASSWORD)
        // A window and its panels lie under everything.
        .filter(|element| {
            !matches!(element.role.as_str(), "frame" | "dialog" | "window" | "panel" | "filler")
        })
        .map(|element| element.place)
        .collect();
    for line in &page.lines {
        let place = line.area.moved(origin.0, origin.1);
        let (x, y) = place.centre();
        let point = Rect { x, y, width: 1, height: 1 };
        if elements.len() >= MOST_ELEMENTS || told.iter().any(|told| told.contains(point)) {
            continue;
        }
        elements.push(Element {
            role: "text".to_owned(),
            name: line.to_string(),
            value: None,
            states: Vec::new(),
            place,
            depth: 0,
            source: Source::Ocr,
        });
    }
}

/// The role of a field for a password.
pub(crate) const PASSWORD: &str = "password text";
