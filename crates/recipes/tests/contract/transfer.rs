//! Export and restore.

use std::sync::Arc;

use recipes::export::{NoArchive, read_archive, write_archive};
use recipes::id::RecipeId;
use recipes::photo::Picture;
use recipes::record::{OnConflict, Record, Restored};
use recipes::tag::Tag;
use recipes::time::Time;
use recipes::{Scope, Store};

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
        store.set_photo(&ada, cake.id, Picture::new(PNG.into()).expect("a picture")).await.expect("kept");
        store.create_recipe(&bob, titled("Toast"), None).await.expect("made");
        let everything = export(&*store, &god(&*store).await).await;
        let folder = Folder::new();
        let other = sqlite(&folder);
        let there = god(&*other).await;
        let first = other.restore(&there, everything.clone(), OnConflict::Skip).await.expect("restored");
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
        let again = other.restore(&there, everything, OnConflict::Skip).await.expect("nothing to do");
        assert!(again.written < first.written, "{again:?}");
        assert!(other.photo(&there, cake.id).await.is_ok());
    });
}

/// The recipe as JSON, which may have been kept, beside the recipe, which is always read.
async fn is_written_as_it_is(store: &dyn Store, scope: &Scope, id: RecipeId) {
    let recipe = store.recipe(scope, id).await.expect("there");
    for _ in 0..2 {
        let written = store.written_recipe(scope, id).await.expect("there");
        assert_eq!(written.json(), serde_json::to_string(&recipe).expect("JSON"));
        assert_eq!(written.version, recipe.version);
    }
}

#[test]
fn a_recipe_is_written_as_it_is_after_every_change() {
    each_engine(|store: Arc<dyn Store>| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let id = store.create_recipe(&ada, full("Cake"), None).await.expect("made").id;
        is_written_as_it_is(&*store, &ada, id).await;
        store.set_photo(&ada, id, Picture::new(PNG.into()).expect("a picture")).await.expect("kept");
        is_written_as_it_is(&*store, &ada, id).await;
        let then = export(&*store, &ada).await;
        store.restore(&ada, then.clone(), OnConflict::Replace).await.expect("restored over itself");
        is_written_as_it_is(&*store, &ada, id).await;
        store.remove_photo(&ada, id).await.expect("removed");
        is_written_as_it_is(&*store, &ada, id).await;
        store
            .tag_recipe(&ada, id, vec![Tag::new("sweet").expect("a tag")], Vec::new())
            .await
            .expect("tagged");
        is_written_as_it_is(&*store, &ada, id).await;
        store.mark_cooked(&ada, id, Time::now()).await.expect("noted");
        is_written_as_it_is(&*store, &ada, id).await;
        store.restore(&ada, then, OnConflict::Replace).await.expect("restored");
        is_written_as_it_is(&*store, &ada, id).await;
        assert!(store.written_recipe(&bob, id).await.is_err(), "it is another family's");
        store.delete_recipe(&ada, id).await.expect("deleted");
        assert!(store.written_recipe(&ada, id).await.is_err(), "it is in the trash");
        store.undelete_recipe(&ada, id).await.expect("back");
        is_written_as_it_is(&*store, &god(&*store).await, id).await;
    });
}

#[test]
fn a_family_takes_records_of_another_into_its_own() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let records: Vec<Record> = export(&*store, &ada).await;
        let Restored { written, .. } =
            store.restore(&bob, records, OnConflict::Skip).await.expect("restored");
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
                store.set_photo(scope, made.id, picture).await.expect("kept");
            }
        }
        let god_here = god(&*store).await;
        let before = export(&*store, &god_here).await;
        let mut archive = std::io::Cursor::new(Vec::new());
        let records = store.export(&god_here).await.expect("started");
        let written = write_archive(records, &mut archive).await.expect("written");
        assert_eq!(usize::try_from(written).expect("small"), before.len());
        let read = read_archive(archive.get_ref()).expect("read");
        assert_eq!(read, before);
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

#[test]
fn what_is_no_archive_or_damaged_is_refused() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let mut archive = std::io::Cursor::new(Vec::new());
        let records = store.export(&god(&*store).await).await.expect("started");
        write_archive(records, &mut archive).await.expect("written");
        let whole = archive.into_inner();
        assert!(matches!(read_archive(b""), Err(NoArchive::Unpack(_))));
        for end in (0..whole.len()).step_by(11) {
            assert!(read_archive(&whole[..end]).is_err());
        }
    });
}
