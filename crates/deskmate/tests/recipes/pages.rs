//! The pages through a real socket: signing in, forms, and the path they are mounted at. What they look like is for a browser.

use serde_json::{Value, json};

use crate::http::{Answer, Api, KEY};
use crate::vault::each_engine;

/// The cookie of this name that an answer sets.
fn cookie(answer: &Answer, name: &str) -> String {
    let set = answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
    let pairs = set.filter_map(|cookie| cookie.split(';').next());
    pairs.filter(|pair| pair.starts_with(name)).map(str::to_owned).next().expect("a cookie")
}

/// What the forms of a page carry.
fn form_token(page: &Answer) -> String {
    let text = page.text();
    let token = text.split("name=\"form\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    token.expect("a form").to_owned()
}

fn post(api: &Api, path: &str, cookie: &str, body: &str) -> Answer {
    let headers = [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded")];
    api.send("POST", path, &headers, body.as_bytes())
}

/// Takes the cookbook as the person at this machine does; the session's cookie.
fn claim(api: &Api, base: &str) -> String {
    let page = api.send("GET", &format!("{base}/sign-in"), &[], b"");
    assert!(page.text().contains("This is my cookbook"), "{}", page.text());
    let (visit, token) = (cookie(&page, "rv_visit"), form_token(&page));
    let body = format!("form={token}&email=me%40home&back=%2F");
    let claimed = post(api, &format!("{base}/sign-in/here"), &visit, &body);
    assert_eq!((claimed.code, claimed.header("location")), (303, Some(format!("{base}/").as_str())));
    let session = claimed.head.lines().find(|line| line.contains("rv_session=")).expect("a session");
    assert!(session.contains("HttpOnly") && session.contains("SameSite=Lax"), "{session}");
    cookie(&claimed, "rv_session")
}

#[test]
fn one_person_at_home_needs_no_set_up() {
    each_engine(|database| {
        for (api, base) in [(Api::start(database), ""), (Api::mounted(database), "/cookbook")] {
            let stranger = api.send("GET", &format!("{base}/"), &[], b"");
            assert_eq!(
                (stranger.code, stranger.header("location")),
                (303, Some(format!("{base}/sign-in?back=%2F").as_str()))
            );
            let session = if base.is_empty() { claim(&api, base) } else { go_on(&api, base) };
            for path in ["/", "/recipes/new", "/plan", "/shopping", "/family"] {
                let page = api.send("GET", &format!("{base}{path}"), &[("Cookie", &session)], b"");
                assert_eq!(page.code, 200, "{base}{path}");
                assert!(
                    page.header("content-security-policy")
                        .is_some_and(|policy| policy.starts_with("default-src 'none'"))
                );
            }
            assert_eq!(api.god("GET", &format!("{base}/api/recipes"), &Value::Null).code, 200);
        }
    });
}

/// Goes on as the one person who has the cookbook.
fn go_on(api: &Api, base: &str) -> String {
    let page = api.send("GET", &format!("{base}/sign-in"), &[], b"");
    assert!(page.text().contains("Go on as me@home"), "{}", page.text());
    let body = format!("form={}", form_token(&page));
    cookie(&post(api, &format!("{base}/sign-in/here"), &cookie(&page, "rv_visit"), &body), "rv_session")
}

/// What passes through a proxy comes from anybody, although the proxy runs as our own user.
#[test]
fn nobody_is_at_home_behind_a_proxy_or_in_a_shared_book() {
    each_engine(|database| {
        let api = Api::start(database);
        for header in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
            let page = api.send("GET", "/sign-in", &[(header, "x")], b"");
            assert!(page.text().contains("Family password"), "{header}");
        }
        let page = api.send("GET", "/sign-in", &[], b"");
        let (visit, token) = (cookie(&page, "rv_visit"), form_token(&page));
        let headers =
            [("Cookie", visit.as_str()), ("Via", "x"), ("Content-Type", "application/x-www-form-urlencoded")];
        let claimed =
            api.send("POST", "/sign-in/here", &headers, format!("form={token}&email=eve%40x").as_bytes());
        assert_eq!(claimed.code, 403);
        api.god("POST", "/api/families", &json!({ "name": "Another" }));
        assert!(api.send("GET", "/sign-in", &[], b"").text().contains("Family password"));
    });
}

#[test]
fn a_form_without_the_token_of_its_page_does_nothing() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api, "");
        for body in ["title=Soup&do=save", "form=0&title=Soup&do=save"] {
            assert_eq!(post(&api, "/recipes", &session, body).code, 403, "{body}");
        }
        assert_eq!(api.god("GET", "/api/recipes", &Value::Null).json(), json!([]));
        let token = form_token(&api.send("GET", "/recipes/new", &[("Cookie", &session)], b""));
        let saved = post(&api, "/recipes", &session, &format!("form={token}&title=Soup&do=save"));
        assert_eq!(saved.code, 303);
        let out = post(&api, "/sign-out", &session, &format!("form={token}"));
        assert_eq!(out.code, 303);
        assert_eq!(
            api.send("GET", "/", &[("Cookie", &session)], b"").code,
            303,
            "a session that was ended is no session"
        );
        assert_eq!(
            api.with(&[("Cookie", &session)], "GET", "/api/recipes", &Value::Null).code,
            401,
            "the API takes keys"
        );
        assert_eq!(api.with(&[("X-API-Key", KEY)], "GET", "/api/recipes", &Value::Null).code, 200);
    });
}

#[test]
fn text_of_recipes_is_never_markup() {
    each_engine(|database| {
        let api = Api::start(database);
        let nasty = "<script>alert(1)</script>\" onload=x";
        let recipe = json!({ "title": nasty, "description": nasty, "notes": nasty, "tags": ["<b>"], "source_url": "javascript:alert(1)",
                             "ingredients": [{ "name": nasty, "notes": nasty }], "steps": [{ "instruction": nasty }] });
        let id = api.god("POST", "/api/recipes", &recipe).json()["id"].as_str().expect("an id").to_owned();
        let session = claim(&api, "");
        for path in [
            "/".to_owned(),
            format!("/recipes/{id}"),
            format!("/recipes/{id}/edit"),
            format!("/recipes/{id}/cook"),
        ] {
            let page = api.send("GET", &path, &[("Cookie", &session)], b"").text();
            assert!(
                !page.contains("<script>alert")
                    && !page.contains("<b>")
                    && !page.contains("href=\"javascript"),
                "{path}"
            );
        }
    });
}
