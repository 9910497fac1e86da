//! Export and restore.

use std::sync::Arc;

use recipes::draft::Changes;
use recipes::export::{NoArchive, read_archive, read_archive_from_disk, write_archive};
use recipes::family::Role;
use recipes::id::RecipeId;
use recipes::photo::{Picture, Place, Which};
use recipes::plan::{Days, NewMeal, Slot};
use recipes::record::{OnConflict, Record, Restored, Source};
use recipes::time::{Day, Time};
use recipes::title::Title;
use recipes::{Error, Scope, Store};

use crate::engines::{Folder, each_engine, full, god, person, postgres, sqlite, titled};
use crate::isolation::PNG;

async fn export(store: &dyn Store, scope: &Scope) -> Vec<Record> {
    let mut records = store.export(scope).await.expect("started");
    let mut all = Vec::new();
    while let Some(record) = records.recv().await {
        all.push(record.expect("a record"));
    }
    all
}

#[test]
fn what_is_exported_is_restored_elsewhere_the_same() {
    each_engine(|store: Arc<dyn Store>| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        store
            .add_photo(&ada, cake.id, Picture::new(PNG.into()).expect("a picture"), Place::Cover)
            .await
            .expect("kept");
        store.create_recipe(&bob, titled("Toast"), None).await.expect("made");
        let everything = export(&*store, &god(&*store).await).await;
        let folder = Folder::new();
        let other = sqlite(&folder);
        let there = god(&*other).await;
        let first =
            other.restore(&there, Arc::new(everything.clone()), OnConflict::Skip).await.expect("restored");
        assert_eq!(first.skipped, 0, "{first:?}");
        for scope in [&ada, &bob] {
            let same = person(&*other, if scope == &ada { "ada" } else { "bob" }).await;
            let of = |records: Vec<Record>| {
                records
                    .into_iter()
                    .filter(|record| matches!(record, Record::Recipe { .. }))
                    .collect::<Vec<_>>()
            };
            assert_eq!(of(export(&*other, &same).await), of(export(&*store, scope).await));
        }
        let again =
            other.restore(&there, Arc::new(everything), OnConflict::Skip).await.expect("nothing to do");
        assert!(again.written < first.written, "{again:?}");
        assert!(other.photo(&there, cake.id, Which::Cover).await.is_ok());
    });
}

#[test]
fn a_family_takes_records_of_another_into_its_own() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let records: Vec<Record> = export(&*store, &ada).await;
        let Restored { written, .. } =
            store.restore(&bob, Arc::new(records), OnConflict::Skip).await.expect("restored");
        assert_eq!(written, 1);
        assert_eq!(store.recipe(&ada, cake.id).await.expect("untouched"), cake);
        assert!(store.recipe(&bob, cake.id).await.is_err());
        assert_eq!(export(&*store, &bob).await.len(), 3);
    });
}

#[test]
fn a_backup_is_a_store() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let folder = Folder::new();
        let to = folder.0.join("recipes.db");
        assert!(store.backup(&ada, &to).await.is_err());
        store.backup(&god(&*store).await, &to).await.expect("copied");
        let copy = sqlite(&folder);
        assert_eq!(copy.recipe(&ada, cake.id).await.expect("there"), cake);
    });
}

/// Recipes and how many records of each kind there are.
fn contents(records: &[Record]) -> (Vec<&Record>, usize) {
    let recipes =
        records.iter().filter(|record| matches!(record, Record::Recipe { .. } | Record::Photo { .. }));
    (recipes.collect(), records.len())
}

