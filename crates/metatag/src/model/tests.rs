//! The rules, each in a row.

use super::*;
use crate::xmp::{self, Item, Property};

const NOW: &str = "2026-01-31T12:00:00Z";

fn list(texts: &str) -> Vec<String> {
    texts.split(' ').filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn wish(mode: Mode) -> Wish {
    Wish {
        tags: None,
        description: None,
        people: None,
        location: None,
        details: Details::new(),
        mode,
        modified: Modified::Now,
    }
}

fn keywords(mode: Mode, tags: Option<&str>, people: Option<&str>) -> Wish {
    Wish { tags: tags.map(list), people: people.map(list), ..wish(mode) }
}

fn texts(mode: Mode, description: Option<&str>, location: Option<&str>) -> Wish {
    Wish { description: description.map(str::to_owned), location: location.map(str::to_owned), ..wish(mode) }
}

fn packet(inside: &str) -> Stores {
    let packet = format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
         xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:digiKam='http://www.digikam.org/ns/1.0/' \
         xmlns:lr='http://ns.adobe.com/lightroom/1.0/' xmlns:acdsee='http://ns.acdsee.com/iptc/1.0/' \
         xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:M='http://ns.microsoft.com/photo/1.0/'>{inside}\
         </rdf:Description></rdf:RDF>"
    );
    Stores { xmp: Some(packet.into_bytes()), ..Stores::default() }
}

fn bag(name: &str, texts: &str) -> String {
    let items = list(texts).join("</rdf:li><rdf:li>");
    format!("<{name}><rdf:Bag><rdf:li>{items}</rdf:li></rdf:Bag></{name}>")
}

/// Applies a wish, and sees that applying it again changes nothing.
#[track_caller]
fn applied(container: Container, stores: &Stores, wish: &Wish) -> Applied {
    let once = apply_at(container, stores, wish, NOW).unwrap();
    assert_eq!(once.changed, once.stores != *stores);
    let twice = apply_at(container, &once.stores, wish, "later").unwrap();
    assert!(!twice.changed, "{wish:?}");
    once
}

#[track_caller]
fn xmp_says(stores: &Stores, property: Property, expected: &[&str]) {
    let read = xmp::Properties::read(stores.xmp.as_ref().unwrap()).unwrap();
    assert_eq!(read.texts(property), expected, "{property:?}");
}

#[test]
fn keywords_and_people_follow_the_rules() {
    use Mode::{Append, Overwrite};
    // What was there as tags and people; mode, tags, people; keywords and people afterwards.
    let table = [
        (("", ""), (Overwrite, Some("a b a"), None), ("a b", "")),
        (("", ""), (Overwrite, Some("a P"), Some("P Q")), ("a P Q", "P Q")),
        (("a", "P"), (Overwrite, Some("b"), None), ("b P", "P")),
        (("a", "P"), (Overwrite, Some(""), None), ("P", "P")),
        (("a", "P"), (Overwrite, None, Some("Q")), ("a Q", "Q")),
        (("a", "P Q"), (Overwrite, None, Some("Q R")), ("a Q R", "Q R")),
        (("a", "P"), (Overwrite, None, Some("")), ("a", "")),
        (("a", "P"), (Overwrite, Some(""), Some("")), ("", "")),
        (("a", "P"), (Overwrite, Some("P"), Some("")), ("P", "")),
        (("a", "P"), (Overwrite, None, None), ("a P", "P")),
        (("a b", "P"), (Append, Some("c b"), None), ("a b P c", "P")),
        (("a", "P"), (Append, None, Some("Q P")), ("a P Q", "P Q")),
        (("a", "P"), (Append, Some(""), Some("")), ("a P", "P")),
        (("José", ""), (Append, Some("Jose\u{301} josé"), None), ("José josé", "")),
    ];
    for (before, (mode, tags, people), after) in table {
        for container in [Container::Jpeg, Container::Png, Container::Heic] {
            let start = keywords(Overwrite, Some(before.0), Some(before.1));
            let start = applied(container, &Stores::default(), &start).stores;
            let end = applied(container, &start, &keywords(mode, tags, people)).stores;
            let seen = view(&end);
            assert_eq!(seen.keywords, list(after.0), "{before:?} {mode:?} {tags:?} {people:?}");
            assert_eq!(seen.people, list(after.1), "{before:?} {mode:?} {tags:?} {people:?}");
            assert_eq!(end.iim.is_some(), container == Container::Jpeg && !after.0.is_empty());
            assert_eq!(end.exif, None);
            if end.xmp.is_some() {
                let expected = list(after.0);
                let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
                xmp_says(&end, Property::Subject, &expected);
                xmp_says(&end, Property::TagsList, &expected);
            }
        }
    }
}

