//! Stores that say different things.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::IptcDigest;
use super::said::{Said, Store, field_of, said};
use crate::iim;
use crate::model::{DateTaken, Field, Position, Rating, keywords};
use crate::text;
use crate::view::View;
use crate::xmp::Property;

/// Stores that say different things about a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conflict {
    /// What they are about.
    pub field: Field,
    /// Which, such as `XMP dc:description`.
    pub between: Vec<String>,
    /// Which of them counts, and why.
    pub counts: String,
}

/// The fields that several stores have.
const COMPARED: [Field; 13] = [
    Field::Tags,
    Field::Description,
    Field::Location,
    Field::Title,
    Field::Headline,
    Field::Creator,
    Field::Copyright,
    Field::City,
    Field::State,
    Field::Country,
    Field::Rating,
    Field::DateTaken,
    Field::Position,
];

/// The conflicts there are.
pub(super) fn find(view: &View, digest: IptcDigest) -> Vec<Conflict> {
    let all = said(view);
    COMPARED
        .into_iter()
        .filter_map(|field| {
            let about: Vec<(&Said, BTreeSet<String>)> = all
                .iter()
                .filter(|said| said.field == field)
                .map(|said| (said, meaning(view, said)))
                .filter(|(_, meaning)| !meaning.is_empty() || field == Field::Tags)
                .collect();
            if agree(field, &about) {
                return None;
            }
            let between = about.iter().map(|(said, _)| name(said)).collect();
            Some(Conflict { field, between, counts: counts(view, digest, field, &about) })
        })
        .collect()
}

fn name(said: &Said) -> String {
    format!("{} {}", said.store.label(), said.name)
}

/// What counts as the same, whatever the spelling of the store.
fn meaning(view: &View, said: &Said) -> BTreeSet<String> {
    match (said.field, said.store) {
        (Field::Tags, Store::Xmp) => {
            let property = Property::ALL
                .into_iter()
                .find(|property| field_of(*property) == Some(Field::Tags) && property.label() == said.name);
            keywords::keys(property.map(|property| keywords::said_by(view, property)).unwrap_or_default())
        }
        (Field::Tags, Store::Exif) => {
            let split = |text| keywords::said_by_windows(text, &view.keywords);
            keywords::keys(said.values.iter().flat_map(|text| split(text)))
        }
        // Languages are not a conflict: the one for everybody is compared.
        (Field::Description | Field::Title | Field::Copyright, Store::Xmp) => {
            let property = Property::ALL.into_iter().find(|property| property.label() == said.name);
            let text = property.and_then(|property| view.xmp.as_ref()?.text(property));
            keywords::keys(text)
        }
        (Field::Creator, _) => keywords::keys(said.values.iter().flat_map(|names| names.split(';'))),
        (Field::Rating, _) => keywords::keys(stars(said).map(|rating| rating.to_string())),
        (Field::DateTaken, _) => keywords::keys(date(view, said).map(|date| date.to_string())),
        (Field::Position, _) => keywords::keys(position(view, said).map(|position| position.to_string())),
        (_, _) => keywords::keys(&said.values),
    }
}

/// Whether all stores say the same about a field. Some have no place for a part of it, so each is compared with each.
fn agree(field: Field, about: &[(&Said, BTreeSet<String>)]) -> bool {
    let texts = about.iter().filter_map(|(_, meaning)| meaning.first());
    if field == Field::DateTaken {
        let dates: Vec<DateTaken> = texts.filter_map(|text| text.parse().ok()).collect();
        dates.iter().all(|one| dates.iter().all(|other| one.agrees_with(other)))
    } else if field == Field::Position {
        let positions: Vec<Position> = texts.filter_map(|text| text.parse().ok()).collect();
        positions.iter().all(|one| positions.iter().all(|other| one.agrees_with(other)))
    } else {
        about.windows(2).all(|two| two[0].1 == two[1].1)
    }
}

/// The rating, from the scale of Windows too.
fn stars(said: &Said) -> Option<Rating> {
    let number = said.values.first()?;
    if said.name != Property::MicrosoftRating.label() && said.name != "RatingPercent" {
        return number.parse().ok();
    }
    let percent = number.trim().parse::<u16>().ok()?;
    let stars = match percent {
        0 => 0,
        1..=12 => 1,
        13..=37 => 2,
        38..=62 => 3,
        63..=87 => 4,
        _ => 5,
    };
    stars.to_string().parse().ok()
}

/// The date; the time of IPTC belongs to its date and says nothing alone.
fn date(view: &View, said: &Said) -> Option<DateTaken> {
    let text = said.values.first()?;
    match said.store {
        Store::Iptc if said.name == "TimeCreated" => None,
        Store::Iptc => DateTaken::from_iim(text, view.iim.as_ref()?.other(iim::Tag::TimeCreated)),
        Store::Xmp | Store::Exif | Store::Png => text.parse().ok(),
    }
}

/// The position; the longitude of XMP belongs to its latitude.
fn position(view: &View, said: &Said) -> Option<Position> {
    if said.store != Store::Xmp {
        return said.values.first()?.parse().ok();
    }
    let latitude = said.values.first().filter(|_| said.name == Property::GpsLatitude.label())?;
    Position::from_xmp(latitude, view.xmp.as_ref()?.text(Property::GpsLongitude)?)
}

