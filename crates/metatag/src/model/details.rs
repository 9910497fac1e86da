//! Where the fields besides tags, people, description and location go.

use super::targets::Targets;
use super::{DateTaken, Detail, Field, Position, Rating};
use crate::exif::{Tag, Value};
use crate::iim;
use crate::stores::Container;
use crate::view::View;
use crate::xmp::{Item, Property};

/// What decides which stores get a field.
pub(super) struct Surroundings<'v> {
    pub(super) container: Container,
    pub(super) view: &'v View,
    pub(super) with_iim: bool,
}

impl Surroundings<'_> {
    fn has(&self, property: Property) -> bool {
        self.view.xmp.as_ref().is_some_and(|xmp| xmp.has(property))
    }
}

/// Adds what the stores shall say about a field.
pub(super) fn add(targets: &mut Targets, around: &Surroundings<'_>, field: Field, detail: &Detail) {
    let texts = detail.texts();
    match field {
        Field::Title => {
            alternatives(targets, Property::Title, texts);
            records(targets, around, iim::Tag::ObjectName, texts);
            if around.view.exif.as_ref().is_some_and(|exif| exif.title.is_some()) {
                targets.exif.insert(Tag::XpTitle, texts.first().cloned().map(Value::Wide));
            }
        }
        Field::Headline => plain(targets, around, (Property::Headline, iim::Tag::Headline), texts),
        Field::City => plain(targets, around, (Property::City, iim::Tag::City), texts),
        Field::State => plain(targets, around, (Property::State, iim::Tag::State), texts),
        Field::Country => plain(targets, around, (Property::Country, iim::Tag::Country), texts),
        Field::Creator => {
            plain(targets, around, (Property::Creator, iim::Tag::ByLine), texts);
            let joined = Some(texts.join("; ")).filter(|text| !text.is_empty());
            in_exif(targets, around, Tag::Artist, joined.clone());
            if around.has(Property::TiffArtist) {
                targets.xmp.insert(Property::TiffArtist, joined.iter().map(Item::plain).collect());
            }
            if around.view.exif.as_ref().is_some_and(|exif| exif.author.is_some()) {
                let author = Some(texts.join(";")).filter(|text| !text.is_empty());
                targets.exif.insert(Tag::XpAuthor, author.map(Value::Wide));
            }
        }
        Field::Copyright => {
            alternatives(targets, Property::Rights, texts);
            if around.has(Property::TiffCopyright) {
                alternatives(targets, Property::TiffCopyright, texts);
            }
            records(targets, around, iim::Tag::Copyright, texts);
            in_exif(targets, around, Tag::Copyright, texts.first().cloned());
        }
        Field::Label => {
            targets.xmp.insert(Property::Label, texts.iter().map(Item::plain).collect());
        }
        Field::Rating => {
            let rating = if let Detail::Rating(rating) = detail { Some(*rating) } else { None };
            rate(targets, around, rating);
        }
        Field::DateTaken => {
            let date = if let Detail::Date(date) = detail { Some(*date) } else { None };
            set_date(targets, around, date);
        }
        Field::Position => {
            let position = if let Detail::Position(position) = detail { Some(*position) } else { None };
            locate(targets, around, position);
        }
        // These have ways of their own.
        Field::Tags | Field::People | Field::Description | Field::Location => {}
    }
}

fn plain(
    targets: &mut Targets,
    around: &Surroundings<'_>,
    (property, tag): (Property, iim::Tag),
    texts: &[String],
) {
    targets.xmp.insert(property, texts.iter().map(Item::plain).collect());
    records(targets, around, tag, texts);
}

fn alternatives(targets: &mut Targets, property: Property, texts: &[String]) {
    targets.xmp.insert(property, texts.iter().map(Item::default_language).collect());
}

fn records(targets: &mut Targets, around: &Surroundings<'_>, tag: iim::Tag, texts: &[String]) {
    if around.with_iim {
        targets.iim.insert(tag, texts.to_vec());
    }
}

