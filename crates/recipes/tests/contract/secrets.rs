//! Keys, sessions and share links, through the auth layer.

use recipes::auth::{self, Aim, Refused};
use recipes::email::Email;
use recipes::family::Role;
use recipes::key::{KeyText, NewKey, Opens};
use recipes::listing::ListQuery;
use recipes::secret::Secret;
use recipes::session::{Ending, Session};
use recipes::share::NewShare;
use recipes::text::Text;
use recipes::time::Time;
use recipes::{Scope, Store};

use crate::engines::{each_engine, god, person, titled};

async fn key(store: &dyn Store, scope: &Scope, opens: Opens, expires_at: Option<Time>) -> KeyText {
    let text = KeyText::new().expect("random");
    let label = Text::new("a key").expect("a label");
    let new = NewKey { id: text.id, hash: text.secret.hash(), label, opens, expires_at };
    store.create_key(scope, new).await.expect("kept");
    text
}

#[test]
fn a_key_opens_its_family_until_it_is_revoked() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let family_id = ada.family().expect("a family");
        let opens = Opens::Family { family_id, role: Role::Editor };
        let text = key(&*store, &ada, opens, None).await;
        let scope = auth::by_key(&*store, &text.reveal(), None, Aim::Change).await.expect("let in");
        assert_eq!(scope.family(), Some(family_id));
        store.create_recipe(&scope, titled("Cake"), None).await.expect("made");
        let member: Email = "ada@example.org".parse().expect("an address");
        let stranger: Email = "bob@example.org".parse().expect("an address");
        assert!(auth::by_key(&*store, &text.reveal(), Some(&member), Aim::Change).await.is_ok());
        let refused = auth::by_key(&*store, &text.reveal(), Some(&stranger), Aim::Change).await;
        assert!(matches!(refused, Err(Refused::Person(_))));
        let wrong = KeyText { id: text.id, secret: Secret::new().expect("random") };
        assert!(matches!(auth::by_key(&*store, &wrong.reveal(), None, Aim::Change).await, Err(Refused::Key)));
        assert!(store.revoke_key(&bob, text.id).await.is_err());
        assert!(store.keys(&bob).await.expect("keys").is_empty());
        assert!(store.keys(&ada).await.expect("keys")[0].last_used_at.is_some());
        store.revoke_key(&ada, text.id).await.expect("revoked");
        assert!(matches!(auth::by_key(&*store, &text.reveal(), None, Aim::Change).await, Err(Refused::Key)));
    });
}

#[test]
fn nobody_makes_a_key_for_more_than_they_reach() {
    each_engine(|store| async move {
        let (ada, bob) = (person(&*store, "ada").await, person(&*store, "bob").await);
        let family_id = ada.family().expect("a family");
        for opens in [Opens::God, Opens::Family { family_id, role: Role::Viewer }] {
            let text = KeyText::new().expect("random");
            let label = Text::new("").expect("a label");
            let new = NewKey { id: text.id, hash: text.secret.hash(), label, opens, expires_at: None };
            assert!(store.create_key(&bob, new).await.is_err());
        }
        let expired = key(&*store, &god(&*store).await, Opens::God, Some(Time::from_millis(1))).await;
        assert!(matches!(
            auth::by_key(&*store, &expired.reveal(), None, Aim::Change).await,
            Err(Refused::Key)
        ));
    });
}

#[test]
fn a_link_shows_one_recipe_until_it_ends() {
    each_engine(|store| async move {
        let ada = person(&*store, "ada").await;
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let toast = store.create_recipe(&ada, titled("Toast"), None).await.expect("made");
        let token = Secret::new().expect("random");
        let expires_at = Time::now().plus_days(1);
        let new = NewShare { recipe_id: cake.id, token: token.hash(), expires_at };
        let share = store.create_share(&ada, new).await.expect("kept");
        let (scope, id) = auth::by_share(&*store, &token).await.expect("looked up").expect("opens");
        assert_eq!(store.recipe(&scope, id).await.expect("readable"), cake);
        assert!(store.recipe(&scope, toast.id).await.is_err());
        assert!(store.delete_recipe(&scope, cake.id, None).await.is_err());
        assert_eq!(store.shares(&ada, cake.id).await.expect("shares"), std::slice::from_ref(&share));
        store.revoke_share(&ada, share.id).await.expect("taken back");
        assert!(auth::by_share(&*store, &token).await.expect("looked up").is_none());
        let old = NewShare { recipe_id: cake.id, token: token.hash(), expires_at: Time::from_millis(1) };
        store.create_share(&ada, old).await.expect("kept");
        assert!(auth::by_share(&*store, &token).await.expect("looked up").is_none());
    });
}

