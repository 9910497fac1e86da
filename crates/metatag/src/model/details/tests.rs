//! What becomes of the same field in stores that other programs made.

use crate::exif::{self, Tag, Value};
use crate::model::{Applied, Detail, Details, Field, Mode, Modified, Note, Wish, apply_at};
use crate::stores::{Container, Stores};
use crate::view::view;
use crate::xmp::{self, Property};

fn applied(stores: &Stores, details: &[(Field, &str)]) -> Applied {
    let parse = |(field, text): &(Field, &str)| (*field, Detail::parse(*field, text).expect("a value"));
    let wish = Wish {
        tags: None,
        description: None,
        people: None,
        location: None,
        details: details.iter().map(parse).collect::<Details>(),
        mode: Mode::Overwrite,
        modified: Modified::Now,
    };
    let once = apply_at(Container::Jpeg, stores, &wish, "2026-01-31T12:00:00Z").expect("applied");
    let twice = apply_at(Container::Jpeg, &once.stores, &wish, "2027-01-31T12:00:00Z").expect("applied");
    assert!(!twice.changed);
    once
}

fn with_exif(values: impl IntoIterator<Item = (Tag, Value)>) -> Stores {
    let changes = values.into_iter().map(|(tag, value)| (tag, Some(value))).collect();
    Stores { exif: exif::edit(None, &changes).expect("a block"), ..Stores::default() }
}

#[test]
fn copies_of_other_programs_do_not_contradict_what_is_new() {
    let mut stores = with_exif([
        (Tag::Rating, Value::Short(2)),
        (Tag::RatingPercent, Value::Short(25)),
        (Tag::XpAuthor, Value::Wide("Old".into())),
    ]);
    stores.xmp = Some(
        b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
          xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Artist='Old'><tiff:Copyright><rdf:Alt>\
          <rdf:li xml:lang='x-default'>Old</rdf:li></rdf:Alt></tiff:Copyright></rdf:Description></rdf:RDF>"
            .to_vec(),
    );
    let said = view(&stores).details;
    assert_eq!(said.get(&Field::Creator).map(String::as_str), Some("Old"));
    assert_eq!(said.get(&Field::Copyright).map(String::as_str), Some("Old"));
    let new = [(Field::Rating, "5"), (Field::Creator, "Ada; Bob"), (Field::Copyright, "New")];
    let new = applied(&stores, &new).stores;
    let in_exif = exif::Values::read(new.exif.as_deref().expect("a block")).expect("values");
    assert_eq!((in_exif.rating, in_exif.rating_percent), (Some(5), Some(99)));
    assert_eq!(in_exif.author.as_deref(), Some("Ada;Bob"));
    let packet = xmp::Properties::read(new.xmp.as_deref().expect("a packet")).expect("properties");
    assert_eq!(packet.texts(Property::TiffArtist), ["Ada; Bob"]);
    assert_eq!(packet.texts(Property::TiffCopyright), ["New"]);
    let none = [(Field::Rating, ""), (Field::Creator, ""), (Field::Copyright, "")];
    assert_eq!(applied(&new, &none).stores, Stores::default(), "nobody's name is left behind");
}

#[test]
fn exif_without_room_is_brought_into_step_as_far_as_it_goes() {
    let mut stores = with_exif([(Tag::DateTimeOriginal, Value::Text("2020:01:01 10:00:00".into()))]);
    let block = stores.exif.as_mut().expect("a block");
    block.resize(Container::Jpeg.capacity().exif, b'x');
    let done = applied(&stores, &[(Field::DateTaken, "2024-05-01T18:30:05+02:00")]);
    assert_eq!(done.notes, [Note::ExifFull]);
    let in_exif = exif::Values::read(done.stores.exif.as_deref().expect("a block")).expect("values");
    assert_eq!(in_exif.date_taken.map(|date| date.to_string()).as_deref(), Some("2024-05-01T18:30:05"));
    let packet = xmp::Properties::read(done.stores.xmp.as_deref().expect("a packet")).expect("properties");
    assert_eq!(packet.texts(Property::DateCreated), ["2024-05-01T18:30:05+02:00"]);
}