#[test]
fn descriptions_and_locations_follow_the_rules() {
    use Mode::{Append, Overwrite};
    let table = [
        (None, (Overwrite, "new"), Some("new"), false),
        (Some("old"), (Overwrite, "new"), Some("new"), false),
        (Some("old"), (Overwrite, ""), None, false),
        (Some("old"), (Overwrite, "  "), None, false),
        (Some("old"), (Append, "new"), Some("old"), true),
        (Some("old"), (Append, "old"), Some("old"), false),
        (Some("old"), (Append, ""), Some("old"), false),
        (None, (Append, "new\r\n行"), Some("new\r\n行"), false),
    ];
    for (before, (mode, new), after, kept) in table {
        for container in [Container::Jpeg, Container::Png, Container::Heic] {
            let start = applied(container, &Stores::default(), &texts(Overwrite, before, before)).stores;
            let end = applied(container, &start, &texts(mode, Some(new), Some(new)));
            let seen = view(&end.stores);
            assert_eq!((seen.description.as_deref(), seen.location.as_deref()), (after, after));
            let notes = [Note::Kept(Field::Description), Note::Kept(Field::Location)];
            assert_eq!(end.notes, if kept { &notes[..] } else { &[] });
            let exif = end.stores.exif.map(|exif| exif::Values::read(&exif).unwrap().description.unwrap());
            assert_eq!(exif.as_deref(), after);
            assert_eq!(end.stores.iim.is_some(), container == Container::Jpeg && after.is_some());
            assert_eq!(end.stores.png_description.as_deref(), after.filter(|_| container == Container::Png));
        }
    }
}

#[test]
fn nothing_asked_is_nothing_done_even_to_damaged_stores() {
    let damaged = Stores {
        exif: Some(b"no".to_vec()),
        xmp: Some(b"<no".to_vec()),
        iim: Some(b"no".to_vec()),
        ..Stores::default()
    };
    for mode in [Mode::Overwrite, Mode::Append] {
        assert!(!applied(Container::Jpeg, &damaged, &wish(mode)).changed);
    }
}

#[test]
fn a_damaged_store_that_would_have_to_change_is_an_error() {
    let damaged = |container, stores: Stores, wish: &Wish| apply_at(container, &stores, wish, NOW);
    let exif = Stores { exif: Some(b"no".to_vec()), ..Stores::default() };
    let iim = Stores { iim: Some(b"no".to_vec()), ..Stores::default() };
    let xmp = Stores { xmp: Some(b"<no".to_vec()), ..Stores::default() };
    let tags = keywords(Mode::Append, Some("a"), None);
    let description = texts(Mode::Overwrite, Some("a"), None);
    assert!(damaged(Container::Heic, exif.clone(), &tags).unwrap().changed);
    assert!(matches!(damaged(Container::Heic, exif, &description), Err(ApplyError::Exif(_))));
    assert!(matches!(damaged(Container::Png, iim, &tags), Err(ApplyError::Iim(_))));
    assert!(matches!(damaged(Container::Png, xmp, &description), Err(ApplyError::Xmp(_))));
}

