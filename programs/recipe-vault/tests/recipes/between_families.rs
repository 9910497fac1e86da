//! Owners who call somebody of another family a member of theirs: what that lets them do there is nothing.

use serde_json::json;

use crate::http::{Answer, Api, remote};
use crate::pages::{form_token, post};
use crate::vault::{Database, each_engine};

const ADA: &str = "ada@example.org";
const MALLORY: &str = "mallory@example.org";

/// A browser: the cookies it was given.
#[derive(Default, Clone)]
struct Browser(Vec<(String, String)>);

impl Browser {
    fn header(&self) -> String {
        let pairs = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn keep(&mut self, answer: Answer) -> Answer {
        for line in answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")) {
            let (name, rest) = line.split_once('=').expect("a cookie");
            let value = rest.split(';').next().unwrap_or_default();
            self.0.retain(|(known, _)| known != name);
            if !value.is_empty() {
                self.0.push((name.to_owned(), value.to_owned()));
            }
        }
        answer
    }

    fn get(&mut self, api: &Api, path: &str) -> Answer {
        let answer = api.send("GET", path, &[("Cookie", &self.header())], b"");
        self.keep(answer)
    }

    /// Sends a form of this page to another.
    fn send(&mut self, api: &Api, from: &str, path: &str, fields: &str) -> Answer {
        let token = form_token(&self.get(api, from));
        let answer = post(api, path, &self.header(), &format!("form={token}&{fields}"));
        self.keep(answer)
    }

    /// Follows a link that signs in.
    #[track_caller]
    fn follow(&mut self, api: &Api, link: &str) {
        let at = link.find("/sign-in/").expect("a link");
        let signed = self.send(api, &link[at..], &link[at..], "");
        assert_eq!((signed.code, signed.header("location")), (303, Some("/")), "{}", signed.text());
    }
}

/// The link that the program prints for somebody.
fn invited(database: &Database, api: &Api, email: &str) -> String {
    let output = database.command().args(["invite", email, "--url", &api.url()]).output().expect("it runs");
    let said = String::from_utf8(output.stdout).expect("text");
    said.lines().next().expect("a link").trim().to_owned()
}

fn family(api: &Api, name: &str, owner: &str) -> String {
    let id =
        api.god("POST", "/api/families", &json!({ "name": name })).json()["id"].as_str().map(str::to_owned);
    let id = id.expect("an id");
    let path = format!("/api/families/{id}/members/{owner}");
    assert_eq!(api.god("PUT", &path, &json!({ "role": "owner" })).code, 200);
    id
}

/// A link for Ada that the owner of another family made.
fn link_of(api: &Api, owner: &mut Browser) -> String {
    let added = owner.send(api, "/family", "/family/members", "email=ada%40example.org&role=editor");
    assert_eq!(added.code, 303, "{}", added.text());
    let page = owner.send(api, "/family", "/family/link", "email=ada%40example.org").text();
    let link = page.split("class=\"secret\">").nth(1).and_then(|rest| rest.split('<').next());
    link.expect("a link").to_owned()
}

#[test]
fn an_owner_of_one_family_signs_in_to_no_other_as_anybody() {
    each_engine(|database| {
        let api = Api::start(database);
        let (mallorys, adas) = (family(&api, "Mallory's", MALLORY), family(&api, "Ada's", ADA));
        let (mut ada, mut mallory) = (Browser::default(), Browser::default());
        ada.follow(&api, &invited(database, &api, ADA));
        mallory.follow(&api, &invited(database, &api, MALLORY));
        let recipe = ada.send(&api, "/recipes/new", "/recipes", "title=Secret+sauce&do=save");
        let recipe =
            recipe.header("location").and_then(|at| at.split('?').next()).expect("a place").to_owned();
        assert_eq!(ada.get(&api, &recipe).code, 200);

        // By a link: as Ada, and in the family that made the link.
        let mut posing = Browser::default();
        posing.follow(&api, &link_of(&api, &mut mallory));
        let page = posing.get(&api, "/family").text();
        assert!(page.contains("Mallory&#39;s") || page.contains("Mallory's"), "{page}");
        assert!(!page.contains(&adas) && !page.contains("Ada's") && !page.contains("Ada&#39;s"), "{page}");
        assert_eq!(posing.get(&api, &recipe).code, 404);
        let switched = posing.send(&api, "/family", "/family/switch", &format!("family={adas}"));
        assert_eq!(switched.code, 404, "{}", switched.head);
        assert_eq!(posing.get(&api, &recipe).code, 404);

        // By a password that the poser chose, or that of their family.
        let own = "own-password=chosen-by-mallory";
        assert_eq!(posing.send(&api, "/family", "/family/own-password", own).code, 303);
        let all = mallory.send(&api, "/family", "/family/password", "password=password-of-mallory");
        assert_eq!(all.code, 303);
        for password in ["chosen-by-mallory", "password-of-mallory"] {
            let mut posing = Browser::default();
            let fields = format!("email=ada%40example.org&password={password}");
            let signed = posing.send(&api, "/sign-in", "/sign-in", &fields);
            if signed.code == 303 {
                assert_eq!(posing.get(&api, &recipe).code, 404, "{password}");
                let switched = posing.send(&api, "/family", "/family/switch", &format!("family={adas}"));
                assert_eq!(switched.code, 404, "{password}");
            }
        }

        // Nor does it end where she is signed in.
        let mut posing = Browser::default();
        posing.follow(&api, &link_of(&api, &mut mallory));
        assert_eq!(posing.send(&api, "/family", "/sign-out/everywhere", "").code, 303);
        assert_eq!(ada.get(&api, &recipe).code, 200, "she stays signed in");

        // Her programs stay at home in the family she joined first, although the other one is older.
        assert!(mallorys < adas);
        let key = api.god("POST", "/api/keys", &json!({ "opens": { "for": "god" } }));
        let key = key.json()["key"].as_str().expect("a key").to_owned();
        let variables = [("API_KEY", key.as_str()), ("USER_EMAIL", ADA)];
        assert_eq!(remote(database, &api.url(), &variables).titles(), ["Secret sauce"]);
        assert_eq!(database.person(ADA).titles(), ["Secret sauce"]);
    });
}

