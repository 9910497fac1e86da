//! Private things in pictures: where they stand, and what is drawn over them.
//!
//! ```text
//! ocr::Page ─ run: text without wide gaps ─┬─ scan: patterns in one run ──────────┬─ bounds: boxes that keep to ─ Detection
//!                                          ├─ wrapped: runs that go on below      │  their line
//!                                          └─ key_block: from BEGIN to END ───────┘
//! Detection ─ blur: pixels that depend on the box alone
//! ```
//!
//! A [`Detection`] says what and where, never what it says. Detection is not exhaustive.

mod api_key;
mod blur;
mod bounds;
mod card;
mod key_block;
mod number;
mod run;
mod scan;
mod wrapped;

use geometry::Rect;
use ocr::Page;
use picture::Pixels;
use schemars::JsonSchema;
use serde::Serialize;

pub use blur::blur;

use bounds::Bounds;
use run::{Run, Spacing, runs};

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

impl Kind {
    /// Its name, as in answers.
    pub const fn id(self) -> &'static str {
        match self {
            Kind::Email => "email",
            Kind::Phone => "phone",
            Kind::Ssn => "ssn",
            Kind::CreditCard => "credit_card",
            Kind::ApiKey => "api_key",
            Kind::IpAddress => "ip_address",
        }
    }
}

/// Something private, and where it is. What it says is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// What it is.
    pub kind: Kind,
    /// Where it is, with a margin. What stands on several lines has a box on each.
    pub place: Rect,
}

/// Everything private on a page, in reading order. `windows` are the rectangles of the windows that are seen in the picture, if
/// they are known: text does not go on from one to the next.
pub fn find(page: &Page, windows: &[Rect]) -> Vec<Detection> {
    let bounds = Bounds::of(page);
    let mut found = Vec::new();
    let plain = runs(page, windows, Spacing::AsRead);
    let on_grid = runs(page, windows, Spacing::Grid);
    for run in &plain {
        for (kind, characters) in scan::scan(&run.text(), run.ends) {
            found.extend(places(run, characters, &bounds).map(|place| Detection { kind, place }));
        }
    }
    // Other things have spaces in them, and a line of another font may look like a grid.
    for run in &on_grid {
        for (kind, characters) in scan::scan(&run.text(), run.ends) {
            if kind == Kind::ApiKey {
                found.extend(places(run, characters, &bounds).map(|place| Detection { kind, place }));
            }
        }
    }
    // Lines that were cut into words in two ways go on below in either.
    for lines in [&plain, &on_grid] {
        for ends in [wrapped::Lines::Full, wrapped::Lines::Ragged] {
            for chain in wrapped::chains(lines, ends) {
                for (kind, characters) in scan::scan(&chain.text(), chain.ends) {
                    let characters = match kind {
                        Kind::ApiKey
                            if ends == wrapped::Lines::Full && chain.lines(characters.clone()) > 1 =>
                        {
                            Some(wrapped::token(&chain, characters))
                        }
                        Kind::Email => wrapped::address(&chain, characters),
                        Kind::CreditCard | Kind::Ssn | Kind::Phone => wrapped::number(&chain, characters),
                        Kind::IpAddress if ends == wrapped::Lines::Full => wrapped::ipv6(&chain, characters),
                        Kind::ApiKey | Kind::IpAddress => None,
                    };
                    let places = characters.map(|characters| places(&chain, characters, &bounds));
                    found.extend(places.into_iter().flatten().map(|place| Detection { kind, place }));
                }
            }
        }
    }
    for place in key_block::places(&plain) {
        found.push(Detection { kind: Kind::ApiKey, place: bounds.fit(place) });
    }
    merged(found)
}

fn places(run: &Run, characters: std::ops::Range<usize>, bounds: &Bounds) -> impl Iterator<Item = Rect> {
    run.places(characters).into_iter().map(|place| bounds.fit(place))
}

/// Boxes that lie in others say nothing new; of two that overlap in one line, one is made.
fn merged(found: Vec<Detection>) -> Vec<Detection> {
    let mut kept: Vec<Detection> = Vec::new();
    for detection in found {
        let place = detection.place;
        match kept.iter_mut().find(|known| is_same_line(known.place, place)) {
            Some(known) => known.place = known.place.joined(place),
            None => kept.push(detection),
        }
    }
    kept.sort_by_key(|detection| (detection.place.y, detection.place.x));
    kept
}

/// Whether two boxes overlap, and by more than half of their height.
fn is_same_line(one: Rect, other: Rect) -> bool {
    one.common(other).is_some_and(|common| common.height * 2 > one.height.min(other.height))
}

/// The picture without what was found.
pub fn redacted(pixels: &Pixels, detections: &[Detection]) -> Pixels {
    let mut redacted = pixels.clone();
    for detection in detections {
        blur(&mut redacted, detection.place);
    }
    redacted
}

/// A text of one line with the kind of what is private in the place of it, such as `[email]`.
pub fn mask(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for (kind, place) in scan::scan(&characters, run::Ends::default()) {
        masked.extend(characters.get(from..place.start).unwrap_or_default());
        masked.push('[');
        masked.push_str(kind.id());
        masked.push(']');
        from = place.end;
    }
    masked.extend(characters.get(from..).unwrap_or_default());
    masked
}

#[cfg(test)]
mod tests {
    use super::run::tests::page;
    use super::{Kind, Rect, find, mask};