#[test]
fn characters_that_metadata_cannot_hold_are_refused() {
    let bad = || Some("a\u{1}".to_owned());
    let mode = Mode::Overwrite;
    for (wish, expected) in [
        (Wish { tags: bad().map(|text| vec![text]), ..wish(mode) }, Field::Tags),
        (Wish { description: bad(), ..wish(mode) }, Field::Description),
        (Wish { people: bad().map(|text| vec![text]), ..wish(mode) }, Field::People),
        (Wish { location: bad(), ..wish(mode) }, Field::Location),
    ] {
        let error = apply_at(Container::Png, &Stores::default(), &wish, NOW).unwrap_err();
        assert_eq!(error, ApplyError::InvalidText { field: expected });
    }
}

#[test]
fn stores_out_of_step_are_brought_together() {
    let mut stores = packet(&(bag("dc:subject", "b b") + &bag("digiKam:TagsList", "Places/a x")));
    stores.iim = iim::edit(None, &iim::Changes::from([(iim::Tag::Keywords, list("c b"))])).unwrap();
    let end = applied(Container::Jpeg, &stores, &keywords(Mode::Append, Some("d"), None)).stores;
    xmp_says(&end, Property::Subject, &["a", "x", "b", "c", "d"]);
    xmp_says(&end, Property::TagsList, &["Places/a", "x", "b", "c", "d"]);
    let records = end.iim.unwrap();
    assert_eq!(iim::Values::read(&records).unwrap().keywords, ["a", "x", "b", "c", "d"]);
    assert_eq!(end.iim_digest, Some(iim::digest(&records)));
}

#[test]
fn paths_stay_when_their_keywords_do() {
    let stores =
        packet(&(bag("dc:subject", "Paris P") + &bag("lr:hierarchicalSubject", "Places|Paris People|P")));
    let end = applied(Container::Heic, &stores, &keywords(Mode::Append, Some("new"), None)).stores;
    xmp_says(&end, Property::HierarchicalSubject, &["Places|Paris", "People|P", "new"]);
    let people = applied(Container::Heic, &stores, &keywords(Mode::Append, None, Some("P"))).stores;
    let end = applied(Container::Heic, &people, &keywords(Mode::Overwrite, Some("Paris"), None)).stores;
    xmp_says(&end, Property::HierarchicalSubject, &["Paris", "People|P"]);
    let end = applied(Container::Heic, &people, &keywords(Mode::Overwrite, None, Some(""))).stores;
    xmp_says(&end, Property::HierarchicalSubject, &["Places|Paris"]);
}

#[test]
fn a_keyword_with_a_slash_is_the_end_of_a_path_as_it_is() {
    let wish = keywords(Mode::Overwrite, Some("Music|AC/DC"), None);
    let end = applied(Container::Heic, &Stores::default(), &wish).stores;
    xmp_says(&end, Property::TagsList, &["Music/AC/DC"]);
    xmp_says(&end, Property::HierarchicalSubject, &["Music|AC/DC"]);
    assert_eq!(view(&end).keywords, ["AC/DC"]);
    let more = applied(Container::Heic, &end, &keywords(Mode::Append, Some("live"), None)).stores;
    assert_eq!(view(&more).keywords, ["AC/DC", "live"]);
    xmp_says(&more, Property::TagsList, &["Music/AC/DC", "live"]);
}

#[test]
fn a_tag_of_nothing_but_separators_is_a_tag() {
    let before =
        applied(Container::Jpeg, &Stores::default(), &keywords(Mode::Overwrite, Some("a"), None)).stores;
    for tag in ["|", "||", "/", "//"] {
        let end = applied(Container::Jpeg, &before, &keywords(Mode::Overwrite, Some(tag), None)).stores;
        assert_eq!(view(&end).keywords, [tag]);
    }
}

