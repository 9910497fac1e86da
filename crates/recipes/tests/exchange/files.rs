//! Files of other programs, made here.

use std::io::{Cursor, Write};

use recipes::export::read_archive;
use recipes::import::{Image, Import, NoImport, read_file};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

/// One pixel.
const PNG: &[u8] =
    b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\x38\xe0\xa0\x00\
    \x00\x02\xe4\x01\x21\x81\x25\xc8\xc8\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).expect("packed");
    out.finish().expect("packed")
}

#[track_caller]
fn read(name: &str, bytes: &[u8]) -> Import {
    read_file(name, bytes).expect("recipes")
}

fn paprika() -> Value {
    json!({
        "name": "Lentil soup", "ingredients": "200 g lentils\n1 onion, diced\nTo serve:\nbread", "directions": "Fry.\n\nBoil.",
        "servings": "Serves 4", "prep_time": "10 mins", "cook_time": "1 hr 5 min", "rating": 4, "notes": "Good cold.",
        "categories": ["Soup"], "source_url": "https://example.org/soup", "description": null, "difficulty": "Easy",
        "photo_data": "iVBORw0KGgogYW5kIHNvIG9u", "nutritional_info": "",
    })
}

#[test]
fn paprika_recipes_come_with_everything() {
    let one = gzip(paprika().to_string().as_bytes());
    let archive = zip(&[("Lentil soup.paprikarecipe", &one), ("Broken.paprikarecipe", b"not gzip")]);
    let found = read("My recipes.paprikarecipes", &archive);
    assert_eq!((found.recipes.len(), found.problems.len()), (1, 1), "{found:?}");
    let draft = &found.recipes[0].draft;
    assert_eq!(draft.title.as_str(), "Lentil soup");
    assert_eq!(draft.cook_time_minutes.map(|minutes| minutes.get()), Some(65));
    assert_eq!(draft.servings.map(|servings| servings.get()), Some(4));
    assert_eq!(draft.rating.map(|rating| rating.get()), Some(4));
    let list = draft.ingredients.as_ref().expect("ingredients");
    assert_eq!(list[2].section.as_ref().map(|section| section.as_str()), Some("To serve"));
    assert_eq!(draft.steps.as_ref().expect("steps").len(), 2);
    assert!(matches!(found.recipes[0].picture, Some(Image::Bytes(_))));
    assert_eq!(read("one.paprikarecipe", &one).recipes.len(), 1);
}

#[test]
fn mealie_recipes_keep_their_ingredients() {
    let recipe = json!({
        "slug": "toast", "name": "Toast", "recipeYield": "2 servings", "recipeServings": 2.0, "performTime": "5 minutes",
        "recipeIngredient": [
            { "quantity": 2.0, "unit": { "name": "slice" }, "food": { "name": "bread" }, "note": "thick", "title": "Base" },
            { "quantity": 0.0, "unit": null, "food": null, "note": "1 tbsp butter", "originalText": null }
        ],
        "recipeInstructions": [{ "title": "", "text": "Toast it." }], "tags": [{ "name": "quick" }],
        "notes": [{ "title": "Tip", "text": "Serve hot." }], "orgURL": "https://example.org/toast", "rating": 5
    });
    let archive = zip(&[("recipes/toast/toast.json", recipe.to_string().as_bytes())]);
    for found in [read("mealie.zip", &archive), read("toast.json", recipe.to_string().as_bytes())] {
        let draft = &found.recipes[0].draft;
        let list = draft.ingredients.as_ref().expect("ingredients");
        assert_eq!(
            (list[0].name.as_str(), list[0].unit.as_ref().map(|unit| unit.as_str())),
            ("bread", Some("slice"))
        );
        assert_eq!(
            (list[1].name.as_str(), list[1].unit.as_ref().map(|unit| unit.as_str())),
            ("butter", Some("tbsp"))
        );
        assert_eq!(draft.notes.as_ref().map(|notes| notes.as_str()), Some("Tip: Serve hot."));
        assert_eq!(draft.servings.map(|servings| servings.get()), Some(2));
    }
}