fn in_exif(targets: &mut Targets, around: &Surroundings<'_>, tag: Tag, text: Option<String>) {
    if around.container.holds_exif() {
        targets.exif.insert(tag, text.map(Value::Text));
    }
}

/// What Windows has for 0 to 5 stars.
const PERCENT: [u16; 6] = [0, 1, 25, 50, 75, 99];

/// Windows has scales of its own, which are brought into step where they are.
fn rate(targets: &mut Targets, around: &Surroundings<'_>, rating: Option<Rating>) {
    targets
        .xmp
        .insert(Property::Rating, rating.iter().map(|rating| Item::plain(rating.to_string())).collect());
    let stars = rating.and_then(|rating| u16::try_from(rating.number()).ok());
    let percent = stars.map(|stars| PERCENT[usize::from(stars.min(5))]);
    if around.has(Property::MicrosoftRating) {
        let items = percent.iter().map(|percent: &u16| Item::plain(percent.to_string()));
        targets.xmp.insert(Property::MicrosoftRating, items.collect());
    }
    if around.view.exif.as_ref().is_some_and(|exif| exif.rating.is_some()) {
        targets.exif.insert(Tag::Rating, stars.map(Value::Short));
    }
    if around.view.exif.as_ref().is_some_and(|exif| exif.rating_percent.is_some()) {
        targets.exif.insert(Tag::RatingPercent, percent.map(Value::Short));
    }
}

fn set_date(targets: &mut Targets, around: &Surroundings<'_>, date: Option<DateTaken>) {
    let items: Vec<Item> = date.iter().map(|date| Item::plain(date.to_string())).collect();
    targets.xmp.insert(Property::DateCreated, items.clone());
    if around.has(Property::ExifDate) {
        targets.xmp.insert(Property::ExifDate, items);
    }
    let day = date.map(|date| date.iim_date());
    let time = date.and_then(|date| date.iim_time());
    records(targets, around, iim::Tag::DateCreated, day.as_slice());
    records(targets, around, iim::Tag::TimeCreated, time.as_slice());
    in_exif(targets, around, Tag::DateTimeOriginal, date.map(|date| date.exif()));
    in_exif(targets, around, Tag::OffsetTimeOriginal, date.and_then(|date| date.offset()));
    // Fractions of a second that belong to another one.
    in_exif(targets, around, Tag::SubSecTimeOriginal, None);
}

fn locate(targets: &mut Targets, around: &Surroundings<'_>, position: Option<Position>) {
    let holds_exif = around.container.holds_exif();
    let is_in_xmp = around.has(Property::GpsLatitude) || around.has(Property::GpsLongitude);
    let changes = if !holds_exif || is_in_xmp { &mut targets.xmp } else { &mut targets.instead_of_exif };
    let [latitude, longitude] = position.map_or([None, None], |position| position.xmp().map(Some));
    changes.insert(Property::GpsLatitude, latitude.into_iter().map(Item::plain).collect());
    changes.insert(Property::GpsLongitude, longitude.into_iter().map(Item::plain).collect());
    if !holds_exif {
        return;
    }
    let [north, east] = position.map_or([None, None], |position| position.exif().map(Some));
    for (letter, degrees, half) in
        [(Tag::GpsLatitudeRef, Tag::GpsLatitude, north), (Tag::GpsLongitudeRef, Tag::GpsLongitude, east)]
    {
        targets.exif.insert(letter, half.map(|(letter, _)| Value::Text(letter.to_owned())));
        targets.exif.insert(degrees, half.map(|(_, degrees)| Value::Rationals(degrees.to_vec())));
    }
    if position.is_some() {
        targets.exif.insert(Tag::GpsVersionId, Some(Value::Bytes(vec![2, 3, 0, 0])));
    }
}

#[cfg(test)]
mod tests;
