//! One cookbook, served by `recipe-vault serve` and below a path of `deskmate serve`.

use std::process::Command;

use mcp_testkit::{Folder, program};
use postgres_testkit::Server;

use crate::binary::command;
use crate::http::{Answer, Serving};

/// The key that opens every family.
const KEY: &str = "the-bootstrap-key";

/// The command on this database, with nothing else set.
fn on<'a>(command: &'a mut Command, database: &str, home: &Folder) -> &'a mut Command {
    for name in ["API_BASE_URL", "DATABASE_REPLICAS", "DESKMATE_ROOTS", "DESKMATE_TOKEN", "USER_EMAIL"] {
        command.env_remove(name);
    }
    command.args(["serve", "--port", "0"]);
    command.env("HOME", home.as_path()).env("DATABASE_URL", database).env("API_KEY", KEY)
}

/// The cookie of this name that an answer sets.
fn cookie(answer: &Answer, name: &str) -> String {
    let set = answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
    let pairs = set.filter_map(|cookie| cookie.split(';').next());
    pairs.filter(|pair| pair.starts_with(name)).map(str::to_owned).next().expect("a cookie")
}

/// Signs in as the person at this machine, whom the page greets with these words; the session's cookie.
fn sign_in(serving: &Serving, base: &str, greeting: &str, more: &str) -> String {
    let home = cookie(&serving.send("GET", &serving.home, &[], ""), "rv_home");
    let page = serving.send("GET", &format!("{base}/sign-in"), &[("Cookie", &home)], "");
    assert!(page.body.contains(greeting), "{}", page.body);
    let token = page.body.split("name=\"form\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let owner = page.body.split("name=\"owner\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let owner = owner
        .map(|owner| format!("&owner={}", owner.replace(' ', "+").replace('@', "%40")))
        .unwrap_or_default();
    let body = format!("form={}{owner}{more}", token.expect("a form"));
    let visit = format!("{home}; {}", cookie(&page, "rv_visit"));
    let headers = [("Cookie", visit.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    let signed_in = serving.send("POST", &format!("{base}/sign-in/here"), &headers, &body);
    assert_eq!((signed_in.code, signed_in.header("location")), (303, Some(format!("{base}/").as_str())));
    cookie(&signed_in, "rv_session")
}

fn check(database: &str) {
    let home = Folder::new();
    let alone = Serving::run(on(&mut Command::new(program("recipe-vault")), database, &home));
    sign_in(&alone, "", "This is my cookbook", "&email=me%40home&back=%2F");
    let deskmate = Serving::run(on(&mut command(&[]), database, &home));
    let stranger = deskmate.send("GET", "/cookbook/", &[], "");
    assert_eq!((stranger.code, stranger.header("location")), (303, Some("/cookbook/sign-in?back=%2F")));
    let session = sign_in(&deskmate, "/cookbook", "Go on as me@home", "");
    for path in ["/", "/recipes/new", "/plan", "/shopping", "/family"] {
        let page = deskmate.send("GET", &format!("/cookbook{path}"), &[("Cookie", &session)], "");
        assert_eq!(page.code, 200, "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.is_some_and(|policy| policy.starts_with("default-src 'none'")), "{policy:?}");
    }
    assert_eq!(deskmate.send("GET", "/cookbook/api/recipes", &[("X-API-Key", KEY)], "").code, 200);
}

#[test]
fn one_person_goes_on_below_a_path_of_deskmate() {
    let folder = Folder::new();
    check(&format!("sqlite://{}/recipes.db", folder.as_path().display()));
    check(&Server::start().database());
}
