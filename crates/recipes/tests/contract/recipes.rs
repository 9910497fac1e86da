//! Recipes, made, read, changed and removed.

use recipes::Error;
use recipes::draft::{Change, Changes, OnceKey};
use recipes::id::RecipeId;
use recipes::recipe::Version;
use recipes::time::Time;
use recipes::title::Title;

use crate::engines::{each_engine, full, person, titled};

#[test]
fn a_recipe_is_read_as_it_was_made() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        assert_eq!(store.recipe(&ada, made.id).await.expect("there"), made);
        assert_eq!(made.version, Version(1));
        assert_eq!(made.created_by.as_deref(), Some("ada@example.org"));
        assert_eq!(made.tags, ["cake", "Dessert"]);
        let names: Vec<_> = made.ingredients.iter().map(|i| (i.position, i.what.name.as_str())).collect();
        assert_eq!(names, [(0, "flour"), (1, "eggs"), (2, "salt")]);
        let steps: Vec<_> = made.steps.iter().map(|s| (s.position, s.what.instruction.as_str())).collect();
        assert_eq!(steps, [(0, "Mix."), (1, "Bake.")]);
        let unknown = RecipeId::new();
        let missing = store.recipe(&ada, unknown).await.expect_err("not there").to_string();
        assert_eq!(missing, format!("Recipe not found: {unknown}"));
    });
}

#[test]
fn a_change_touches_what_it_names_and_nothing_else() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let before = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let changes = Changes {
            title: Some(Title::new("Torte").expect("a title")),
            notes: Change::Clear,
            expected_version: Some(before.version),
            ..Changes::default()
        };
        let after = store.update_recipe(&ada, before.id, changes).await.expect("changed");
        assert!(after.updated_at > before.updated_at);
        let mut expected = before.clone();
        expected.title = Title::new("Torte").expect("a title");
        expected.notes = None;
        expected.version = Version(2);
        expected.updated_at = after.updated_at;
        assert_eq!(after, expected);
        assert_eq!(store.recipe(&ada, before.id).await.expect("there"), expected);
    });
}

#[test]
fn a_change_for_an_older_version_is_refused_with_the_current_one() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let changes = || Changes { expected_version: Some(Version(1)), ..Changes::default() };
        store.update_recipe(&ada, made.id, changes()).await.expect("changed");
        let refused = store.update_recipe(&ada, made.id, changes()).await.expect_err("refused");
        assert!(matches!(refused, Error::Stale { current: Version(2) }), "{refused}");
    });
}

#[test]
fn titles_are_unique_however_they_are_written() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, titled("Crème Brûlée"), None).await.expect("made");
        for same in ["crème brûlée", "  CRÈME   BRÛLÉE ", "Cre\u{300}me Bru\u{302}le\u{301}e"] {
            let refused = store.create_recipe(&ada, titled(same), None).await.expect_err("refused");
            assert!(
                matches!(refused, Error::TitleTaken { existing: Some(id), .. } if id == made.id),
                "{refused}"
            );
        }
        let other = store.create_recipe(&ada, titled("Flan"), None).await.expect("made");
        let title = Some(Title::new("CRÈME brûlée").expect("a title"));
        let changes = Changes { title, ..Changes::default() };
        let refused = store.update_recipe(&ada, other.id, changes).await.expect_err("refused");
        assert!(matches!(refused, Error::TitleTaken { .. }), "{refused}");
        assert_eq!(store.recipe(&ada, other.id).await.expect("there"), other);
    });
}

#[test]
fn a_write_that_is_sent_twice_happens_once() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let bob = person(&*store, "bob").await;
        let once = || OnceKey::new("abc");
        let first = store.create_recipe(&ada, titled("Cake"), once()).await.expect("made");
        let again = store.create_recipe(&ada, titled("Cake"), once()).await.expect("made before");
        assert_eq!(first, again);
        let other = store.create_recipe(&bob, titled("Cake"), once()).await.expect("another family's key");
        assert_ne!(first.id, other.id);
    });
}

#[test]
fn what_is_deleted_is_gone_its_title_is_free_and_it_can_come_back() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        store.delete_recipe(&ada, made.id).await.expect("deleted");
        let gone = store.recipe(&ada, made.id).await.expect_err("gone").to_string();
        let unknown = store.delete_recipe(&ada, made.id).await.expect_err("gone").to_string();
        assert_eq!(
            (gone.as_str(), unknown.as_str()),
            (&*format!("Recipe not found: {}", made.id), gone.as_str())
        );
        let second = store.create_recipe(&ada, titled("cake"), None).await.expect("the title is free");
        let taken = store.undelete_recipe(&ada, made.id).await.expect_err("the title is taken");
        assert!(matches!(taken, Error::TitleTaken { .. }), "{taken}");
        store.delete_recipe(&ada, second.id).await.expect("deleted");
        assert_eq!(store.undelete_recipe(&ada, made.id).await.expect("back"), made);
        let removed = store.empty_trash(&ada, Time::now().plus_days(1)).await.expect("emptied");
        assert_eq!(removed, 1);
        assert!(store.undelete_recipe(&ada, second.id).await.is_err());
    });
}

#[test]
fn cooking_is_counted() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let late = Time::from_millis(2_000);
        store.mark_cooked(&ada, made.id, late).await.expect("marked");
        let cooked = store.mark_cooked(&ada, made.id, Time::from_millis(1_000)).await.expect("marked");
        assert_eq!((cooked.times_cooked, cooked.last_cooked_at), (2, Some(late)));
    });
}