    /// What is found on some lines of ten pixels a character, twenty pixels apart: its kind, line and width in
    /// characters, as wide as the grid of boxes makes it.
    fn found(lines: &[&str]) -> Vec<(Kind, i32, u32)> {
        let found = find(&page(lines), &[]);
        found.iter().map(|one| (one.kind, one.place.centre().1 / 20, one.place.width / 10)).collect()
    }

    #[test]
    fn a_token_is_covered_over_the_lines_it_is_broken_into() {
        let lines = ["$ echo ghp_aB3dE5fG7h", "I9jK1lM3nO5pQ7rS9tU1v", "W3xY5z", "$ echo done"];
        assert_eq!(found(&lines), [(Kind::ApiKey, 0, 16), (Kind::ApiKey, 1, 24), (Kind::ApiKey, 2, 8)]);
        let ended = ["Token glpat-aB3dE5fG7hK9jK2mN4pQ", "nothing to hide here"];
        assert_eq!(found(&ended), [(Kind::ApiKey, 0, 28)]);
        assert_eq!(found(&["Mail anna.adler@example.com", "nothing"]), [(Kind::Email, 0, 24)]);
        assert_eq!(
            found(&["Mail to anna.adler@exam", "ple.com"]),
            [(Kind::Email, 0, 16), (Kind::Email, 1, 9)]
        );
    }

    #[test]
    fn a_number_is_covered_over_the_end_of_its_line() {
        for (kind, first, second) in [
            (Kind::CreditCard, "Please charge it to 4111 1111", "1111 1111 today"),
            (Kind::CreditCard, "Please charge it to 4111 1111 11", "11 1111 today"),
            (Kind::CreditCard, "Please charge it to 4111111111", "111111 today"),
            (Kind::Ssn, "It was given as SSN 219-09-", "9998 to her"),
            (Kind::Ssn, "It was given as SSN 219-", "09-9998 to her"),
            (Kind::Phone, "Call me at home on +49 151", "2345678 today"),
            (Kind::Phone, "Call me at home on (415)", "555-0132 today"),
            (Kind::IpAddress, "inet bb27:f577:7118:f74d:d04f:d13b:ef6", "4:9e98"),
            (Kind::IpAddress, "inet 6de5:329b:2b74:fba2:63ec:d599:", "948f:8ffc"),
            (Kind::Phone, "Call me at home on 415-555-", "0132 today"),
            (Kind::Phone, "Call me at home on +49 151", "2345678 today, or tomorrow then"),
            (Kind::CreditCard, "Please charge to 4111 1111", "1111 1111 what you still owe us"),
        ] {
            let found: Vec<(Kind, i32)> =
                found(&[first, second]).into_iter().map(|(kind, line, _)| (kind, line)).collect();
            assert_eq!(found, [(kind, 0), (kind, 1)], "{first} / {second}");
        }
        for (first, second) in [
            ("It was sent on the day of 2024-05-", "06 at 12:34:56"),
            ("Rows of some table end in 4111 1111", "1111 1112 and more"),
            ("Pages of this book: 100-200, 10-", "20-30 or so"),
            ("The sum of all is 1,234.56 and 030", "12345678 more"),
            ("It runs with version 10.15.", "7.1 of it"),
        ] {
            assert_eq!(found(&[first, second]), [], "{first} / {second}");
        }
    }

    /// Of two terminals beside each other the rows of one are half a row lower.
    #[test]
    fn a_token_goes_on_in_its_own_window() {
        let mut page = page(&["some text   key ghp_aB3dE5fG7h", "            I9jK1lM3nO5pQ7rS9t"]);
        page.lines.push(super::run::tests::line("other text", 10));
        let left = Rect { x: 0, y: 0, width: 110, height: 100 };
        let right = Rect { x: 110, y: 0, width: 300, height: 100 };
        let found = find(&page, &[left, right]);
        let lines: Vec<i32> = found.iter().map(|one| one.place.centre().1 / 20).collect();
        assert_eq!(lines, [0, 1], "{found:?}");
    }

    #[test]
    fn what_a_window_covers_to_its_end_is_covered() {
        let page = page(&["            aE5fG7hI9jK1lM3nO5pQ7rS end", "$ export KEY=ghp_aB3dE5"]);
        let lower = Rect { x: 0, y: 0, width: 600, height: 100 };
        let find = |upper: Rect| find(&page, &[upper, lower]).len();
        assert_eq!(find(Rect { x: 10, y: 0, width: 105, height: 18 }), 1);
        assert_eq!(find(Rect { x: 235, y: 20, width: 105, height: 18 }), 1);
        assert_eq!(find(Rect { x: 300, y: 40, width: 105, height: 18 }), 0);
    }

    #[test]
    fn words_a_reader_split_inside_a_token_are_one_on_their_grid() {
        let mut page = page(&["key AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY end"]);
        // As a reader has it: two gaps that are no spaces.
        let token = page.lines[0].words.remove(1);
        let parts = [0..8, 8..33, 33..39].map(|range| {
            let characters = token.characters[range.clone()].to_vec();
            let text = characters.iter().map(|one| one.value).collect();
            ocr::Word { text, area: token.part(range).expect("a part"), confidence: 1.0, characters }
        });
        page.lines[0].words.splice(1..1, parts);
        for word in &mut page.lines[0].words {
            word.area.width -= 3;
        }
        let found = find(&page, &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].place.x <= 40 && found[0].place.right() >= 420, "{found:?}");
    }

    #[test]
    fn a_title_is_masked_where_it_is_private() {
        assert_eq!(mask("Inbox (3) - anna.adler@example.com - Mail"), "Inbox (3) - [email] - Mail");
        assert_eq!(mask("Grüße 日本"), "Grüße 日本");
    }
}
