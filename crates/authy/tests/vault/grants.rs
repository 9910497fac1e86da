//! Policies and grants: a token opens its scope and nothing else.

use std::time::Duration;

use authy::{Attributes, Capabilities, Consent, NewGrant, Overwrite, PolicyChange, PolicyName};

use crate::folder::{Owned, get, name, names, put, refused};

fn policy(text: &str) -> PolicyName {
    PolicyName::new(text).expect("a name")
}

#[test]
fn an_agents_grant_lists_and_uses_and_reveals_nothing() {
    let owned = Owned::with(&["dev-db", "prod-db"]);
    owned.policy("dev", &["dev-*"], &[]);
    let agent = owned.held(&owned.grant("dev", "list,use"));
    assert_eq!(names(&agent), ["dev-db"]);
    let used = agent.use_value(&name("dev-db"), "a test", Consent::Unasked).expect("used");
    assert_eq!(used.as_text(), Ok("value of dev-db"));
    let words = refused(get(&agent, "dev-db"));
    assert!(words.starts_with("Run-only mode: ") && words.contains("run_with_secrets"), "{words}");
    assert!(refused(put(&agent, "dev-new", "x", Overwrite::Refuse)).contains("lacks the capability `store`"));
    assert!(refused(agent.remove(&name("dev-db"))).contains("lacks the capability `remove`"));
    for secret in ["prod-db", "no-such-thing"] {
        assert!(refused(get(&agent, secret)).starts_with("Access denied: "), "{secret}");
        assert!(refused(agent.use_value(&name(secret), "x", Consent::Unasked)).contains("outside the scope"));
        assert!(refused(agent.info(&name(secret))).contains("outside the scope"));
    }
}

#[test]
fn a_grant_touches_no_policies_grants_slots_log_or_attributes() {
    let owned = Owned::with(&["a"]);
    owned.policy("all", &["*"], &[]);
    let agent = owned.held(&owned.grant("all", "list,use,reveal,store,remove"));
    let lacks = |words: String| assert!(words.contains("lacks the capability `admin`"), "{words}");
    lacks(refused(agent.grants()));
    lacks(refused(agent.create_grant(&NewGrant::for_agent("mine", policy("all")))));
    lacks(refused(agent.revoke_all_grants()));
    lacks(refused(agent.rotate_vault_key()));
    lacks(refused(agent.audit_entries(None)));
    lacks(refused(agent.verify_audit()));
    lacks(refused(agent.approvals()));
    lacks(refused(agent.set_attributes(&name("a"), &Attributes::default())));
    lacks(refused(agent.update_policy(&policy("all"), &PolicyChange::default())));
    lacks(refused(agent.remove_policy(&policy("all"))));
    assert!(refused(agent.test_policy(&policy("other"), &name("a"))).contains("its own policy only"));
    assert!(agent.test_policy(&policy("all"), &name("a")).expect("its own"));
}

#[test]
fn a_grant_sees_what_comes_into_its_scope_and_not_what_leaves() {
    let owned = Owned::with(&["dev-1", "prod-1"]);
    owned.policy("scope", &["dev-*"], &[]);
    let agent = owned.held(&owned.grant("scope", "list,reveal"));
    owned.store("dev-2", "new");
    owned.store("prod-2", "new");
    assert_eq!(names(&agent), ["dev-1", "dev-2"]);
    owned.store("dev-1", "changed");
    assert_eq!(get(&agent, "dev-1").expect("in scope"), "changed");
    let wider = PolicyChange { allow: Some(vec!["*-2".into()]), ..PolicyChange::default() };
    owned.session.update_policy(&policy("scope"), &wider).expect("updated");
    assert_eq!(names(&agent), ["dev-2", "prod-2"]);
    assert_eq!(get(&agent, "prod-2").expect("in scope now"), "new");
    assert!(refused(get(&agent, "dev-1")).contains("outside the scope"));
    let run_only = PolicyChange { run_only: Some(true), ..PolicyChange::default() };
    owned.session.update_policy(&policy("scope"), &run_only).expect("updated");
    assert!(refused(get(&agent, "dev-2")).contains("lacks the capability `reveal`"));
    owned.session.remove(&name("dev-2")).expect("removed");
    assert_eq!(names(&agent), ["prod-2"]);
    assert_eq!(names(&owned.again()), ["dev-1", "prod-1", "prod-2"]);
}

#[test]
fn a_revoked_grant_opens_nothing_and_the_others_go_on() {
    let owned = Owned::with(&["a", "b"]);
    owned.policy("all", &["*"], &[]);
    owned.store("a", "second");
    let (gone, stays) = (owned.grant("all", "list,reveal"), owned.grant("all", "list,reveal"));
    let (lost, kept) = (owned.held(&gone), owned.held(&stays));
    let owners = owned.again();
    assert_eq!(get(&lost, "a").expect("still good"), "second");
    owned.session.revoke_grant(gone.info.id).expect("revoked");
    assert_eq!(refused(get(&lost, "a")), "Token revoked; ask the owner of the vault for a new one");
    assert!(owned.vault.unlock(&authy::Credential::Token(gone.token.clone())).is_err());
    assert_eq!(get(&kept, "a").expect("the other grant"), "second");
    assert_eq!(get(&owners, "b").expect("the owner's other session"), "value of b");
    assert_eq!(owned.session.rollback(&name("a"), 1).expect("old versions moved to the new key"), 3);
    assert_eq!(get(&kept, "a").expect("there"), "value of a");
    assert!(owned.session.verify_audit().expect("read").broken.is_none());
    let standing: Vec<bool> =
        owned.session.grants().expect("grants").iter().map(|each| each.revoked).collect();
    assert_eq!(standing, [true, false]);
}