#[test]
fn an_archive_moves_a_cookbook_from_one_engine_to_the_other_and_back() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        for number in 0..30 {
            let scope = if number % 3 == 0 { &bob } else { &ada };
            let made = store
                .create_recipe(scope, full(&format!("Recipe {number} – Crème")), None)
                .await
                .expect("made");
            if number % 5 == 0 {
                let picture = Picture::new(PNG.into()).expect("a picture");
                for place in [Place::Cover, Place::Last, Place::Step(0)] {
                    store.add_photo(scope, made.id, picture.clone(), place).await.expect("kept");
                }
            }
        }
        let god_here = god(&*store).await;
        let before = export(&*store, &god_here).await;
        let mut archive = std::io::Cursor::new(Vec::new());
        let records = store.export(&god_here).await.expect("started");
        let written = write_archive(records, &mut archive).await.expect("written");
        assert_eq!(usize::try_from(written).expect("small"), before.len());
        let read = read_archive(archive.get_ref().clone()).expect("read");
        assert_eq!(read.records().collect::<Result<Vec<_>, _>>().expect("records"), before);
        let folder = Folder::new();
        for other in [sqlite(&folder), postgres()] {
            let there = god(&*other).await;
            let own: Vec<_> = other.families(&there).await.expect("families");
            let restored = other.restore(&there, read.clone(), OnConflict::Skip).await.expect("restored");
            assert_eq!((restored.written, restored.skipped), (written, 0));
            for family in own {
                other.delete_family(&there, family.id).await.expect("the family of an empty store goes");
            }
            let after = export(&*other, &there).await;
            assert_eq!(contents(&after), contents(&before));
        }
    });
}

/// Recipes as long as they may be, and a photo whose pixels look like the directory of an archive.
#[test]
fn a_backup_comes_back_whatever_is_in_it() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        // Six bytes in JSON.
        let long = "\u{1}".repeat(5_000);
        for number in 0..4 {
            let steps: Vec<_> = (0..300).map(|_| serde_json::json!({ "instruction": long })).collect();
            let draft = serde_json::json!({ "title": format!("Long {number}"), "steps": steps });
            let draft = serde_json::from_value(draft).expect("a recipe");
            store.create_recipe(&ada, draft, None).await.expect("made");
        }
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        store.add_photo(&ada, cake.id, like_a_directory(), Place::Cover).await.expect("kept");
        let folder = Folder::new();
        let file = folder.0.join("cookbook.zip");
        let archive = std::fs::File::create_new(&file).expect("a file");
        let records = store.export(&god(&*store).await).await.expect("started");
        let written = write_archive(records, archive).await.expect("written");
        let read = read_archive(std::fs::read(&file).expect("the file")).expect("an archive");
        for archive in [read, read_archive_from_disk(file).expect("an archive")] {
            let other = Folder::new();
            let other = sqlite(&other);
            let there = god(&*other).await;
            let restored = other.restore(&there, archive, OnConflict::Skip).await.expect("restored");
            assert_eq!(restored.written, written);
        }
    });
}

/// A PNG that is not packed, of one colour: what an entry of a directory begins with.
fn like_a_directory() -> Picture {
    let (width, height) = (1_100_u32, 1_100_u32);
    let row = [&[0_u8][..], &b"PK\x01\x02".repeat(width as usize)].concat();
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut packed, &row.repeat(height as usize)).expect("in memory");
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    for (kind, data) in
        [(b"IHDR", head), (b"IDAT", packed.finish().expect("in memory")), (b"IEND", Vec::new())]
    {
        let mut sum = flate2::Crc::new();
        sum.update(kind);
        sum.update(&data);
        png.extend(u32::try_from(data.len()).expect("small").to_be_bytes());
        png.extend(kind);
        png.extend(&data);
        png.extend(sum.sum().to_be_bytes());
    }
    let before = png.clone();
    let picture = Picture::new(png.into()).expect("a picture");
    assert_eq!(picture.bytes, before, "it is kept as it is");
    picture
}

#[test]
fn what_is_no_archive_or_damaged_is_refused() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let mut archive = std::io::Cursor::new(Vec::new());
        let records = store.export(&god(&*store).await).await.expect("started");
        write_archive(records, &mut archive).await.expect("written");
        let whole = archive.into_inner();
        assert!(matches!(read_archive(Vec::<u8>::new()), Err(NoArchive::Unpack(_))));
        for end in (0..whole.len()).step_by(11) {
            assert!(read_archive(whole[..end].to_vec()).is_err());
        }
    });
}