#[test]
fn a_mealie_backup_is_joined_from_its_tables() {
    let database = json!({
        "recipes": [{ "id": "r1", "name": "Toast", "recipe_yield": "2 servings", "perform_time": "5 min", "org_url": null }],
        "recipes_ingredients": [
            { "recipe_id": "r1", "position": 1, "note": "salt", "food_id": null },
            { "recipe_id": "r1", "position": 0, "quantity": 2.0, "unit_id": "u1", "food_id": "f1", "note": "" },
            { "recipe_id": "other", "position": 0, "note": "nothing" }
        ],
        "ingredient_units": [{ "id": "u1", "name": "slice" }], "ingredient_foods": [{ "id": "f1", "name": "bread" }],
        "recipe_instructions": [{ "recipe_id": "r1", "position": 0, "text": "Toast it." }]
    });
    let found = read("backup.zip", &zip(&[("database.json", database.to_string().as_bytes())]));
    let draft = &found.recipes[0].draft;
    let names: Vec<_> =
        draft.ingredients.as_ref().expect("ingredients").iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["bread", "salt"]);
    assert_eq!(draft.steps.as_ref().expect("steps").len(), 1);
}

#[test]
fn nextcloud_folders_come_with_their_pictures() {
    let recipe = json!({ "@type": "Recipe", "name": "Toast", "recipeIngredient": ["2 slices bread"], "recipeYield": 2,
        "recipeInstructions": ["Toast it."], "prepTime": "PT0H5M0S", "keywords": "quick,bread", "image": "" });
    let recipe = recipe.to_string();
    let archive = zip(&[
        ("Recipes/Toast/full.jpg", PNG),
        ("Recipes/Toast/recipe.json", recipe.as_bytes()),
        ("Recipes/Toast/thumb.jpg", b"small"),
    ]);
    let found = read("Recipes.zip", &archive);
    assert_eq!(found.recipes.len(), 1);
    assert_eq!(found.recipes[0].picture, Some(Image::Bytes(PNG.into())));
    assert_eq!(found.recipes[0].draft.servings.map(|servings| servings.get()), Some(2));
}

#[test]
fn cooklang_is_read_with_its_marks() {
    let text = "---\ntitle: Pancakes\nservings: 4\ntags: [quick, sweet]\nprep time: 10 min\n---\n\nMix @flour{250%g}(sifted) and \
                @eggs{3} in a #large bowl{}. -- not too long\nWait ~{15%minutes}.\n\n= To serve\n\nAdd @salt{=1%pinch} and \
                @maple syrup{} [- or honey -], or @sugar.\n";
    let found = read("x.cook", text.as_bytes());
    let draft = &found.recipes[0].draft;
    assert_eq!(draft.title.as_str(), "Pancakes");
    assert_eq!(draft.prep_time_minutes.map(|minutes| minutes.get()), Some(10));
    let list = draft.ingredients.as_ref().expect("ingredients");
    let names: Vec<_> = list.iter().map(|ingredient| ingredient.name.as_str()).collect();
    assert_eq!(names, ["flour", "eggs", "salt", "maple syrup", "sugar"]);
    assert_eq!(list[0].notes.as_ref().map(|notes| notes.as_str()), Some("sifted"));
    assert!(!list[2].scales && list[1].scales);
    let steps = draft.steps.as_ref().expect("steps");
    assert_eq!(steps[0].instruction.as_str(), "Mix flour and eggs in a large bowl. Wait 15 minutes.");
    assert_eq!(steps[0].duration_minutes.map(|minutes| minutes.get()), Some(15));
    assert_eq!(steps[1].section.as_ref().map(|section| section.as_str()), Some("To serve"));
    assert_eq!(read("Plain.cook", b"Boil @water{1%l}.").recipes[0].draft.title.as_str(), "Plain");
}

#[test]
fn archives_that_explode_are_refused() {
    let zeros = vec![0; 40 << 20];
    let bomb = zip(&[("a.json", &zeros)]);
    assert!(bomb.len() < 100_000);
    assert!(matches!(read_file("a.zip", &bomb), Err(NoImport::Bomb(_))));
    assert!(matches!(read_file("a.paprikarecipe", &gzip(&zeros)), Err(NoImport::Bomb(_))));
}

