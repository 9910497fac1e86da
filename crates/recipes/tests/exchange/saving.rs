//! What was read goes into a cookbook, whatever is there already.

use std::sync::Arc;

use recipes::cookbook::{Cookbook, Embedded};
use recipes::import::{Import, Keep, OnDuplicate, Outcome, Web, read_text, run, save};
use recipes::store::sqlite::{Place, Sqlite};

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("recipes-exchange-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What was kept before the database failed is told, and so is what was not.
#[test]
fn an_import_that_the_database_stops_says_how_far_it_came() {
    let folder = folder("stopped");
    let file = folder.join("recipes.db");
    let cookbook = Embedded::new(Arc::new(Sqlite::new(Place::File(file.clone()))), None);
    let found =
        ["Soup", "Stew", "Pie"].map(|title| read_text(&format!(">> title: {title}\nBoil @water{{}}."), None));
    let recipes = found.into_iter().flat_map(|found| found.expect("a recipe").recipes).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let report = runtime.block_on(async {
        cookbook.trash().await.expect("a database");
        let trigger = "CREATE TRIGGER full BEFORE INSERT ON recipes WHEN new.title = 'Stew'
                       BEGIN SELECT RAISE(FAIL, 'no room'); END";
        rusqlite::Connection::open(&file).and_then(|file| file.execute_batch(trigger)).expect("a trigger");
        let found = Import { recipes, problems: Vec::new() };
        run(&cookbook, &Web::default(), found, Keep::All(OnDuplicate::Skip)).await.expect("a report")
    });
    let told: Vec<_> = report.recipes.iter().map(|entry| (entry.title.as_str(), entry.outcome)).collect();
    let (kept, not) = (Some(Outcome::Created), Some(Outcome::Failed));
    assert_eq!(told, [("Soup", kept), ("Stew", not), ("Pie", not)]);
    assert!(report.recipes[2].remarks[0].contains("no room"), "{:?}", report.recipes[2].remarks);
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_title_that_is_taken_is_skipped_renamed_or_replaced() {
    let folder = folder("taken");
    let store = Arc::new(Sqlite::new(Place::File(folder.join("recipes.db"))));
    let cookbook: Box<dyn Cookbook> = Box::new(Embedded::new(store, None));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let draft = |water: &str| {
        let text = format!("---\ntitle: Leek soup\n---\n\nBoil @water{{{water}%l}}.");
        read_text(&text, None).expect("a recipe").recipes.remove(0).draft
    };
    runtime.block_on(async {
        let save = async |water, on| save(&*cookbook, draft(water), on).await.expect("saved");
        let first = save("1", OnDuplicate::Skip).await;
        assert_eq!(first.outcome, Outcome::Created);
        let skipped = save("2", OnDuplicate::Skip).await;
        assert_eq!((skipped.outcome, skipped.id), (Outcome::Skipped, first.id));
        for title in ["Leek soup (2)", "Leek soup (3)"] {
            let renamed = save("3", OnDuplicate::Rename).await;
            assert_eq!((renamed.outcome, renamed.title.as_str()), (Outcome::Renamed, title));
        }
        let replaced = save("4", OnDuplicate::Replace).await;
        assert_eq!((replaced.outcome, replaced.id), (Outcome::Replaced, first.id));
        let now = cookbook.recipe(first.id.expect("an id")).await.expect("there");
        assert_eq!(now.ingredients[0].what.quantity.map(|amount| amount.get()), Some(4.0));
        assert_eq!(now.version.0, 2);
    });
    std::fs::remove_dir_all(&folder).expect("removed");
}
