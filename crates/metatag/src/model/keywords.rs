//! Keywords: which there are, which there will be, and how each store spells them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Change, Mode, Removal, Wish};
use crate::text::{is_blank, key, legal};
use crate::view::View;
use crate::xmp::{Property, acdsee};

/// The texts, each once, without blank ones and without characters that XML cannot hold. The first of those that count as the same wins.
pub(crate) fn unique<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    for text in texts {
        let text = legal(text.as_ref());
        if !is_blank(&text) && seen.insert(key(&text)) {
            list.push(text.into_owned());
        }
    }
    list
}

/// What the texts share with those that count as the same.
pub(crate) fn keys<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    texts.into_iter().map(|text| key(text.as_ref())).collect()
}

/// What is known to be a whole keyword, though it may look like a path.
fn whole_keywords(view: &View, given: &[String]) -> BTreeSet<String> {
    let mut whole = keys(view.texts(Property::Subject));
    whole.extend(keys(view.texts(Property::AcdseeKeywords)));
    whole.extend(view.iim.iter().flat_map(|iim| keys(&iim.keywords)));
    whole.extend(keys(given));
    whole
}

/// How many levels of a path may be one keyword: looking at all would take forever where there are very many.
const MOST_LEVELS: usize = 8;

/// The last level of a path. `AC/DC` is a path, unless it is known to be a keyword; then it is the last level of
/// `Music/AC/DC`.
fn leaf<'e>(entry: &'e str, separator: char, whole: &BTreeSet<String>) -> &'e str {
    if !entry.contains(separator) || whole.contains(&key(entry)) {
        return entry;
    }
    let ends = entry.rmatch_indices(separator).skip(1).take(MOST_LEVELS).map(|(at, _)| &entry[at + 1..]);
    if let Some(known) = ends.filter(|end| whole.contains(&key(end))).last() {
        return known.trim();
    }
    entry.rsplit(separator).find(|part| !is_blank(part)).map_or(entry, str::trim)
}

/// What a property of XMP says about keywords, without paths.
pub(crate) fn said_by(view: &View, property: Property) -> Vec<String> {
    leaves(view, property, &whole_keywords(view, &[]))
}

/// What the EXIF tag for Windows says about keywords. Its separator may be part of a keyword.
pub(crate) fn said_by_windows(text: &str, all: &[String]) -> Vec<String> {
    if text == all.join(";") {
        return all.to_vec();
    }
    unique(text.split(';').map(str::trim))
}

fn leaves(view: &View, property: Property, whole: &BTreeSet<String>) -> Vec<String> {
    let texts = view.texts(property).into_iter();
    match property.separator() {
        Some(separator) => texts.map(|entry| leaf(entry, separator, whole).to_owned()).collect(),
        None if property == Property::AcdseeCategories => texts.filter_map(acdsee::names).flatten().collect(),
        None => texts.map(str::to_owned).collect(),
    }
}

/// The keywords of all stores, in an order that all of them have once they are in step. Those of stores that we only
/// refresh come last: none of them may be lost by that.
pub(crate) fn existing(view: &View, given: &[String]) -> Vec<String> {
    let whole = whole_keywords(view, given);
    let said = |property| leaves(view, property, &whole);
    let mut all = said(Property::TagsList);
    all.extend(said(Property::Subject));
    all.extend(view.iim.iter().flat_map(|iim| iim.keywords.clone()));
    for property in [
        Property::HierarchicalSubject,
        Property::LastKeywordXmp,
        Property::LastKeywordIptc,
        Property::CatalogSets,
        Property::AcdseeKeywords,
        Property::AcdseeCategories,
    ] {
        all.extend(said(property));
    }
    let mut all = unique(all);
    if let Some(windows) = view.exif.as_ref().and_then(|exif| exif.keywords.as_deref())
        && windows != all.join(";")
    {
        all = unique(all.into_iter().chain(windows.split(';').map(|keyword| keyword.trim().to_owned())));
    }
    all
}

/// Whether a tag is the address of a page: its slashes separate no levels.
fn is_address(tag: &str) -> bool {
    tag.contains("://")
}

