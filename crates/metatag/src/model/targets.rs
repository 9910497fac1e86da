//! From a wish to what each store shall say: the field map.

use super::details::{self, Surroundings};
use super::keywords::{self, Plan};
use super::{Change, Detail, Field, Mode, Note, Wish};
use crate::stores::Container;
use crate::view::View;
use crate::xmp::{Item, Property};
use crate::{exif, iim, text, xmp};

/// What each store shall say about the fields that the wish is about.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) xmp: xmp::Changes,
    pub(super) iim: iim::Changes,
    pub(super) exif: exif::Changes,
    /// What XMP shall say as well if EXIF cannot be changed.
    pub(super) instead_of_exif: xmp::Changes,
    /// Nothing if it stays; else a list of one, or an empty list to remove it.
    pub(super) png_description: Option<Vec<String>>,
    pub(super) notes: Vec<Note>,
}

/// Keywords in properties that nobody needs, but that must not contradict the others.
const REFRESHED: [Property; 5] = [
    Property::HierarchicalSubject,
    Property::LastKeywordXmp,
    Property::LastKeywordIptc,
    Property::CatalogSets,
    Property::AcdseeKeywords,
];

impl Targets {
    pub(super) fn of(container: Container, view: &View, change: Change<'_>) -> Self {
        let mut targets = Self::default();
        let with_iim = container == Container::Jpeg || has_iim(view);
        if let Some(plan) = keywords::plan(view, change) {
            targets.keywords(view, &plan, with_iim);
        }
        match change {
            Change::Write(wish) => targets.texts(container, view, wish, with_iim),
            Change::Remove(_) => {}
        }
        targets
    }

    fn texts(&mut self, container: Container, view: &View, wish: &Wish, with_iim: bool) {
        let (wanted, existing) = (wish.description.as_ref(), view.description.as_ref());
        if let Some(text) = self.text(Field::Description, wanted, existing, wish.mode) {
            self.description(container, view, &text, with_iim);
        }
        let (wanted, existing) = (wish.location.as_ref(), view.location.as_ref());
        if let Some(text) = self.text(Field::Location, wanted, existing, wish.mode) {
            self.xmp.insert(Property::Location, text.iter().map(Item::plain).collect());
            if with_iim {
                self.iim.insert(iim::Tag::Sublocation, text);
            }
        }
        for (field, detail) in &wish.details {
            let existing = view.details.get(field).map(String::as_str);
            match wish.mode {
                Mode::Append if *detail == Detail::Removed => {}
                Mode::Append if existing.is_some() => {
                    if !detail.is_said_by(existing) {
                        self.notes.push(Note::Kept(*field));
                    }
                }
                Mode::Append | Mode::Overwrite => {
                    details::add(self, &Surroundings { container, view, with_iim }, *field, detail);
                }
            }
        }
    }

    /// Whether there is nothing to do, whatever the stores say.
    pub(super) fn are_empty(&self) -> bool {
        self.xmp.is_empty() && self.iim.is_empty() && self.exif.is_empty()
    }

    fn keywords(&mut self, view: &View, plan: &Plan, with_iim: bool) {
        let items = |texts: Vec<String>| texts.into_iter().map(Item::plain).collect::<Vec<Item>>();
        self.xmp.insert(Property::Subject, items(plan.keywords.clone()));
        self.xmp.insert(Property::TagsList, items(plan.paths(view, Property::TagsList)));
        let has = |property| view.xmp.as_ref().is_some_and(|xmp| xmp.has(property));
        let is_new = |property| property == Property::HierarchicalSubject && plan.has_paths();
        for property in REFRESHED.into_iter().filter(|property| has(*property) || is_new(*property)) {
            self.xmp.insert(property, items(plan.paths(view, property)));
        }
        if has(Property::AcdseeCategories) {
            self.xmp.insert(
                Property::AcdseeCategories,
                plan.categories(view).into_iter().map(Item::plain).collect(),
            );
        }
        if let Some(people) = &plan.people {
            self.xmp.insert(Property::PersonInImage, items(people.clone()));
        }
        if with_iim {
            self.iim.insert(iim::Tag::Keywords, plan.keywords.clone());
        }
        if let Some(old) = view.exif.as_ref().and_then(|exif| exif.keywords.as_deref()) {
            let text = plan.windows(old);
            self.exif.insert(exif::Tag::XpKeywords, (!text.is_empty()).then_some(exif::Value::Wide(text)));
        }
    }

    /// All languages go: a translation of the old text would win over the new one where that language is spoken.
    fn description(&mut self, container: Container, view: &View, text: &[String], with_iim: bool) {
        let items: Vec<Item> = text.iter().map(Item::default_language).collect();
        if view.xmp.as_ref().is_some_and(|xmp| xmp.has(Property::TiffDescription)) {
            self.xmp.insert(Property::TiffDescription, items.clone());
        }
        self.xmp.insert(Property::Description, items);
        if container.holds_exif() {
            let value = text.first().map(|text| exif::Value::Text(text.clone()));
            self.exif.insert(exif::Tag::ImageDescription, value);
        }
        if with_iim {
            self.iim.insert(iim::Tag::Caption, text.to_vec());
        }
        match container {
            Container::Png => self.png_description = Some(text.to_vec()),
            Container::Jpeg
            | Container::Heic
            | Container::Avif
            | Container::Webp
            | Container::Gif
            | Container::Tiff
            | Container::Sidecar => {}
        }
    }

    /// The new text as a list of one, an empty list to remove it, or nothing to leave it.
    fn text(
        &mut self,
        field: Field,
        wanted: Option<&String>,
        existing: Option<&String>,
        mode: Mode,
    ) -> Option<Vec<String>> {
        let wanted = wanted?;
        let new: Vec<String> = [wanted].into_iter().filter(|text| !text::is_blank(text)).cloned().collect();
        match (mode, existing) {
            (Mode::Append, _) if new.is_empty() => None,
            (Mode::Overwrite, _) | (Mode::Append, None) => Some(new),
            (Mode::Append, Some(existing)) => {
                if text::key(existing) != text::key(wanted) {
                    self.notes.push(Note::Kept(field));
                }
                None
            }
        }
    }
}

/// Damaged records count: whoever has to change them must hear of it.
fn has_iim(view: &View) -> bool {
    view.iim.is_some() || view.faults.iter().any(|fault| matches!(fault, crate::view::Fault::Iim(_)))
}
