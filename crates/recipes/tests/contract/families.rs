//! Families and members.

use recipes::auth;
use recipes::email::Email;
use recipes::family::{FamilyChanges, FamilyName, Role};
use recipes::time::Time;
use recipes::zone;

use crate::engines::{each_engine, full, god, person};

fn email(name: &str) -> Email {
    format!("{name}@example.org").parse().expect("an address")
}

#[test]
fn the_first_person_gets_the_first_family_and_the_next_one_another() {
    each_engine(|store| async move {
        let god = god(&*store).await;
        let first = store.default_family(&god).await.expect("a family");
        assert_eq!(person(&*store, "ada").await.family(), Some(first.id));
        assert_ne!(person(&*store, "bob").await.family(), Some(first.id));
        assert_eq!(person(&*store, "ADA").await.family(), Some(first.id));
        assert_eq!(store.families(&god).await.expect("families").len(), 2);
    });
}

#[test]
fn members_come_change_and_go_and_the_last_owner_stays() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let family = ada.family().expect("a family");
        store.set_member(&ada, family, &email("bob"), Role::Editor).await.expect("a member");
        let members = store.members(&ada, family).await.expect("members");
        let members: Vec<_> = members.iter().map(|member| (member.email.as_str(), member.role)).collect();
        assert_eq!(members, [("ada@example.org", Role::Owner), ("bob@example.org", Role::Editor)]);
        assert!(store.remove_member(&ada, family, &email("ada")).await.is_err());
        assert!(store.set_member(&ada, family, &email("ada"), Role::Viewer).await.is_err());
        store.set_member(&ada, family, &email("bob"), Role::Owner).await.expect("an owner");
        store.remove_member(&ada, family, &email("ada")).await.expect("gone");
        assert!(store.remove_member(&ada, family, &email("ada")).await.is_err());
        assert!(store.memberships(&god(&*store).await, &email("ada")).await.expect("families").is_empty());
    });
}

#[test]
fn a_family_is_removed_with_everything_and_the_last_one_stays() {
    each_engine(|store| async move {
        let god = god(&*store).await;
        let first = store.default_family(&god).await.expect("a family");
        assert!(store.delete_family(&god, first.id).await.is_err());
        let name = FamilyName::new("Others").expect("a name");
        let other = store.create_family(&god, &name).await.expect("a family");
        let within = auth::within(&*store, &god, other.id).await.expect("a scope");
        let made = store.create_recipe(&within, full("Cake"), None).await.expect("made");
        assert!(store.delete_family(&within, other.id).await.is_err());
        store.delete_family(&god, other.id).await.expect("removed");
        assert!(store.recipe(&god, made.id).await.is_err());
        assert!(auth::within(&*store, &god, other.id).await.is_err());
    });
}

#[test]
fn a_family_has_a_name_and_a_time_zone() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let family = ada.family().expect("a family");
        let changes = FamilyChanges {
            name: Some(FamilyName::new("The Lovelaces").expect("a name")),
            time_zone: Some("Pacific/Auckland".parse().expect("a zone")),
        };
        let now = store.update_family(&ada, family, changes.clone()).await.expect("changed");
        assert_eq!((now.name.as_str(), now.time_zone.clone()), ("The Lovelaces", changes.time_zone.clone()));
        let same = store.update_family(&ada, family, FamilyChanges::default()).await.expect("nothing to do");
        assert_eq!(same, now);
        assert!(store.update_family(&bob, family, changes).await.is_err());
        let today = auth::today(&*store, &ada).await.expect("a day");
        assert_eq!(today, zone::day(Time::now(), now.time_zone.as_ref()));
        // Half the world apart it is always another day.
        let there = FamilyChanges {
            time_zone: Some("Pacific/Kiritimati".parse().expect("a zone")),
            ..FamilyChanges::default()
        };
        store.update_family(&ada, family, there).await.expect("changed");
        let here = FamilyChanges {
            time_zone: Some("Etc/GMT+12".parse().expect("a zone")),
            ..FamilyChanges::default()
        };
        store.update_family(&bob, bob.family().expect("a family"), here).await.expect("changed");
        assert_ne!(
            auth::today(&*store, &ada).await.expect("a day"),
            auth::today(&*store, &bob).await.expect("a day")
        );
    });
}