fn counts(view: &View, digest: IptcDigest, field: Field, about: &[(&Said, BTreeSet<String>)]) -> String {
    let text = match field {
        Field::Tags | Field::People => return "all of them together count".to_owned(),
        Field::Description => view.description.as_ref(),
        Field::Location => view.location.as_ref(),
        field => view.details.get(&field),
    };
    let winner = text.map(|text| text::key(text));
    let from_camera = matches!(field, Field::DateTaken | Field::Position);
    let newer = digest == IptcDigest::Stale && !from_camera;
    let says_so = |(said, meaning): &&(&Said, BTreeSet<String>)| {
        winner.as_ref().is_some_and(|winner| meaning.contains(winner))
            && (!newer || said.store == Store::Iptc)
    };
    let is_first = |(said, _): &&(&Said, BTreeSet<String>)| from_camera && said.store == Store::Exif;
    let winners = || about.iter().filter(says_so);
    match (winners().find(is_first).or_else(|| winners().next()), newer) {
        (Some((said, _)), _) if from_camera && said.store == Store::Exif => {
            format!("{} counts, since EXIF comes first for what cameras know", name(said))
        }
        (Some((said, _)), true) => format!("{} counts, since it was changed last", name(said)),
        (Some((said, _)), false) => {
            format!("{} counts, since XMP comes before IPTC, EXIF and PNG", name(said))
        }
        (None, _) => format!("what counts is: {}", text.map(String::as_str).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::IptcDigest;
    use super::find;
    use crate::iim;
    use crate::model::{Detail, Details, Field, Mode, Modified, Wish, apply_at};
    use crate::stores::{Container, Stores};
    use crate::view::view;

    fn written() -> Stores {
        let wish = Wish {
            tags: Some(vec!["a".into(), "b;c".into()]),
            description: Some("text".into()),
            people: Some(vec!["Ada".into()]),
            location: Some("here".into()),
            details: Details::new(),
            mode: Mode::Overwrite,
            modified: Modified::Now,
        };
        apply_at(Container::Jpeg, &Stores::default(), &wish, "2026-01-31T12:00:00Z").expect("applied").stores
    }

    #[test]
    fn dates_positions_ratings_and_creators_are_compared_by_what_they_mean() {
        let details = |given: &[(Field, &str)]| -> Details {
            given
                .iter()
                .map(|(field, text)| (*field, Detail::parse(*field, text).expect("a value")))
                .collect()
        };
        let all = details(&[
            (Field::Creator, "Ada; Bob"),
            (Field::Rating, "4"),
            (Field::DateTaken, "2024-05-01T18:30:05+02:00"),
            (Field::Position, "-33.8567844, 151.2152967"),
        ]);
        let wish = |details| Wish {
            tags: None,
            description: None,
            people: None,
            location: None,
            details,
            mode: Mode::Overwrite,
            modified: Modified::Now,
        };
        let written = |stores: &Stores, container, details| {
            apply_at(container, stores, &wish(details), "2026-01-31T12:00:00Z").expect("applied").stores
        };
        let mut stores = written(&Stores::default(), Container::Jpeg, all);
        assert_eq!(find(&view(&stores), IptcDigest::Current), []);
        // A sidecar has no EXIF, so EXIF says what it said.
        let other =
            details(&[(Field::Creator, "Eve"), (Field::DateTaken, "2024-05-02"), (Field::Position, "1, 2")]);
        let xmp_only = Stores { xmp: stores.xmp.clone(), ..Stores::default() };
        stores.xmp = written(&xmp_only, Container::Sidecar, other).xmp;
        let found = find(&view(&stores), IptcDigest::Current);
        let fields: Vec<Field> = found.iter().map(|conflict| conflict.field).collect();
        assert_eq!(fields, [Field::Creator, Field::DateTaken, Field::Position]);
        assert_eq!(found[0].counts, "XMP dc:creator counts, since XMP comes before IPTC, EXIF and PNG");
        assert_eq!(
            found[1].counts,
            "EXIF DateTimeOriginal counts, since EXIF comes first for what cameras know"
        );
        assert_eq!(
            found[2].between,
            ["XMP exif:GPSLatitude", "EXIF GPSPosition"],
            "the longitude belongs to the latitude"
        );
    }

    #[test]
    fn what_we_wrote_agrees() {
        assert_eq!(find(&view(&written()), IptcDigest::Current), []);
    }

    #[test]
    fn stores_that_disagree_are_named_with_the_one_that_counts() {
        let mut stores = written();
        let changes = iim::Changes::from([
            (iim::Tag::Keywords, vec!["a".to_owned()]),
            (iim::Tag::Caption, vec!["other".to_owned()]),
        ]);
        stores.iim = iim::edit(stores.iim.as_deref(), &changes).expect("edited");
        let found = find(&view(&stores), IptcDigest::Stale);
        assert_eq!(
            found.iter().map(|conflict| conflict.field).collect::<Vec<_>>(),
            [Field::Tags, Field::Description]
        );
        assert_eq!(
            found[1].between,
            ["XMP dc:description", "IPTC Caption-Abstract", "EXIF ImageDescription"]
        );
        assert_eq!(found[1].counts, "IPTC Caption-Abstract counts, since it was changed last");
        stores.iim_digest = None;
        let found = find(&view(&stores), IptcDigest::Absent);
        assert!(found[1].counts.starts_with("XMP dc:description counts"), "{found:?}");
    }
}
