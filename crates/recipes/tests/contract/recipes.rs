//! Recipes, made, read, changed and removed.

use recipes::Error;
use recipes::draft::{Change, Changes, OnceKey};
use recipes::id::RecipeId;
use recipes::recipe::Version;
use recipes::text::Text;
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
        let notes = || Change::Set(Text::new("good").expect("a note"));
        let changes = || Changes { expected_version: Some(Version(1)), notes: notes(), ..Changes::default() };
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
        store.delete_recipe(&ada, made.id, None).await.expect("deleted");
        let gone = store.recipe(&ada, made.id).await.expect_err("gone").to_string();
        let unknown = store.delete_recipe(&ada, made.id, None).await.expect_err("gone").to_string();
        assert_eq!(
            (gone.as_str(), unknown.as_str()),
            (&*format!("Recipe not found: {}", made.id), gone.as_str())
        );
        let second = store.create_recipe(&ada, titled("cake"), None).await.expect("the title is free");
        let taken = store.undelete_recipe(&ada, made.id).await.expect_err("the title is taken");
        assert!(
            matches!(taken, Error::TitleTaken { existing, .. } if existing == Some(second.id)),
            "{taken}"
        );
        store.delete_recipe(&ada, second.id, None).await.expect("deleted");
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
        store.mark_cooked(&ada, made.id, late, None).await.expect("marked");
        let cooked = store.mark_cooked(&ada, made.id, Time::from_millis(1_000), None).await.expect("marked");
        assert_eq!((cooked.times_cooked, cooked.last_cooked_at), (2, Some(late)));
    });
}

#[test]
fn an_update_without_fields_changes_nothing() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let revision = store.revision(&ada).await.expect("a revision");
        let same = store.update_recipe(&ada, made.id, Changes::default()).await.expect("nothing to do");
        assert_eq!((same, store.revision(&ada).await.expect("a revision")), (made.clone(), revision));
        let stale = Changes { expected_version: Some(Version(7)), ..Changes::default() };
        assert!(matches!(store.update_recipe(&ada, made.id, stale).await, Err(Error::Stale { .. })));
        assert_eq!(store.recipe(&ada, made.id).await.expect("there"), made);
    });
}

#[test]
fn what_is_meant_for_another_version_is_neither_deleted_nor_cooked() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let old = Some(Version(9));
        assert!(matches!(
            store.delete_recipe(&ada, made.id, old).await,
            Err(Error::Stale { current: Version(1) })
        ));
        assert!(matches!(store.mark_cooked(&ada, made.id, Time::now(), old).await, Err(Error::Stale { .. })));
        assert_eq!(store.recipe(&ada, made.id).await.expect("there"), made);
        store.delete_recipe(&ada, made.id, Some(Version(1))).await.expect("deleted");
    });
}

#[test]
fn a_key_of_a_repeated_write_with_another_recipe_is_refused() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let once = || OnceKey::new("abc");
        let first = store.create_recipe(&ada, titled("Cake"), once()).await.expect("made");
        let refused = store.create_recipe(&ada, titled("Toast"), once()).await.expect_err("another recipe");
        assert!(matches!(refused, Error::KeyReused), "{refused}");
        assert_eq!(store.create_recipe(&ada, titled("Cake"), once()).await.expect("the same"), first);
    });
}

#[test]
fn the_trash_is_listed_for_the_family_and_what_comes_back_leaves_it() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let cake = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let toast = store.create_recipe(&ada, titled("Toast"), None).await.expect("made");
        assert!(store.trash(&ada).await.expect("the trash").is_empty());
        store.delete_recipe(&ada, cake.id, None).await.expect("deleted");
        store.delete_recipe(&ada, toast.id, None).await.expect("deleted");
        let titles =
            |trash: Vec<recipes::card::Trashed>| trash.into_iter().map(|one| one.title).collect::<Vec<_>>();
        let mut trash = titles(store.trash(&ada).await.expect("the trash"));
        trash.sort();
        assert_eq!(trash, ["Cake", "Toast"]);
        assert!(store.trash(&bob).await.expect("the trash").is_empty());
        assert!(store.trash(&recipes::auth::nobody()).await.expect("the trash").is_empty());
        store.undelete_recipe(&ada, cake.id).await.expect("back");
        assert_eq!(titles(store.trash(&ada).await.expect("the trash")), ["Toast"]);
    });
}

#[test]
fn favourites_are_of_one_person() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let made = store.create_recipe(&ada, full("Cake"), None).await.expect("made");
        let email = "eve@example.org".parse().expect("an address");
        let family = ada.family().expect("a family");
        store.set_member(&ada, family, &email, recipes::family::Role::Viewer).await.expect("a member");
        let eve = recipes::auth::local(&*store, Some(&email)).await.expect("a scope");
        store.set_favourite(&eve, made.id, true).await.expect("noted");
        store.set_favourite(&eve, made.id, true).await.expect("noted already");
        assert!(store.is_favourite(&eve, made.id).await.expect("known"));
        assert!(!store.is_favourite(&ada, made.id).await.expect("known"));
        store.set_favourite(&eve, made.id, false).await.expect("noted");
        assert!(!store.is_favourite(&eve, made.id).await.expect("known"));
    });
}