/// The levels of a tag that somebody wrote as a path: `Places|France`, or `Places/France` where both are words. `AC/DC`,
/// `24/7` and `km/h` are not.
pub(crate) fn levels(tag: &str) -> Vec<&str> {
    let split = |separator| -> Vec<&str> {
        tag.split(separator).map(str::trim).filter(|level| !is_blank(level)).collect()
    };
    let is_word = |level: &&str| {
        let mut letters = level.chars();
        letters.next().is_some_and(char::is_alphabetic)
            && level.chars().count() > 1
            // Letters without case are those of scripts that have none.
            && letters.any(|letter| letter.is_alphabetic() && !letter.is_uppercase())
    };
    let (by_bar, by_slash) = (split('|'), split('/'));
    if by_bar.is_empty() {
        // Nothing but separators.
        vec![tag]
    } else if tag.contains('|') {
        by_bar
    } else if by_slash.len() > 1 && by_slash.iter().all(is_word) && !is_address(tag) {
        by_slash
    } else {
        vec![tag]
    }
}

/// The keyword of a tag: its last level.
pub(crate) fn keyword(tag: &str) -> &str {
    levels(tag).last().copied().unwrap_or(tag)
}

/// The keywords with one path to them, by that path.
fn by_path(view: &View) -> BTreeMap<Vec<String>, String> {
    let mut paths: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    for property in [Property::TagsList, Property::HierarchicalSubject] {
        let Some(separator) = property.separator() else { continue };
        for entry in view.texts(property) {
            let levels: Vec<String> = entry.split(separator).map(key).collect();
            if let [_, .., last] = levels.as_slice() {
                paths.entry(last.clone()).or_default().insert(levels);
            }
        }
    }
    let alone = paths.into_iter().filter(|(_, paths)| paths.len() == 1);
    alone.flat_map(|(keyword, paths)| paths.into_iter().map(move |path| (path, keyword.clone()))).collect()
}

/// The keywords that somebody means who names them: as they are, or by the only path that leads to one.
pub(super) struct Named {
    keywords: BTreeSet<String>,
    by_path: BTreeMap<Vec<String>, String>,
}

impl Named {
    pub(super) fn of(view: &View) -> Named {
        Named { keywords: keys(&view.keywords), by_path: by_path(view) }
    }

    pub(super) fn find(&self, tag: &str) -> Option<&String> {
        let path = || levels(tag).into_iter().map(key).collect::<Vec<String>>();
        let keyword = self.keywords.get(&key(tag)).or_else(|| self.by_path.get(&path()))?;
        self.keywords.get(keyword)
    }
}

/// What the keywords and people will be.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) keywords: Vec<String>,
    /// Nothing if they stay.
    pub(super) people: Option<Vec<String>>,
    /// Keywords that are written as they were given, even where there was a path.
    flat: BTreeSet<String>,
    /// The levels of keywords that were given as paths.
    given: BTreeMap<String, Vec<Vec<String>>>,
}

/// Nothing if the keywords stay as they are.
pub(super) fn plan(view: &View, change: Change<'_>) -> Option<Plan> {
    match change {
        Change::Write(wish) => wished(view, wish),
        Change::Remove(removal) => without(view, removal),
    }
}

/// Nothing if there is nothing of what is to go. People who go are no keywords any more either.
fn without(view: &View, removal: &Removal) -> Option<Plan> {
    let known = keys(&view.people);
    let people: BTreeSet<String> = keys(&removal.people).intersection(&known).cloned().collect();
    let named = Named::of(view);
    let mut gone: BTreeSet<String> = removal.tags.iter().filter_map(|tag| named.find(tag)).cloned().collect();
    gone.extend(people.iter().cloned());
    let rest = |texts: &[String], gone: &BTreeSet<String>| {
        texts.iter().filter(|text| !gone.contains(&key(text))).cloned().collect::<Vec<String>>()
    };
    let keywords = rest(&view.keywords, &gone);
    if keywords.len() == view.keywords.len() && people.is_empty() {
        return None;
    }
    let people = Some(rest(&view.people, &people)).filter(|_| !people.is_empty());
    Some(Plan { keywords, people, flat: BTreeSet::new(), given: BTreeMap::new() })
}

