//! Families and members.

use recipes::auth;
use recipes::email::Email;
use recipes::family::{FamilyName, Role};

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