#[test]
fn damaged_files_are_refused_and_never_break_anything() {
    let whole = zip(&[
        ("a.paprikarecipe", &gzip(paprika().to_string().as_bytes())),
        ("b.json", b"{\"@type\":\"Recipe\"}"),
    ]);
    for end in (0..whole.len()).step_by(7) {
        let _ = read_file("a.zip", &whole[..end]);
        let mut flipped = whole.clone();
        flipped[end] ^= 0x55;
        let _ = read_file("a.zip", &flipped);
    }
    assert!(matches!(read_file("a.zip", b"PK\x03\x04 and nothing"), Err(NoImport::Damaged(_))));
}

#[test]
fn what_takes_much_more_memory_than_its_text_is_refused() {
    // Three bytes of text each, and dozens as a value.
    let values = format!("[{}0]", "0,".repeat(5_000_000));
    let archive = zip(&[("a.json", values.as_bytes())]);
    assert!(archive.len() < 100_000);
    assert!(matches!(read_file("a.zip", &archive), Err(NoImport::Nothing)));
    assert!(matches!(read_file("a.json", values.as_bytes()), Err(NoImport::Values)));
    // Pictures that are small in an archive, and large when they are looked at.
    let picture = [PNG, &vec![0; 20 << 20]].concat();
    let entries = ["a/full.png", "b/full.png", "c/full.png"].map(|name| (name, picture.as_slice()));
    let archive = zip(&entries);
    assert!(archive.len() < 500_000);
    assert!(matches!(read_file("a.zip", &archive), Err(NoImport::TooLarge(_))));
}

#[test]
fn a_recipe_is_read_as_people_write_it_down() {
    let text = "Pancakes\n\nIngredients\n250 g flour\n2 eggs\n\nMethod\n1. Whisk.\n2. Fry for 3 minutes.";
    let found = recipes::import::read_text(text, None).expect("a recipe");
    let draft = &found.recipes[0].draft;
    assert_eq!(
        (draft.title.as_str(), draft.ingredients.as_ref().map(|list| list.len())),
        ("Pancakes", Some(2))
    );
    assert_eq!(draft.steps.as_ref().map(|list| list.len()), Some(2));
    assert!(matches!(recipes::import::read_text("Just words", None), Err(NoImport::Nothing)));
}

/// Each of these took gigabytes or hours before it was cut to what a recipe may have.
#[test]
fn lists_without_end_are_cut_before_they_are_read() {
    let lines = "a\n".repeat(1_000_000);
    let tags: Vec<String> = (0..100_000).map(|number| format!("tag {number}")).collect();
    let entry = json!({ "name": "Long", "ingredients": lines, "directions": lines, "categories": tags });
    let found = read("a.paprikarecipe", &gzip(entry.to_string().as_bytes()));
    let draft = &found.recipes[0].draft;
    let count = |few: Option<usize>| few.unwrap_or_default();
    assert_eq!(count(draft.ingredients.as_ref().map(|few| few.len())), 300);
    assert_eq!(count(draft.steps.as_ref().map(|few| few.len())), 300);
    assert_eq!(count(draft.tags.as_ref().map(|few| few.len())), 50);
    assert_eq!(found.recipes[0].remarks.len(), 3, "{:?}", found.recipes[0].remarks);

    let ld = json!({ "@type": "Recipe", "name": "Long", "recipeIngredient": vec!["1 egg"; 400_000],
        "recipeInstructions": lines, "keywords": tags.join(",") });
    let found = read("a.json", ld.to_string().as_bytes());
    assert_eq!(count(found.recipes[0].draft.tags.as_ref().map(|few| few.len())), 50);
    assert_eq!(count(found.recipes[0].draft.ingredients.as_ref().map(|few| few.len())), 300);

    let plain = format!("Long\nIngredients\n{}Method\nMix.", "1 egg\n".repeat(500_000));
    assert_eq!(
        count(read("a.txt", plain.as_bytes()).recipes[0].draft.ingredients.as_ref().map(|few| few.len())),
        300
    );

    let open = "@a{".repeat(100_000);
    assert!(matches!(read_file("a.txt", open.as_bytes()), Err(NoImport::Nothing)));
    let noted = format!("{}@salt{{1%pinch}}(fine)", "@a{}(".repeat(100_000));
    assert_eq!(
        count(read("a.cook", noted.as_bytes()).recipes[0].draft.ingredients.as_ref().map(|few| few.len())),
        300
    );
}