async fn restored(store: &dyn Store, scope: &Scope, records: &[Record], on: OnConflict) -> Restored {
    store.restore(scope, Arc::new(records.to_vec()), on).await.expect("restored")
}

async fn retitle(store: &dyn Store, scope: &Scope, id: RecipeId, title: &str) {
    let title = Some(Title::new(title).expect("a title"));
    store.update_recipe(scope, id, Changes { title, ..Changes::default() }).await.expect("renamed");
}

async fn title(store: &dyn Store, scope: &Scope, id: RecipeId) -> String {
    store.recipe(scope, id).await.expect("there").title.into_string()
}

#[test]
fn a_restore_brings_back_what_was_deleted() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        store
            .add_photo(&ada, cake.id, Picture::new(PNG.into()).expect("a picture"), Place::Cover)
            .await
            .expect("kept");
        let day: Day = "2026-11-15".parse().expect("a day");
        let meal = NewMeal { day, slot: Slot::Dinner, recipe_id: Some(cake.id), text: None, servings: None };
        let meal = store.plan_meals(&ada, vec![meal]).await.expect("planned").remove(0);
        let then = export(&*store, &ada).await;
        store.unplan_meals(&ada, vec![meal.id]).await.expect("taken off");
        store.delete_recipe(&ada, cake.id, None).await.expect("deleted");
        for on in [OnConflict::Skip, OnConflict::Replace] {
            restored(&*store, &ada, &then, on).await;
            assert_eq!(title(&*store, &ada, cake.id).await, "Cake");
            assert!(
                store.photo(&ada, cake.id, Which::Cover).await.is_ok()
                    && store.trash(&ada).await.expect("trash").is_empty()
            );
            assert_eq!(
                store.plan(&ada, Days::new(day, day).expect("a day")).await.expect("a plan"),
                std::slice::from_ref(&meal)
            );
            store.delete_recipe(&ada, cake.id, None).await.expect("deleted");
        }
        // Its title was given away since: what is there stays.
        let other = store.create_recipe(&ada, titled("cake"), None).await.expect("the title is free");
        restored(&*store, &ada, &then, OnConflict::Skip).await;
        assert_eq!(title(&*store, &ada, other.id).await, "cake");
        assert!(store.recipe(&ada, cake.id).await.is_err());
        restored(&*store, &ada, &then, OnConflict::Replace).await;
        assert_eq!(title(&*store, &ada, other.id).await, "cake");
        assert_eq!(title(&*store, &ada, cake.id).await, "Cake (2)");
    });
}

#[test]
fn a_restore_that_replaces_survives_renames() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let soup = store.create_recipe(&ada, titled("Soup"), None).await.expect("made").id;
        let stew = store.create_recipe(&ada, titled("Stew"), None).await.expect("made").id;
        let then = export(&*store, &ada).await;
        // They change titles with each other.
        retitle(&*store, &ada, soup, "Pie").await;
        retitle(&*store, &ada, stew, "Soup").await;
        retitle(&*store, &ada, soup, "Stew").await;
        restored(&*store, &ada, &then, OnConflict::Skip).await;
        assert_eq!(title(&*store, &ada, soup).await, "Stew", "what is there stays");
        restored(&*store, &ada, &then, OnConflict::Replace).await;
        assert_eq!(
            (title(&*store, &ada, soup).await, title(&*store, &ada, stew).await),
            ("Soup".into(), "Stew".into())
        );
        // One is renamed, and another recipe takes its title.
        retitle(&*store, &ada, soup, "Broth").await;
        let new = store.create_recipe(&ada, titled("Soup"), None).await.expect("made").id;
        restored(&*store, &ada, &then, OnConflict::Replace).await;
        assert_eq!(
            (title(&*store, &ada, new).await, title(&*store, &ada, soup).await),
            ("Soup".into(), "Soup (2)".into())
        );
        // Twice is once.
        restored(&*store, &ada, &then, OnConflict::Replace).await;
        assert_eq!(export(&*store, &ada).await.len(), then.len() + 1);
    });
}