#[test]
fn a_grant_ends_by_time_and_by_use() {
    let owned = Owned::with(&["a"]);
    owned.policy("all", &["*"], &[]);
    let capabilities: Capabilities = "list,reveal".parse().expect("capabilities");
    let agent = |lifetime, uses| {
        let grant = NewGrant { capabilities, lifetime, uses, ..NewGrant::for_agent("x", policy("all")) };
        owned.session.create_grant(&grant).expect("a grant")
    };
    let over = agent(Some(Duration::ZERO), None);
    let words = refused(owned.vault.unlock(&authy::Credential::Token(over.token)));
    assert!(words.starts_with("Token expired at "), "{words}");
    let twice = owned.held(&agent(None, Some(2)));
    assert!(get(&twice, "a").is_ok() && get(&twice, "a").is_ok());
    assert_eq!(
        refused(get(&twice, "a")),
        "Token used up after 2 uses; ask the owner of the vault for a new one"
    );
    assert_eq!(names(&twice), ["a"], "names are not counted");
}

#[test]
fn what_a_grant_stores_is_the_owners_and_everybodys_whose_scope_it_is() {
    let owned = Owned::with(&["old"]);
    owned.policy("all", &["*"], &[]);
    let writer = owned.held(&owned.grant("all", "list,use,store,remove"));
    let reader = owned.held(&owned.grant("all", "list,reveal"));
    put(&writer, "new", "by a grant", Overwrite::Refuse).expect("stored");
    assert_eq!(names(&writer), ["new", "old"]);
    assert_eq!(names(&reader), ["old"], "not before the owner comes by");
    assert_eq!(get(&owned.session, "new").expect("the owner's at once"), "by a grant");
    assert_eq!(names(&owned.session), ["new", "old"]);
    assert_eq!(get(&owned.again(), "new").expect("adopted"), "by a grant");
    assert_eq!(get(&reader, "new").expect("shared"), "by a grant");
    put(&writer, "new", "second", Overwrite::NewVersion).expect("stored");
    assert_eq!(writer.info(&name("new")).expect("its own").version, 2);
    assert_eq!(get(&reader, "new").expect("shared"), "by a grant", "until the owner comes by");
    assert_eq!(get(&owned.session, "new").expect("the owner comes by"), "second");
    assert_eq!(get(&reader, "new").expect("shared"), "second");
    assert!(writer.remove(&name("old")).expect("removed"));
    assert_eq!(names(&writer), ["new"]);
    assert_eq!((names(&owned.session), names(&reader)), (vec!["new".to_owned()], vec!["new".to_owned()]));
}

#[test]
fn two_grants_that_store_the_same_name_lose_nothing() {
    let owned = Owned::new();
    owned.policy("all", &["*"], &[]);
    let (one, other) = (owned.grant("all", "list,reveal,store"), owned.grant("all", "list,reveal,store"));
    put(&owned.held(&one), "a", "of one", Overwrite::Refuse).expect("stored");
    put(&owned.held(&other), "a", "of the other", Overwrite::Refuse).expect("stored");
    assert_eq!(get(&owned.held(&one), "a").expect("its own"), "of one");
    assert_eq!(get(&owned.session, "a").expect("both"), "of the other");
    let old = owned.session.get_version(&name("a"), 1, Consent::Unasked).expect("kept");
    assert_eq!(old.as_text(), Ok("of one"));
    assert_eq!(get(&owned.held(&one), "a").expect("taken over"), "of the other");
}

#[test]
fn who_may_only_store_reads_nothing_not_even_its_own() {
    let owned = Owned::with(&["there"]);
    owned.policy("all", &["*"], &[]);
    let writer = owned.held(&owned.grant("all", "store"));
    put(&writer, "new", "x", Overwrite::Refuse).expect("stored");
    assert!(refused(get(&writer, "new")).contains("lacks the capability `reveal`"));
    assert!(refused(put(&writer, "there", "x", Overwrite::Refuse)).starts_with("Secret already exists"));
    assert!(
        refused(put(&writer, "there", "x", Overwrite::NewVersion)).contains("not shared with this grant")
    );
    assert_eq!(get(&owned.session, "there").expect("untouched"), "value of there");
}

#[test]
fn no_grant_is_the_owner_by_another_name() {
    assert!(
        "admin".parse::<Capabilities>().expect_err("not given").to_string().contains("authy rekey --add")
    );
}

#[test]
fn a_policy_in_use_stays() {
    let owned = Owned::new();
    owned.policy("all", &["*"], &[]);
    let grant = owned.grant("all", "list");
    assert_eq!(
        refused(owned.session.remove_policy(&policy("all"))),
        "Policy `all` is used by 1 grants; revoke them first"
    );
    owned.session.revoke_grant(grant.info.id).expect("revoked");
    owned.session.remove_policy(&policy("all")).expect("removed");
    assert_eq!(refused(owned.session.policy(&policy("all"))), "Policy not found: all");
}
