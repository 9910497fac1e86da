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
        .filter(|element| {
            !element.name.is_empty() || element.value.is_some() || element.role.contains(PASSWORD)
        })
        // A window and its panels lie under everything.
        .filter(|element| {
            !matches!(element.role.as_str(), "frame" | "dialog" | "window" | "panel" | "filler" | TEXT_BOX)
        })
        .map(|element| element.place)
        .collect();
    let passwords: Vec<Rect> =
        elements.iter().filter(|one| one.role.contains(PASSWORD)).map(|one| one.place).collect();
    let lies_in = |areas: &[Rect], place: Rect| {
        let (x, y) = place.centre();
        areas.iter().any(|area| area.contains(Rect { x, y, width: 1, height: 1 }))
    };
    for line in &page.lines {
        // A label and the field beside it may be one line, and what is in the field may be shown.
        let open = line.words.iter().filter(|word| !lies_in(&passwords, word.area.moved(origin.0, origin.1)));
        let (areas, texts): (Vec<Rect>, Vec<&str>) = open.map(|word| (word.area, word.text.as_str())).unzip();
        let Some(area) = areas.into_iter().reduce(Rect::joined) else { continue };
        let place = area.moved(origin.0, origin.1);
        if elements.len() >= MOST_ELEMENTS || lies_in(&told, place) {
            continue;
        }
        elements.push(Element {
            role: "text".to_owned(),
            name: texts.join(" "),
            value: None,
            states: Vec::new(),
            place,
            depth: 0,
            source: Source::Ocr,
        });
    }
}

/// The role of every field of GTK 4, passwords included.
pub(crate) const TEXT_BOX: &str = "text box";

/// What is in the roles of fields for passwords.
pub(crate) const PASSWORD: &str = "password";

#[cfg(test)]
mod tests {
    use geometry::Rect;
    use ocr::{Line, Page, Word};

    use super::{Element, Source, add_read};

    fn word(text: &str, x: i32) -> Word {
        let area = Rect { x, y: 10, width: 60, height: 16 };
        Word { text: text.to_owned(), area, confidence: 1.0, characters: Vec::new() }
    }

    #[test]
    fn what_can_be_read_in_a_password_field_is_not_told_with_its_label() {
        let words = vec![word("Secret", 10), word("hunter2", 100)];
        let page = Page { lines: vec![Line { area: Rect { x: 10, y: 10, width: 150, height: 16 }, words }] };
        let field = Element {
            role: "password text".to_owned(),
            name: String::new(),
            value: None,
            states: Vec::new(),
            place: Rect { x: 590, y: 300, width: 200, height: 40 },
            depth: 1,
            source: Source::Accessibility,
        };
        let mut elements = vec![field];
        add_read(&mut elements, &page, (500, 300));
        let read: Vec<&str> = elements.iter().skip(1).map(|element| element.name.as_str()).collect();
        assert_eq!(read, ["Secret"]);
    }
}
