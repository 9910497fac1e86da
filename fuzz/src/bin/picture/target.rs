//! What is fuzzed: a change of a picture, in memory, as the server makes it. What cannot be read or changed is refused;
//! what is changed holds what was asked for, and changing it again changes nothing.

use metatag::container::Picture;
use metatag::model::{Detail, Details, Field, Mode, Modified, Wish, apply_at};
use metatag::stores::{Container, Stores};
use metatag::verify::verify;
use metatag::view::{View, view};

const NOW: &str = "2026-01-31T12:00:00Z";
const LATER: &str = "2026-01-31T12:00:01Z";

/// Takes a file apart, changes it, and puts it together.
pub(crate) fn picture(input: &[u8]) {
    let Ok(picture) = Picture::parse(input) else { return };
    let wish = wish(input);
    let _ = view(picture.stores());
    let Ok(applied) = apply_at(picture.container(), picture.stores(), &wish, NOW) else { return };
    if !applied.changed {
        return;
    }
    let Ok(new) = picture.rewrite(&applied.stores) else { return };
    // What does not read back is refused: that is what the check is for.
    if verify(&picture, &new, &wish).is_err() {
        return;
    }
    let read =
        Picture::parse(&new.bytes).unwrap_or_else(|error| panic!("what was written is no picture: {error}"));
    holds(&view(read.stores()), &wish);
    let again = apply_at(read.container(), read.stores(), &wish, LATER)
        .unwrap_or_else(|error| panic!("what was written cannot be written again: {error}"));
    if again.changed {
        let second = read
            .rewrite(&again.stores)
            .unwrap_or_else(|error| panic!("what was written cannot be rewritten: {error}"));
        assert!(
            second.bytes == new.bytes,
            "a second write changes bytes: {:?}",
            difference(&new.stores, &again.stores)
        );
    }
}

/// Changes one block of metadata.
pub(crate) fn block(stores: (Container, Stores)) {
    let (container, stores) = stores;
    let bytes = [stores.xmp.as_deref(), stores.exif.as_deref(), stores.iim.as_deref()];
    let wish = wish(bytes.into_iter().flatten().next().unwrap_or_default());
    let _ = view(&stores);
    let Ok(applied) = apply_at(container, &stores, &wish, NOW) else { return };
    holds(&view(&applied.stores), &wish);
    let again = apply_at(container, &applied.stores, &wish, LATER)
        .unwrap_or_else(|error| panic!("what was written cannot be written again: {error}"));
    assert!(!again.changed, "a second write changes: {:?}", difference(&applied.stores, &again.stores));
}

pub(crate) fn xmp(input: &[u8]) -> (Container, Stores) {
    (Container::Heic, Stores { xmp: Some(input.to_vec()), ..Stores::default() })
}

pub(crate) fn exif(input: &[u8]) -> (Container, Stores) {
    (Container::Heic, Stores { exif: Some(input.to_vec()), ..Stores::default() })
}

pub(crate) fn iim(input: &[u8]) -> (Container, Stores) {
    (Container::Jpeg, Stores { iim: Some(input.to_vec()), ..Stores::default() })
}

/// One of a few wishes; the same for the same input.
fn wish(input: &[u8]) -> Wish {
    let list = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
    let text = |text: &str| Some(text.to_owned());
    let whole = Wish {
        tags: list(&["海滩", "a & b", "old"]),
        description: text("一家人 <在> 海边"),
        people: list(&["张三"]),
        location: text("法国巴黎"),
        details: [
            (Field::Title, "标题"),
            (Field::Creator, "Ada; Grace"),
            (Field::Rating, "4"),
            (Field::DateTaken, "2024-05-01T18:30:05+02:00"),
            (Field::Position, "-33.8567844, 151.2152967"),
        ]
        .into_iter()
        .filter_map(|(field, text)| Some((field, Detail::parse(field, text).ok()?)))
        .collect(),
        mode: Mode::Overwrite,
        modified: Modified::Now,
    };
    match input.iter().fold(0_usize, |sum, byte| sum.wrapping_add(usize::from(*byte))) % 6 {
        0 => Wish { mode: Mode::Append, ..whole },
        1 => Wish {
            tags: list(&[]),
            description: text(""),
            people: list(&[]),
            location: text(""),
            details: whole.details.keys().map(|field| (*field, Detail::Removed)).collect(),
            ..whole
        },
        2 => Wish { description: None, people: None, location: None, details: Details::new(), ..whole },
        3 => Wish {
            tags: None,
            description: text(&"long ".repeat(2000)),
            people: None,
            location: None,
            details: Details::new(),
            ..whole
        },
        _ => whole,
    }
}

/// Found out in another way than the check of the server does.
fn holds(view: &View, wish: &Wish) {
    for (wanted, found, what) in [
        (&wish.tags, &view.keywords, "tags"),
        (&wish.people, &view.keywords, "people among the keywords"),
        (&wish.people, &view.people, "people"),
    ] {
        for value in wanted.iter().flatten() {
            assert!(found.contains(value), "{what} without {value}: {found:?}");
        }
    }
    if wish.mode == Mode::Overwrite {
        for (wanted, found) in [(&wish.description, &view.description), (&wish.location, &view.location)] {
            if let Some(wanted) = wanted {
                assert_eq!(
                    found.as_deref().unwrap_or_default().trim(),
                    wanted.trim(),
                    "not what was written"
                );
            }
        }
    }
}

/// The names of the blocks that differ, with their texts.
fn difference(one: &Stores, other: &Stores) -> Vec<String> {
    let shown = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| bytes.escape_ascii().to_string());
    [("XMP", &one.xmp, &other.xmp), ("EXIF", &one.exif, &other.exif), ("IPTC", &one.iim, &other.iim)]
        .into_iter()
        .filter(|(_, one, other)| one != other)
        .map(|(name, one, other)| format!("{name}: {:?} and {:?}", shown(one), shown(other)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AVIF, GIF, HEIC, JPEG, PNG, TIFF, WEBP};

    /// A target that refuses its own seeds would find nothing.
    #[test]
    fn every_seed_is_a_picture_that_can_be_written() {
        for seeds in [&*JPEG, &*PNG, &*HEIC, &*AVIF, &*WEBP, &*GIF, &*TIFF] {
            for (number, seed) in seeds.whole.iter().enumerate() {
                let picture = Picture::parse(seed).unwrap_or_else(|error| panic!("seed {number}: {error}"));
                let wish = wish(&[4]);
                let applied = apply_at(picture.container(), picture.stores(), &wish, NOW)
                    .unwrap_or_else(|error| panic!("seed {number}: {error}"));
                assert!(applied.changed, "seed {number}");
                let new = picture.rewrite(&applied.stores);
                let new = new.unwrap_or_else(|error| panic!("seed {number}: {error}"));
                assert_eq!(verify(&picture, &new, &wish), Ok(()), "seed {number}");
                super::picture(seed);
            }
        }
    }
}