#[test]
fn a_keyword_that_looks_like_a_path_stays_whole() {
    let first = keywords(Mode::Overwrite, Some("AC/DC 24/7 km/h x;y https://example.com/photos"), None);
    let first = applied(Container::Png, &Stores::default(), &first).stores;
    let end = applied(Container::Png, &first, &keywords(Mode::Append, Some("z"), None)).stores;
    assert_eq!(view(&end).keywords, ["AC/DC", "24/7", "km/h", "x;y", "https://example.com/photos", "z"]);
    let known = packet(&bag("dc:subject", "Places/Paris"));
    let end = applied(Container::Png, &known, &keywords(Mode::Append, Some("Places/Paris z"), None)).stores;
    assert_eq!(view(&end).keywords, ["Places/Paris", "z"]);
}

#[test]
fn a_path_is_one_where_there_is_a_place_for_it() {
    let wish = keywords(Mode::Overwrite, Some("Places|France|Paris 家庭/孩子 b"), None);
    let end = applied(Container::Jpeg, &Stores::default(), &wish).stores;
    assert_eq!(view(&end).keywords, ["Paris", "孩子", "b"]);
    xmp_says(&end, Property::Subject, &["Paris", "孩子", "b"]);
    xmp_says(&end, Property::TagsList, &["Places/France/Paris", "家庭/孩子", "b"]);
    xmp_says(&end, Property::HierarchicalSubject, &["Places|France|Paris", "家庭|孩子", "b"]);
    assert_eq!(view(&end).iim.unwrap().keywords, ["Paris", "孩子", "b"]);
}

#[test]
fn what_is_cleared_leaves_nothing_behind() {
    for container in [Container::Jpeg, Container::Png, Container::Heic, Container::Gif] {
        let mut all = texts(Mode::Overwrite, Some("text"), Some("here"));
        all.tags = Some(list("a b"));
        all.details = Field::DETAILS
            .into_iter()
            .map(|field| {
                let text = match field {
                    Field::Rating => "5",
                    Field::DateTaken => "2024-05-01T18:30:05+02:00",
                    Field::Position => "48.8584, 2.2945",
                    _ => "text",
                };
                (field, Detail::parse(field, text).unwrap())
            })
            .collect();
        let full = applied(container, &Stores::default(), &all).stores;
        assert_eq!(view(&full).details.len(), Field::DETAILS.len(), "{container}");
        let mut none = texts(Mode::Overwrite, Some(""), Some(""));
        none.tags = Some(Vec::new());
        none.details = all.details.keys().map(|field| (*field, Detail::Removed)).collect();
        assert_eq!(applied(container, &full, &none).stores, Stores::default(), "{container}");
    }
}

#[test]
fn properties_that_nobody_needs_are_refreshed_but_not_made() {
    let inside = bag("lr:hierarchicalSubject", "old")
        + &bag("M:LastKeywordXMP", "old")
        + &bag("acdsee:keywords", "old")
        + "<acdsee:categories>&lt;Categories&gt;&lt;Category Assigned=\"1\"&gt;old&lt;/Category&gt;&lt;/Categories&gt;\
           </acdsee:categories><tiff:ImageDescription>old</tiff:ImageDescription>";
    let mut stores = packet(&inside);
    stores.exif = exif::edit(
        None,
        &exif::Changes::from([(exif::Tag::XpKeywords, Some(exif::Value::Wide("old".into())))]),
    )
    .unwrap();
    let mut new = keywords(Mode::Overwrite, Some("n & m"), None);
    new.description = Some("d".to_owned());
    let end = applied(Container::Heic, &stores, &new).stores;
    for property in [Property::HierarchicalSubject, Property::LastKeywordXmp, Property::AcdseeKeywords] {
        xmp_says(&end, property, &["n", "&", "m"]);
    }
    xmp_says(&end, Property::TiffDescription, &["d"]);
    assert!(!xmp::Properties::read(end.xmp.as_ref().unwrap()).unwrap().has(Property::LastKeywordIptc));
    let categories = "<Categories><Category Assigned=\"1\">n</Category><Category Assigned=\"1\">&amp;</Category>\
                      <Category Assigned=\"1\">m</Category></Categories>";
    xmp_says(&end, Property::AcdseeCategories, &[categories]);
    assert_eq!(exif::Values::read(&end.exif.unwrap()).unwrap().keywords.as_deref(), Some("n;&;m"));
    let append = applied(Container::Heic, &stores, &keywords(Mode::Append, Some("n"), None)).stores;
    assert_eq!(view(&append).keywords, ["old", "n"]);
}

