//! Export and restore.

use std::sync::Arc;

use recipes::photo::Picture;
use recipes::record::{OnConflict, Record, Restored};
use recipes::{Scope, Store};

use crate::engines::{Folder, each_engine, full, god, person, sqlite, titled};
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
