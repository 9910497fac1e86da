//! What was read goes into a cookbook, whatever is there already.

use std::sync::Arc;

use recipes::cookbook::{Cookbook, Embedded};
use recipes::import::{OnDuplicate, Outcome, read_text, save};
use recipes::store::sqlite::{Place, Sqlite};

#[test]
fn a_title_that_is_taken_is_skipped_renamed_or_replaced() {
    let folder = std::env::temp_dir().join(format!("recipes-exchange-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
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