#[test]
fn a_new_description_takes_all_languages_away() {
    let stores = packet(
        "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>old</rdf:li><rdf:li xml:lang='zh-CN'>旧</rdf:li>\
         </rdf:Alt></dc:description>",
    );
    let end = applied(Container::Heic, &stores, &texts(Mode::Overwrite, Some("new"), None)).stores;
    let read = xmp::Properties::read(end.xmp.as_ref().unwrap()).unwrap();
    assert_eq!(read.items(Property::Description), [Item::default_language("new")]);
    assert_eq!(view(&stores).description.as_deref(), Some("old"));
}

#[test]
fn the_date_changes_only_with_something_else() {
    let first = applied(Container::Heic, &Stores::default(), &keywords(Mode::Append, Some("a"), None)).stores;
    xmp_says(&first, Property::MetadataDate, &[NOW]);
    let wish = texts(Mode::Overwrite, None, Some("here"));
    let second = apply_at(Container::Heic, &first, &wish, "2027-01-01T00:00:00Z").unwrap().stores;
    xmp_says(&second, Property::MetadataDate, &["2027-01-01T00:00:00Z"]);
}

#[test]
fn a_picture_whose_exif_is_full_gets_the_rest() {
    let mut block = exif::edit(
        None,
        &exif::Changes::from([(exif::Tag::XpKeywords, Some(exif::Value::Wide("k".repeat(32_000))))]),
    )
    .unwrap()
    .unwrap();
    block.resize(Container::Jpeg.capacity().exif, 1);
    let stores = Stores { exif: Some(block), ..Stores::default() };
    let end = applied(Container::Jpeg, &stores, &texts(Mode::Overwrite, Some("long enough"), None));
    assert_eq!(end.notes, [Note::ExifFull]);
    assert_eq!(end.stores.exif, stores.exif);
    assert_eq!(view(&end.stores).description.as_deref(), Some("long enough"));
}

#[test]
fn records_changed_behind_the_back_of_xmp_speak_first() {
    let mut stores =
        applied(Container::Jpeg, &Stores::default(), &texts(Mode::Overwrite, Some("a"), Some("b"))).stores;
    let newer = iim::Changes::from([
        (iim::Tag::Caption, vec!["c".to_owned()]),
        (iim::Tag::Sublocation, vec!["d".to_owned()]),
    ]);
    stores.iim = iim::edit(stores.iim.as_deref(), &newer).unwrap();
    let seen = view(&stores);
    assert_eq!((seen.description.as_deref(), seen.location.as_deref()), (Some("c"), Some("d")));
    stores.iim_digest = None;
    assert_eq!(view(&stores).description.as_deref(), Some("a"));
}

fn without(tags: &str, people: &str) -> Removal {
    Removal { tags: list(tags), people: list(people) }
}

#[test]
fn what_is_removed_is_gone_from_every_store_and_the_rest_stays() {
    // What was there as tags and people; what goes; keywords and people afterwards.
    let table = [
        (("a b c", ""), ("b", ""), ("a c", "")),
        (("a b", "P"), ("a b", ""), ("P", "P")),
        (("a", "P Q"), ("P", ""), ("a Q", "P Q")),
        (("a", "P Q"), ("", "P"), ("a Q", "Q")),
        (("a P", "Q"), ("", "P"), ("a P Q", "Q")),
        (("José b", ""), ("Jose\u{301}", ""), ("b", "")),
        (("a A", ""), ("A", ""), ("a", "")),
        (("a", "P"), ("a", "P"), ("", "")),
    ];
    for (before, (tags, people), after) in table {
        for container in [Container::Jpeg, Container::Png, Container::Heic] {
            let start = keywords(Mode::Overwrite, Some(before.0), Some(before.1));
            let start = applied(container, &Stores::default(), &start).stores;
            let removal = without(tags, people);
            let end = apply_at(container, &start, &removal, NOW).unwrap();
            let seen = view(&end.stores);
            assert_eq!(
                (seen.keywords, seen.people),
                (list(after.0), list(after.1)),
                "{before:?} {removal:?}"
            );
            let again = apply_at(container, &end.stores, &removal, "later").unwrap();
            assert!(!again.changed, "{removal:?}");
        }
    }
}

