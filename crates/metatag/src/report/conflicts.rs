//! Stores that say different things.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::IptcDigest;
use super::said::{Said, Store, field_of, said};
use crate::model::{Field, keywords};
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

/// The fields that every store spells in the same way.
const COMPARED: [Field; 9] = [
    Field::Tags,
    Field::Description,
    Field::Location,
    Field::Title,
    Field::Headline,
    Field::Copyright,
    Field::City,
    Field::State,
    Field::Country,
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
                .collect();
            let (_, first) = about.first()?;
            if about.iter().all(|(_, meaning)| meaning == first) {
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
        (Field::Description, Store::Xmp) => {
            let properties = [Property::Description, Property::TiffDescription];
            let property = properties.into_iter().find(|property| property.label() == said.name);
            let text = property.and_then(|property| view.xmp.as_ref()?.text(property));
            keywords::keys(text)
        }
        (_, _) => keywords::keys(&said.values),
    }
}

fn counts(view: &View, digest: IptcDigest, field: Field, about: &[(&Said, BTreeSet<String>)]) -> String {
    let text = match field {
        Field::Tags | Field::People => return "all of them together count".to_owned(),
        Field::Description => view.description.as_ref(),
        Field::Location => view.location.as_ref(),
        field => view.details.get(&field),
    };
    let winner = text.map(|text| text::key(text));
    let newer = digest == IptcDigest::Stale;
    let says_so = |(said, meaning): &&(&Said, BTreeSet<String>)| {
        winner.as_ref().is_some_and(|winner| meaning.contains(winner))
            && (!newer || said.store == Store::Iptc)
    };
    match (about.iter().find(says_so), newer) {
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
    use crate::model::{Details, Field, Mode, Modified, Wish, apply_at};
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