#[test]
fn a_key_that_opens_everything_changes_nothing_where_it_came_to_read() {
    each_engine(|store| async move {
        let (ada, all) = (person(&*store, "ada").await, god(&*store).await);
        let cake = store.create_recipe(&ada, titled("Cake"), None).await.expect("made");
        let text = key(&*store, &all, Opens::God, None).await;
        let reader = auth::by_key(&*store, &text.reveal(), None, Aim::Read).await.expect("let in");
        for reader in [reader, auth::local_to_read()] {
            assert_eq!(store.recipe(&reader, cake.id).await.expect("a recipe"), cake);
            let listed = store.list_recipes(&reader, ListQuery::default()).await.expect("a list");
            let known = store.list_recipes(&all, ListQuery::default()).await.expect("a list");
            assert_eq!((listed.json, listed.revision), (known.json, known.revision));
            assert!(store.create_recipe(&reader, titled("Pie"), None).await.is_err());
            assert!(store.delete_recipe(&reader, cake.id, None).await.is_err());
            let narrow =
                auth::within(&*store, &reader, ada.family().expect("a family")).await.expect("there");
            assert_eq!(store.recipe(&narrow, cake.id).await.expect("a recipe"), cake);
            assert!(store.delete_recipe(&narrow, cake.id, None).await.is_err());
        }
        assert!(store.recipe(&ada, cake.id).await.is_ok());
    });
}

#[test]
fn a_session_ends_with_others_and_the_one_that_stays_stays() {
    each_engine(|store| async move {
        let (ada, god) = (person(&*store, "ada").await, god(&*store).await);
        let family = ada.family().expect("a family");
        let email: Email = "ada@example.org".parse().expect("an address");
        let expires_at = Time::now().plus_days(1);
        let mut tokens = Vec::new();
        for _ in 0..3 {
            let token = Secret::new().expect("random");
            let session = Session { token: token.hash(), email: email.clone(), family, expires_at };
            store.create_session(&god, session).await.expect("kept");
            assert_eq!(auth::by_session(&*store, &token).await.expect("signed in").family(), Some(family));
            tokens.push(token);
        }
        let but = Some(tokens[0].hash());
        store.end_sessions(&god, Ending::Family { family, but }).await.expect("ended");
        assert!(auth::by_session(&*store, &tokens[0]).await.is_ok());
        for token in &tokens[1..] {
            assert!(matches!(auth::by_session(&*store, token).await, Err(Refused::Session)));
        }
        let other = person(&*store, "bob").await.family().expect("a family");
        let elsewhere = Ending::Member { family: other, email: email.clone(), but: None };
        store.end_sessions(&god, elsewhere).await.expect("nothing to end");
        assert!(auth::by_session(&*store, &tokens[0]).await.is_ok());
        let here = Ending::Member { family, email, but: None };
        assert!(store.end_sessions(&ada, here.clone()).await.is_err());
        store.end_sessions(&god, here).await.expect("ended");
        assert!(auth::by_session(&*store, &tokens[0]).await.is_err());
    });
}

#[test]
fn own_passwords_are_for_the_auth_layer() {
    each_engine(|store| async move {
        let (ada, god) = (person(&*store, "ada").await, god(&*store).await);
        let email: Email = "ada@example.org".parse().expect("an address");
        let hash: auth::PasswordHash =
            "$argon2id$v=19$m=19456,t=2,p=1$BwcHBwcHBwcHBwcHBwcHBw$BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc".parse().expect("a hash");
        let (family, bob) = (ada.family().expect("a family"), person(&*store, "bob").await);
        let other = bob.family().expect("a family");
        store.set_member(&god, other, &email, Role::Viewer).await.expect("a member");
        assert!(store.set_own_password(&ada, family, &email, Some(hash.clone())).await.is_err());
        assert!(store.own_password(&ada, family, &email).await.is_err());
        store.set_own_password(&god, family, &email, Some(hash.clone())).await.expect("kept");
        assert_eq!(store.own_password(&god, family, &email).await.expect("read"), Some(hash.clone()));
        assert_eq!(store.own_password(&god, other, &email).await.expect("read"), None, "one family alone");
        store.set_own_password(&god, family, &email, None).await.expect("taken away");
        assert_eq!(store.own_password(&god, family, &email).await.expect("read"), None);
        // It goes with the membership, and nobody has one without.
        store.set_own_password(&god, other, &email, Some(hash.clone())).await.expect("kept");
        store.remove_member(&god, other, &email).await.expect("removed");
        assert!(store.set_own_password(&god, other, &email, Some(hash)).await.is_err());
        store.set_member(&god, other, &email, Role::Viewer).await.expect("a member again");
        assert_eq!(store.own_password(&god, other, &email).await.expect("read"), None);
    });
}