#[test]
fn what_is_not_there_changes_nothing_even_where_stores_are_out_of_step() {
    let stores = packet(&(bag("dc:subject", "b b") + &bag("digiKam:TagsList", "Places/a")));
    let removal = without("Places x", "b");
    let end = apply_at(Container::Jpeg, &stores, &removal, NOW).unwrap();
    assert!(!end.changed && end.stores == stores);
    assert_eq!(removal.missing_in(&view(&stores)), removal);
    assert_eq!(without("a x", "").missing_in(&view(&stores)), without("x", ""));
}

#[test]
fn a_keyword_goes_with_its_paths_and_others_keep_theirs() {
    let inside = bag("dc:subject", "Paris P AC/DC") + &bag("lr:hierarchicalSubject", "Places|Paris People|P");
    let stores = packet(&(inside + &bag("digiKam:TagsList", "Places/Paris People/P AC/DC")));
    let end = apply_at(Container::Heic, &stores, &without("Paris", ""), NOW).unwrap().stores;
    xmp_says(&end, Property::HierarchicalSubject, &["People|P", "AC/DC"]);
    xmp_says(&end, Property::TagsList, &["People/P", "AC/DC"]);
    let end = apply_at(Container::Heic, &stores, &without("DC", ""), NOW).unwrap();
    assert!(!end.changed);
    let end = apply_at(Container::Heic, &stores, &without("AC/DC", ""), NOW).unwrap().stores;
    xmp_says(&end, Property::TagsList, &["Places/Paris", "People/P"]);
}

#[test]
fn every_packet_and_every_block_of_records_is_brought_into_step() {
    let mut stores = packet(&bag("dc:subject", "a"));
    stores.further_xmp = vec![packet(&(bag("dc:subject", "b") + "<dc:rights>mine</dc:rights>")).xmp.unwrap()];
    let records = |keyword: &str| {
        iim::edit(None, &iim::Changes::from([(iim::Tag::Keywords, list(keyword))])).unwrap().unwrap()
    };
    let credit = b"\x1C\x02\x6E\0\x02me";
    stores.iim = Some(records("c"));
    stores.further_iim = vec![[records("d").as_slice(), credit].concat(), Vec::new()];
    assert_eq!(view(&stores).keywords, ["a", "b", "c", "d"]);
    let end = applied(Container::Jpeg, &stores, &keywords(Mode::Append, Some("e"), None)).stores;
    let all = ["a", "b", "c", "d", "e"];
    xmp_says(&end, Property::Subject, &all);
    let further = Stores { xmp: Some(end.further_xmp[0].clone()), ..Stores::default() };
    xmp_says(&further, Property::Subject, &all);
    assert!(String::from_utf8_lossy(&end.further_xmp[0]).contains("<dc:rights>mine</dc:rights>"));
    assert_eq!(iim::Values::read(end.iim.as_ref().unwrap()).unwrap().keywords, all);
    assert!(iim::Values::read(&end.further_iim[0]).unwrap().keywords.is_empty());
    assert!(end.further_iim[0].ends_with(credit) && end.further_iim[1].is_empty());
    let cleared = applied(Container::Jpeg, &end, &keywords(Mode::Overwrite, Some(""), None)).stores;
    assert!(view(&cleared).keywords.is_empty());
}