#[test]
fn a_restore_is_done_as_a_whole_or_not_at_all() {
    struct Broken(Vec<Record>);
    impl Source for Broken {
        fn records(&self) -> Box<dyn Iterator<Item = Result<Record, Error>> + Send + '_> {
            Box::new(self.0.iter().cloned().map(Ok).chain([Err(Error::invalid("file", "damaged"))]))
        }
    }
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let then = export(&*store, &ada).await;
        store.delete_recipe(&ada, cake.id, None).await.expect("deleted");
        for on in [OnConflict::Skip, OnConflict::Replace] {
            assert!(store.restore(&ada, Arc::new(Broken(then.clone())), on).await.is_err());
            assert!(store.recipe(&ada, cake.id).await.is_err());
        }
    });
}

#[test]
fn members_keep_their_roles_unless_they_are_replaced() {
    each_engine(|store| async move {
        let (ada, god) = (person(&*store, "ada").await, god(&*store).await);
        let family = ada.family().expect("a family");
        let bob = "bob@example.org".parse().expect("an address");
        store.set_member(&ada, family, &bob, Role::Owner).await.expect("a member");
        let then = export(&*store, &god).await;
        store.set_member(&ada, family, &bob, Role::Viewer).await.expect("a member");
        let role = async || {
            let members = store.members(&ada, family).await.expect("members");
            members.into_iter().find(|member| member.email == bob).expect("bob").role
        };
        restored(&*store, &god, &then, OnConflict::Skip).await;
        assert_eq!(role().await, Role::Viewer);
        restored(&*store, &god, &then, OnConflict::Replace).await;
        assert_eq!(role().await, Role::Owner);
    });
}

/// What the recipes of an archive say, as somebody who writes one by hand could change it.
fn altered(records: &[Record], alter: impl Fn(&mut recipes::recipe::Recipe)) -> Vec<Record> {
    let mut records = records.to_vec();
    for record in &mut records {
        if let Record::Recipe { recipe, .. } = record {
            alter(recipe);
        }
    }
    records
}

/// Else who knows the recipe by a version would take another text for it, or write over it.
#[test]
fn what_is_written_over_has_a_version_it_never_had() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made").id;
        let then = export(&*store, &ada).await;
        let version = async || store.recipe(&ada, cake).await.expect("there").version.0;
        retitle(&*store, &ada, cake, "Pie").await;
        assert_eq!(version().await, 2);
        restored(&*store, &ada, &then, OnConflict::Replace).await;
        assert_eq!((title(&*store, &ada, cake).await.as_str(), version().await), ("Cake", 3));
        store.delete_recipe(&ada, cake, None).await.expect("deleted");
        restored(&*store, &ada, &then, OnConflict::Skip).await;
        assert_eq!(version().await, 4);
        // One that could not grow any more.
        for odd in [i64::MAX, -7] {
            let odd = altered(&then, |recipe| recipe.version.0 = odd);
            restored(&*store, &ada, &odd, OnConflict::Replace).await;
            let before = version().await;
            retitle(&*store, &ada, cake, "Pie").await;
            assert_eq!(version().await, before + 1);
        }
        let end = altered(&then, |recipe| recipe.updated_at = Time::LAST);
        restored(&*store, &ada, &end, OnConflict::Replace).await;
        retitle(&*store, &ada, cake, "Pie").await;
        assert_eq!(store.recipe(&ada, cake).await.expect("there").updated_at, Time::LAST);
    });
}

#[test]
fn tags_that_are_the_same_come_back_once() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let tags = || ["sweet", "Sweet", "autumn"].map(str::to_owned).to_vec();
        let then = altered(&export(&*store, &ada).await, |recipe| recipe.tags = tags());
        restored(&*store, &ada, &then, OnConflict::Replace).await;
        let tags = store.tags(&ada).await.expect("tags");
        assert_eq!(tags.iter().map(|count| count.tag.as_str()).collect::<Vec<_>>(), ["autumn", "sweet"]);
    });
}
