//! What holds for every picture and every wish.

use std::collections::BTreeSet;

use metatag::model::{Applied, Details, Mode, Modified, Wish, apply_at};
use metatag::stores::{Container, Stores};
use metatag::view::view;

use crate::generator::{Picture, Random, mode, picture, removal, wish};

const CASES: u64 = 4000;

#[track_caller]
fn apply(container: Container, stores: &Stores, wish: &Wish) -> Applied {
    apply_at(container, stores, wish, "2026-01-31T12:00:00Z").unwrap()
}

fn each(check: impl Fn(u64, &mut Random)) {
    for case in 0..CASES {
        check(case, &mut Random(case));
    }
}

#[test]
fn a_wish_fulfilled_twice_changes_nothing_the_second_time() {
    each(|case, random| {
        let Picture { container, stores, .. } = picture(random);
        let mode = mode(random);
        let wish = wish(random, mode);
        let once = apply(container, &stores, &wish);
        let twice = apply_at(container, &once.stores, &wish, "later").unwrap();
        assert_eq!(once.changed, once.stores != stores, "case {case}");
        let seen = || (&wish, view(&stores), view(&once.stores), view(&twice.stores));
        assert!(!twice.changed && twice.stores == once.stores, "case {case}: {:?}", seen());
    });
}

#[test]
fn two_lists_can_be_appended_in_either_order() {
    each(|case, random| {
        let Picture { container, stores, .. } = picture(random);
        let lists_only = |wish: Wish| Wish { description: None, location: None, ..wish };
        let first = lists_only(wish(random, Mode::Append));
        let second = lists_only(wish(random, Mode::Append));
        let seen = |a: &Wish, b: &Wish| {
            let end = view(&apply(container, &apply(container, &stores, a).stores, b).stores);
            let set =
                |list: Vec<String>| list.iter().map(|t| t.trim().to_owned()).collect::<BTreeSet<String>>();
            // Which spelling of a name stays depends on which came first.
            let composed = |set: BTreeSet<String>| {
                set.into_iter().map(|text| text.replace("e\u{301}", "é")).collect::<BTreeSet<String>>()
            };
            (composed(set(end.keywords)), composed(set(end.people)))
        };
        let known = view(&stores).keywords;
        // A path becomes a keyword when somebody says it is one; then its last level no longer is.
        let given =
            [&first, &second].into_iter().flat_map(|wish| wish.tags.iter().chain(&wish.people).flatten());
        if !known.iter().chain(given).any(|text| text.contains(['/', '|', ';'])) {
            assert_eq!(seen(&first, &second), seen(&second, &first), "case {case}: {first:?} {second:?}");
        }
    });
}

#[test]
fn what_is_not_ours_stays_byte_for_byte() {
    each(|case, random| {
        let picture = picture(random);
        let mode = mode(random);
        let wish = Wish { details: Details::new(), ..wish(random, mode) };
        let end = apply(picture.container, &picture.stores, &wish).stores;
        let packets = [
            (end.xmp, &picture.xmp),
            (end.further_xmp.first().cloned(), &picture.further_xmp),
            (end.extended_xmp, &picture.extended_xmp),
        ];
        for (packet, pieces) in packets {
            let packet = String::from_utf8(packet.unwrap_or_default()).unwrap();
            let mut rest = packet.as_str();
            for piece in pieces {
                let at = rest.find(piece.as_str());
                rest = &rest[at.unwrap_or_else(|| panic!("case {case}: {piece} is not in {packet}"))..];
            }
        }
        let records = [(end.iim, &picture.iim), (end.further_iim.first().cloned(), &picture.further_iim)];
        for (records, pieces) in records {
            let records = records.unwrap_or_default();
            for piece in pieces {
                assert!(records.windows(piece.len()).any(|window| window == piece), "case {case}: {piece:?}");
            }
        }
        let block = end.exif.unwrap_or_default();
        for (at, value) in &picture.exif {
            if !block.is_empty() {
                assert_eq!(block.get(*at..at + value.len()), Some(&value[..]), "case {case} at {at}");
            }
        }
    });
}