/// Who is in two families, and signed in to both, goes from one to the other.
#[test]
fn a_browser_that_is_signed_in_to_two_families_goes_from_one_to_the_other() {
    each_engine(|database| {
        let api = Api::start(database);
        let (bobs, adas) = (family(&api, "Bob's", "bob@example.org"), family(&api, "Ada's", ADA));
        let (mut ada, mut bob) = (Browser::default(), Browser::default());
        ada.follow(&api, &invited(database, &api, ADA));
        bob.follow(&api, &invited(database, &api, "bob@example.org"));
        let first = ada.header();
        ada.follow(&api, &link_of(&api, &mut bob));
        let page = ada.get(&api, "/family").text();
        assert!(page.contains(&adas) && !page.contains(&bobs), "{page}");
        assert_eq!(ada.send(&api, "/family", "/family/switch", &format!("family={adas}")).code, 303);
        let page = ada.get(&api, "/family").text();
        assert!(page.contains(&bobs) && !page.contains(&adas), "{page}");
        // Somebody else who signs in with the same browser gets nothing of it.
        let mut shared = ada.clone();
        shared.follow(&api, &invited(database, &api, "bob@example.org"));
        assert!(!shared.header().contains("rv_others"), "{}", shared.header());
        // Who signs out is signed out of both.
        let both = ada.header();
        assert_eq!(ada.send(&api, "/family", "/sign-out", "").code, 303);
        assert!(!ada.header().contains("rv_"), "{}", ada.header());
        for cookies in [first, both] {
            assert_eq!(api.send("GET", "/", &[("Cookie", &cookies)], b"").code, 303);
        }
    });
}

/// A membership that ended takes along what let somebody in.
#[test]
fn who_was_removed_and_comes_back_signs_in_anew() {
    each_engine(|database| {
        let api = Api::start(database);
        family(&api, "Ada's", ADA);
        let mut ada = Browser::default();
        ada.follow(&api, &invited(database, &api, ADA));
        let mut bob = Browser::default();
        let add = "email=bob%40example.org&role=editor";
        assert_eq!(ada.send(&api, "/family", "/family/members", add).code, 303);
        bob.follow(&api, &invited(database, &api, "bob@example.org"));
        assert_eq!(
            bob.send(&api, "/family", "/family/own-password", "own-password=the-one-of-bob").code,
            303
        );
        let waiting = invited(database, &api, "bob@example.org");
        assert_eq!(bob.get(&api, "/").code, 200);
        let removed = ada.send(&api, "/family", "/family/members/remove", "email=bob%40example.org");
        assert_eq!((removed.code, bob.get(&api, "/").code), (303, 303));
        assert_eq!(
            ada.send(&api, "/family", "/family/members", "email=bob%40example.org&role=viewer").code,
            303
        );
        assert_eq!(bob.get(&api, "/").code, 303, "the session ended");
        let mut again = Browser::default();
        let at = waiting.find("/sign-in/").expect("a link");
        assert_eq!(again.send(&api, &waiting[at..], &waiting[at..], "").code, 401, "the link ended");
        let mut again = Browser::default();
        let fields = "email=bob%40example.org&password=the-one-of-bob";
        assert_eq!(again.send(&api, "/sign-in", "/sign-in", fields).code, 401, "the password ended");
    });
}
