//! Many writers at once.

use std::sync::Arc;

use recipes::Error;
use recipes::listing::ListQuery;

use crate::engines::{each_engine, full, person, titled};

#[test]
fn of_fifty_who_want_one_title_one_gets_it() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let (store, ada) = (Arc::clone(&store), ada.clone());
                tokio::spawn(async move { store.create_recipe(&ada, full("The one"), None).await })
            })
            .collect();
        let (mut made, mut refused) = (0, 0);
        for task in tasks {
            match task.await.expect("no panic") {
                Ok(_) => made += 1,
                Err(Error::TitleTaken { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!((made, refused), (1, 49));
    });
}

#[test]
fn of_eight_who_bring_a_recipe_back_one_does() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made").id;
        store.delete_recipe(&ada, cake, None).await.expect("deleted");
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let (store, ada) = (Arc::clone(&store), ada.clone());
                tokio::spawn(async move { store.undelete_recipe(&ada, cake).await })
            })
            .collect();
        let mut back = 0;
        for task in tasks {
            match task.await.expect("no panic") {
                Ok(_) => back += 1,
                Err(Error::NotFound { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(back, 1);
    });
}

#[test]
fn eight_writers_see_no_error_and_everything_is_there() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let tasks: Vec<_> = (0..8)
            .map(|writer| {
                let (store, ada) = (Arc::clone(&store), ada.clone());
                tokio::spawn(async move {
                    for number in 0..25 {
                        let title = format!("Recipe {writer}-{number}");
                        store.create_recipe(&ada, full(&title), None).await.expect("made");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        let listing = store.list_recipes(&ada, ListQuery::default()).await.expect("a list");
        let all: Vec<serde_json::Value> = serde_json::from_str(&listing.json).expect("an array");
        assert_eq!(all.len(), 200);
    });
}

#[test]
fn a_refused_write_leaves_nothing_behind_and_its_neighbours_alone() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        store.create_recipe(&ada, titled("Taken"), None).await.expect("made");
        let before = store.revision(&ada).await.expect("a revision");
        let tasks: Vec<_> = ["Taken", "Free", "taken"]
            .map(|title| {
                let (store, ada) = (Arc::clone(&store), ada.clone());
                tokio::spawn(async move { store.create_recipe(&ada, full(title), None).await.is_ok() })
            })
            .into_iter()
            .collect();
        let mut results = Vec::new();
        for task in tasks {
            results.push(task.await.expect("no panic"));
        }
        assert_eq!(results, [false, true, false]);
        assert_eq!(store.revision(&ada).await.expect("a revision").0, before.0 + 1);
        assert_eq!(store.tags(&ada).await.expect("tags")[0].recipes, 1);
    });
}