#[test]
fn extended_xmp_is_part_of_the_whole_and_gives_way() {
    let extended = packet(&(bag("dc:subject", "deep") + "<dc:rights>mine</dc:rights>")).xmp.unwrap();
    let name = xmp::extended::name(&extended);
    let note = format!("<n:HasExtendedXMP xmlns:n='http://ns.adobe.com/xmp/note/'>{name}</n:HasExtendedXMP>");
    let stores = Stores { extended_xmp: Some(extended), ..packet(&note) };
    assert_eq!(view(&stores).keywords, ["deep"]);
    let other = applied(Container::Jpeg, &stores, &texts(Mode::Overwrite, None, Some("here"))).stores;
    assert_eq!(other.extended_xmp, stores.extended_xmp, "it is not touched when it need not be");
    let end = applied(Container::Jpeg, &stores, &keywords(Mode::Append, Some("new"), None)).stores;
    xmp_says(&end, Property::Subject, &["deep", "new"]);
    let extended = end.extended_xmp.clone().unwrap();
    assert!(String::from_utf8_lossy(&extended).contains("<dc:rights>mine</dc:rights>"));
    assert!(!xmp::Properties::read(&extended).unwrap().has(Property::Subject));
    xmp_says(&end, Property::HasExtendedXmp, &[&xmp::extended::name(&extended)]);
    let only = packet(&bag("dc:subject", "deep")).xmp.unwrap();
    let note = note.replace(&name, &xmp::extended::name(&only));
    let stores = Stores { extended_xmp: Some(only), ..packet(&note) };
    let end = applied(Container::Jpeg, &stores, &keywords(Mode::Overwrite, Some("new"), None)).stores;
    assert_eq!(end.extended_xmp, None);
    assert!(!xmp::Properties::read(&end.xmp.unwrap()).unwrap().has(Property::HasExtendedXmp));
}

#[test]
fn a_packet_that_is_full_continues_in_another() {
    let large = format!("<dc:rights>{}</dc:rights>", "r".repeat(60_000));
    let stores = packet(&large);
    let long = "长".repeat(5_000);
    let end = applied(Container::Jpeg, &stores, &texts(Mode::Overwrite, Some(&long), None)).stores;
    assert!(end.xmp.as_ref().unwrap().len() <= 65_502);
    assert!(String::from_utf8_lossy(end.extended_xmp.as_ref().unwrap()).contains(&large));
    let elsewhere = applied(Container::Png, &stores, &texts(Mode::Overwrite, Some(&long), None)).stores;
    assert_eq!(elsewhere.extended_xmp, None);
}

#[test]
fn nothing_is_added_to_a_block_with_values_outside_of_it() {
    // A value of eight bytes that would begin right behind the block.
    let odd = b"II*\0\x08\0\0\0\x01\0\x1a\x01\x05\0\x01\0\0\0\x1a\0\0\0\0\0\0\0".to_vec();
    let stores = Stores { exif: Some(odd.clone()), ..Stores::default() };
    let end = applied(Container::Heic, &stores, &texts(Mode::Overwrite, Some("long enough"), None));
    assert_eq!((end.stores.exif.as_ref(), end.notes.as_slice()), (Some(&odd), &[Note::ExifOdd][..]));
    assert_eq!(view(&end.stores).description.as_deref(), Some("long enough"));
    // A description that would stay as it was is a reason to refuse.
    let stale =
        b"II*\0\x08\0\0\0\x02\0\x0e\x01\x02\0\x03\0\0\0ab\0\0\x1a\x01\x05\0\x01\0\0\0\x26\0\0\0\0\0\0\0";
    let stores = Stores { exif: Some(stale.to_vec()), ..Stores::default() };
    let refused = apply_at(Container::Heic, &stores, &texts(Mode::Overwrite, Some("long enough"), None), NOW);
    assert_eq!(refused, Err(ApplyError::Exif(ExifError::Dangling)));
}