/// A name that many things refer to, or stand below, is gone through once and not for each of them: these took hours, or
/// memory without end.
#[test]
fn what_many_things_share_is_not_repeated_for_each() {
    let long = "x".repeat(4 << 20);
    let lines = vec!["1 egg"; 5_000];
    let entry = json!({ "name": "Below", "ingredients": format!("{long}:\n{}", lines.join("\n")) });
    let found = read("a.paprikarecipe", &gzip(entry.to_string().as_bytes()));
    let section = found.recipes[0].draft.ingredients.as_ref().and_then(|few| few[299].section.clone());
    assert_eq!(section.map(|section| section.as_str().chars().count()), Some(100));

    let steps = vec![json!({ "@type": "HowToStep", "text": "Mix." }); 1_000];
    let mut ingredients = vec![format!("{long}:")];
    ingredients.extend(lines.iter().map(ToString::to_string));
    let below = json!({ "@type": "Recipe", "name": "Below", "recipeIngredient": ingredients,
        "recipeInstructions": [{ "@type": "HowToSection", "name": long, "itemListElement": steps }] });
    let draft = &read("a.json", below.to_string().as_bytes()).recipes[0].draft;
    assert!(draft.ingredients.as_ref().is_some_and(|few| few[299].section.is_some()));
    assert!(draft.steps.as_ref().is_some_and(|few| few[299].section.is_some()));

    let recipe =
        |number| json!({ "@type": "Recipe", "name": format!("R {number}"), "image": { "@id": "#p" } });
    let mut graph = vec![json!({ "@id": "#p", "contentUrl": format!("http://example.org/{long}") })];
    graph.extend((0..5_000).map(recipe));
    let found = read("a.json", json!({ "@graph": graph }).to_string().as_bytes());
    assert!(found.recipes.len() == 5_000 && found.recipes.iter().all(|recipe| recipe.picture.is_none()));

    let rows: Vec<_> = (0..5_000).map(|_| json!({ "recipe_id": 1, "food_id": 1, "tag_id": 1 })).collect();
    let backup = json!({ "recipes": [{ "id": 1, "name": "Shared" }], "recipes_ingredients": rows, "recipes_to_tags": rows,
        "ingredient_foods": [{ "id": 1, "name": long }], "tags": [{ "id": 1, "name": long }] });
    let found = read("a.zip", &zip(&[("database.json", backup.to_string().as_bytes())]));
    assert_eq!(found.recipes[0].draft.ingredients.as_ref().map(|few| few.len()), Some(300));
}