#[test]
fn what_is_wished_is_seen_and_what_is_not_stays() {
    each(|case, random| {
        let Picture { container, stores, .. } = picture(random);
        let wish = wish(random, Mode::Overwrite);
        let before = view(&stores);
        let after = view(&apply(container, &stores, &wish).stores);
        let text = |wished: &Option<String>, before: &Option<String>| match wished {
            Some(text) if text.trim().is_empty() => None,
            Some(text) => Some(text.clone()),
            None => before.clone(),
        };
        assert_eq!(after.description, text(&wish.description, &before.description), "case {case}");
        assert_eq!(after.location, text(&wish.location, &before.location), "case {case}");
        if wish.tags.is_none() && wish.people.is_none() {
            assert_eq!(after.keywords, before.keywords, "case {case}");
            assert_eq!(after.people, before.people, "case {case}");
        }
        let wished = wish.tags.iter().chain(&wish.people).flatten();
        for keyword in wished.filter(|keyword| !keyword.trim().is_empty()) {
            let composed = |text: &str| text.trim().replace("e\u{301}", "é");
            let last = keyword.rsplit(['|', '/']).next().unwrap_or_default();
            let is_there = |text: &str| after.keywords.iter().any(|k| composed(k) == composed(text));
            assert!(is_there(keyword) || is_there(last), "case {case}: {keyword}");
        }
    });
}

#[test]
fn what_is_removed_is_gone_and_nothing_else_is() {
    let composed = |text: &String| text.trim().replace("e\u{301}", "é");
    let set = |list: &[String]| list.iter().map(composed).collect::<BTreeSet<String>>();
    each(|case, random| {
        let Picture { container, stores, .. } = picture(random);
        let removal = removal(random);
        let before = view(&stores);
        let once = apply_at(container, &stores, &removal, "2026-01-31T12:00:00Z").unwrap();
        let after = view(&once.stores);
        let people: BTreeSet<String> =
            set(&removal.people).intersection(&set(&before.people)).cloned().collect();
        let gone: BTreeSet<String> = set(&removal.tags).union(&people).cloned().collect();
        // A path takes its last part along where no other path leads to it.
        let is_leaf = |keyword: &String| {
            let ends =
                |tag: &String| tag.rsplit_once(['/', '|']).is_some_and(|(_, leaf)| leaf.trim() == keyword);
            set(&removal.tags).iter().any(ends)
        };
        let sure = |list: &[String]| set(list).into_iter().filter(|keyword| !is_leaf(keyword)).collect();
        let (before_sure, after_sure): (BTreeSet<String>, BTreeSet<String>) =
            (sure(&before.keywords), sure(&after.keywords));
        let expected: BTreeSet<String> = before_sure.difference(&gone).cloned().collect();
        assert_eq!(after_sure, expected, "case {case}: {removal:?}");
        let expected: BTreeSet<String> = set(&before.people).difference(&people).cloned().collect();
        assert_eq!(set(&after.people), expected, "case {case}: {removal:?}");
        assert_eq!((after.description, after.location), (before.description, before.location), "case {case}");
        let twice = apply_at(container, &once.stores, &removal, "later").unwrap();
        assert!(!twice.changed, "case {case}: {removal:?}");
        let missing = removal.missing_in(&view(&stores));
        let nothing = missing == removal;
        assert!(!nothing || !once.changed, "case {case}: {removal:?}");
    });
}

/// Nothing is timed here, but a quadratic step would be noticed.
#[test]
fn very_many_keywords_are_no_more_than_that() {
    let tags: Vec<String> = (0..50_000).map(|n| format!("a/{n}")).collect();
    let wish = |mode, tags: &[String]| Wish {
        tags: Some(tags.to_vec()),
        description: None,
        people: None,
        location: None,
        details: Details::new(),
        mode,
        modified: Modified::Now,
    };
    let many = apply(Container::Png, &Stores::default(), &wish(Mode::Overwrite, &tags)).stores;
    let more = apply(Container::Png, &many, &wish(Mode::Append, &["b".to_owned()])).stores;
    assert_eq!(view(&more).keywords.len(), 50_001);
}
