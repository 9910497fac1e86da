//! Pictures nobody takes on purpose: of any size, of noise, cut through the text. They are read without harm.

use ocr::{Embedded, Engine, Image, Languages, Memory, Page, unwatched};

use crate::picture::Picture;

fn read(image: Image<'_>) -> Page {
    let page = Embedded::new(Memory::Off).read(image, &Languages::english(), &mut unwatched).unwrap();
    for word in page.words() {
        assert!(word.area.width > 0 && word.area.height > 0, "{word:?}");
        assert!(ocr::Rect::of_size(image.width(), image.height()).contains(word.area), "{word:?}");
        assert!((0.0..=1.0).contains(&word.confidence), "{word:?}");
        assert_eq!(word.text.chars().count(), word.characters.len(), "{word:?}");
        let edges = word.characters.iter().flat_map(|one| [one.left, one.right]);
        assert!(edges.is_sorted(), "{word:?}");
    }
    page
}

/// Bytes that look random and are the same in each run.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[1]
        })
        .collect()
}

#[test]
fn any_size_is_read() {
    for (width, height) in
        [(0, 0), (0, 5), (5, 0), (1, 1), (2, 3), (31, 33), (1, 20_000), (20_000, 1), (3, 4_000)]
    {
        let length = (width * height) as usize;
        read(Picture::new(width, height, &noise(length)).image());
        assert_eq!(read(Picture::new(width, height, &vec![200; length]).image()), Page::default());
    }
}

#[test]
fn noise_and_stripes_are_read() {
    let (width, height) = (200, 150);
    read(Picture::new(width, height, &noise(30_000)).image());
    for period in [2, 7, 24] {
        let across: Vec<u8> =
            (0..30_000).map(|at| if at / 200 % period < period / 2 { 0 } else { 255 }).collect();
        let down: Vec<u8> =
            (0..30_000).map(|at| if at % 200 % period < period / 2 { 0 } else { 255 }).collect();
        read(Picture::new(width, height, &across).image());
        read(Picture::new(width, height, &down).image());
    }
}

#[test]
fn text_cut_by_the_edge_stays_inside_the_picture() {
    let whole = Picture::load("english");
    for (x, y) in [(20, 0), (0, 15), (100, 18)] {
        let (width, height) = (whole.width() - x - 40, whole.height() - y - 20);
        let rows = (y..y + height).flat_map(|row| (x..x + width).map(move |column| (column, row)));
        let gray: Vec<u8> = rows
            .map(|(x, y)| {
                let dot = ocr::Rect { x: x.cast_signed(), y: y.cast_signed(), width: 1, height: 1 };
                if whole.ink(dot) > 0 { 0 } else { 255 }
            })
            .collect();
        assert!(!read(Picture::new(width, height, &gray).image()).lines.is_empty());
    }
}