/// What an archive says about itself: entries without names, as many as it claims.
fn directory(entries: u32) -> Vec<u8> {
    let mut entry = b"PK\x01\x02".to_vec();
    entry.resize(46, 0);
    let directory = entry.repeat(entries as usize);
    let size = u32::try_from(directory.len()).expect("small");
    let claimed = u64::from(entries).to_le_bytes();
    let mut archive = [b"PK\x03\x04".as_slice(), &directory].concat();
    // Both the large and the small form of its end.
    let end = archive.len() as u64;
    archive.extend([b"PK\x06\x06".as_slice(), &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat());
    archive.extend([claimed, claimed, u64::from(size).to_le_bytes(), 4_u64.to_le_bytes()].concat());
    archive.extend([b"PK\x06\x07".as_slice(), &[0; 4], &end.to_le_bytes(), &[1, 0, 0, 0]].concat());
    archive.extend(
        [b"PK\x05\x06".as_slice(), &[0; 4], &[0xff; 4], &size.to_le_bytes(), &[4, 0, 0, 0, 0, 0]].concat(),
    );
    archive
}

#[test]
fn a_directory_of_too_many_entries_is_not_read_to_its_end() {
    assert!(matches!(read_file("a.zip", &directory(10)), Err(NoImport::Nothing | NoImport::Damaged(_))));
    assert!(matches!(read_file("a.zip", &directory(1_000_000)), Err(NoImport::TooMany)));
    // What looks like a directory in the middle of something else is none.
    let archive = [b"PK\x03\x04".as_slice(), &directory(1_000_000), &zip(&[("a.json", b"{}")])].concat();
    assert!(matches!(read_file("a.zip", &archive), Err(NoImport::Nothing)));
}

fn restored(records: &str, photo: &[u8]) -> Result<(), String> {
    let name = "photos/018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";
    let head = br#"{"format":1}"#;
    let archive =
        zip(&[("recipe-vault.json", head), ("records/000001.jsonl", records.as_bytes()), (name, photo)]);
    let source = read_archive(archive).expect("an archive");
    source.records().try_for_each(|record| record.map(drop).map_err(|error| error.to_string()))
}

/// A few kilobytes took half a gigabyte, or a day.
#[test]
fn records_and_photos_of_an_archive_are_no_larger_than_it_can_have() {
    let id = "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";
    let photo = format!(r#"{{"type":"photo","family_id":"{id}","recipe_id":"{id}","photo_id":"{id}"}}"#);
    assert_eq!(restored(&photo, PNG), Ok(()));
    let many = format!(r#"{},"more":[{}0]}}"#, photo.trim_end_matches('}'), "[],".repeat(200_000));
    let refused = restored(&many, PNG).expect_err("refused");
    assert!(refused.contains("100000 values"), "{refused}");
    let again = format!("{photo}\n").repeat(1_000);
    let refused = restored(&again, &vec![0; 30 << 20]).expect_err("refused");
    assert!(refused.contains("photos unpack to more"), "{refused}");
    assert_eq!(restored(&again, PNG), Ok(()));
}

/// Texts that nobody could have typed: one of them would be on every page, and PostgreSQL does not keep the other.
#[test]
fn texts_of_an_archive_have_the_bounds_of_texts() {
    let id = "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";
    let head = json!({ "family_id": id, "id": id, "title": "Cake", "description": null, "version": 1,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "ingredients": [], "steps": [] });
    let recipe = |field: &str, value: &str| {
        let mut recipe = head.clone();
        (recipe["type"], recipe[field]) = (json!("recipe"), json!(value));
        recipe
    };
    let meal = |text: &str| json!({ "type": "meal", "family_id": id, "id": id, "day": "2026-11-15", "slot": "lunch", "text": text });
    let list = |name: &str, item: &str| {
        json!({ "type": "shopping_list", "family_id": id, "name": name,
            "items": [{ "id": id, "name": item, "unit": "g", "checked": false }] })
    };
    for good in [recipe("created_by", "ada@example.org"), meal("leftovers"), list("Shopping", "flour")] {
        assert_eq!(restored(&good.to_string(), PNG), Ok(()), "{good}");
    }
    let long = "x".repeat(1_000_000);
    for bad in [long.as_str(), "a\0b"] {
        for bad in [
            recipe("created_by", bad),
            recipe("updated_by", bad),
            meal(bad),
            list(bad, "flour"),
            list("Shopping", bad),
        ] {
            let refused = restored(&bad.to_string(), PNG).expect_err("refused");
            assert!(refused.contains("the archive is damaged"), "{refused}");
        }
    }
}

#[test]
fn an_address_in_a_text_is_no_ingredient() {
    let text =
        "Pancakes\n\nIngredients\n2 eggs\n200 g flour\n\nMethod\nMix. Tell ada@example.org how it was.";
    let found = read("a.txt", text.as_bytes());
    let names = found.recipes[0].draft.ingredients.iter().flat_map(|few| few.iter());
    assert_eq!(names.map(|line| line.name.as_str()).collect::<Vec<_>>(), ["eggs", "flour"]);
    let cooklang = read("a.txt", b"Boil @water for ten minutes.");
    assert_eq!(cooklang.recipes[0].draft.ingredients.as_ref().map(|few| few.len()), Some(1));
}