/// Nothing if the wish is not about keywords.
fn wished(view: &View, wish: &Wish) -> Option<Plan> {
    // What looks like a path is none where it is a keyword already.
    let mut whole = keys(&view.keywords);
    whole.extend(keys(view.people.iter().chain(wish.people.iter().flatten())));
    let levels = |tag| if whole.contains(&key(tag)) { vec![tag] } else { levels(tag) };
    let mut paths: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    let mut leaves = Vec::new();
    for levels in wish.tags.iter().flatten().map(|tag| levels(tag)) {
        let Some(leaf) = levels.last() else { continue };
        leaves.push((*leaf).to_owned());
        if levels.len() > 1 {
            paths.entry(key(leaf)).or_default().push(levels.into_iter().map(str::to_owned).collect());
        }
    }
    let tags = wish.tags.as_ref().map(|_| leaves.as_slice());
    let people = wish.people.as_deref();
    let given = [tags.unwrap_or_default(), people.unwrap_or_default()].concat();
    let old = || existing(view, &given);
    match wish.mode {
        Mode::Append if unique(&given).is_empty() => None,
        Mode::Append => Some(Plan {
            keywords: unique(old().iter().chain(&given)),
            people: people.map(|people| unique(view.people.iter().chain(people))),
            flat: BTreeSet::new(),
            given: paths,
        }),
        Mode::Overwrite => {
            let known = keys(&view.people);
            let keywords = match (tags, people) {
                (None, None) => return None,
                (Some(_), Some(_)) => unique(&given),
                (Some(tags), None) => {
                    let kept = old().into_iter().filter(|keyword| known.contains(&key(keyword)));
                    unique(tags.iter().cloned().chain(kept))
                }
                (None, Some(people)) => {
                    let named = keys(people);
                    let gone = |keyword: &String| {
                        let key = key(keyword);
                        known.contains(&key) && !named.contains(&key)
                    };
                    let kept = old().into_iter().filter(|keyword| !gone(keyword));
                    unique(kept.chain(people.iter().cloned()))
                }
            };
            Some(Plan { keywords, people: people.map(unique), flat: keys(&given), given: paths })
        }
    }
}

impl Plan {
    /// The keywords as a property with paths has them: keywords that stay keep their paths.
    pub(super) fn paths(&self, view: &View, property: Property) -> Vec<String> {
        let Some(separator) = property.separator() else { return self.keywords.clone() };
        let whole = whole_keywords(view, &self.keywords);
        let mut entries: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for entry in view.texts(property) {
            entries.entry(key(leaf(entry, separator, &whole))).or_default().push(entry);
        }
        let mut paths: Vec<String> = Vec::new();
        for keyword in &self.keywords {
            let wanted = key(keyword);
            let kept = entries.get(&wanted).filter(|_| !self.flat.contains(&wanted)).into_iter().flatten();
            let before = paths.len();
            paths.extend(kept.map(|path| (*path).to_owned()));
            for levels in self.given.get(&wanted).into_iter().flatten() {
                paths.push(levels.join(&separator.to_string()));
            }
            if paths.len() == before {
                paths.push(keyword.clone());
            }
        }
        unique(paths)
    }

    /// Whether any of the keywords were given as paths.
    pub(super) fn has_paths(&self) -> bool {
        !self.given.is_empty()
    }

    /// The keywords as `acdsee:categories`.
    pub(super) fn categories(&self, view: &View) -> Option<String> {
        let old = legal(view.texts(Property::AcdseeCategories).first().copied().unwrap_or_default());
        let names = acdsee::names(&old).unwrap_or_default();
        let (have, want) = (keys(&names), keys(&self.keywords));
        if self.keywords.is_empty() {
            None
        } else if have == want {
            Some(old.into_owned())
        } else if !have.is_empty() && have.is_subset(&want) {
            Some(acdsee::extend(&old, self.keywords.iter().filter(|keyword| !have.contains(&key(keyword)))))
        } else {
            Some(acdsee::document(&self.keywords))
        }
    }

    /// The keywords as `XPKeywords`; the old text if it says the same with other spacing.
    pub(super) fn windows(&self, old: &str) -> String {
        let same = old.split(';').map(str::trim).eq(self.keywords.iter().map(|keyword| keyword.trim()));
        if same { old.to_owned() } else { self.keywords.join(";") }
    }
}
