//! The pages through a real socket: signing in, and forms. What they look like is for a browser.

use serde_json::{Value, json};

use crate::http::{Answer, Api, KEY};
use crate::vault::each_engine;

/// The cookie of this name that an answer sets.
pub(crate) fn cookie(answer: &Answer, name: &str) -> String {
    let set = answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
    let pairs = set.filter_map(|cookie| cookie.split(';').next());
    pairs.filter(|pair| pair.starts_with(name)).map(str::to_owned).next().expect("a cookie")
}

/// What the forms of a page carry.
pub(crate) fn form_token(page: &Answer) -> String {
    let text = page.text();
    let token = text.split("name=\"form\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    token.expect("a form").to_owned()
}

pub(crate) fn post(api: &Api, path: &str, cookie: &str, body: &str) -> Answer {
    let headers = [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded")];
    api.send("POST", path, &headers, body.as_bytes())
}

/// The sign-in page as the person at this machine sees it, who opened the link that the server printed; and their cookies.
pub(crate) fn at_home(api: &Api) -> (Answer, String) {
    let home = cookie(&api.send("GET", &api.home, &[], b""), "rv_home");
    let page = api.send("GET", "/sign-in", &[("Cookie", &home)], b"");
    let visit = cookie(&page, "rv_visit");
    (page, format!("{home}; {visit}"))
}

/// Goes on as an owner, as the person at this machine does; the session's cookie.
pub(crate) fn go_on(api: &Api) -> String {
    let (page, cookies) = at_home(api);
    let text = page.text();
    assert!(text.contains("Go on as me@home"), "{text}");
    let owner = text.split("name=\"owner\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let owner = owner.expect("an owner").replace(' ', "+").replace('@', "%40");
    let body = format!("form={}&owner={owner}", form_token(&page));
    cookie(&post(api, "/sign-in/here", &cookies, &body), "rv_session")
}

/// Takes the cookbook as the person at this machine does; the session's cookie.
pub(crate) fn claim(api: &Api) -> String {
    let (page, cookies) = at_home(api);
    assert!(page.text().contains("This is my cookbook"), "{}", page.text());
    let body = format!("form={}&email=me%40home&back=%2F", form_token(&page));
    let claimed = post(api, "/sign-in/here", &cookies, &body);
    assert_eq!((claimed.code, claimed.header("location")), (303, Some("/")));
    let session = claimed.head.lines().find(|line| line.contains("rv_session=")).expect("a session");
    assert!(session.contains("HttpOnly") && session.contains("SameSite=Lax"), "{session}");
    cookie(&claimed, "rv_session")
}

#[test]
fn one_person_at_home_needs_no_set_up() {
    each_engine(|database| {
        let api = Api::start(database);
        let stranger = api.send("GET", "/", &[], b"");
        assert_eq!((stranger.code, stranger.header("location")), (303, Some("/sign-in?back=%2F")));
        let session = claim(&api);
        for path in ["/", "/recipes/new", "/plan", "/shopping", "/family"] {
            let page = api.send("GET", path, &[("Cookie", &session)], b"");
            assert_eq!(page.code, 200, "{path}");
            assert!(
                page.header("content-security-policy")
                    .is_some_and(|policy| policy.starts_with("default-src 'none'"))
            );
        }
        assert_eq!(api.god("GET", "/api/recipes", &Value::Null).code, 200);
    });
}

/// What passes through a proxy or a tunnel comes from anybody, although that runs as our own user.
#[test]
fn nobody_is_at_home_behind_a_proxy_or_a_tunnel_or_in_a_shared_book() {
    each_engine(|database| {
        let api = Api::start(database);
        let (page, cookies) = at_home(&api);
        assert!(page.text().contains("This is my cookbook"));
        for header in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
            let page = api.send("GET", "/sign-in", &[(header, "x"), ("Cookie", &cookies)], b"");
            assert!(page.text().contains("Family password"), "{header}");
        }
        // A tunnel says nothing about itself; who is at its other end did not see what the server printed.
        let tunnel = api.send("GET", "/sign-in", &[], b"");
        assert!(tunnel.text().contains("Family password") && !tunnel.text().contains("This is my cookbook"));
        assert!(!api.send("GET", "/home/0000", &[], b"").head.contains("rv_home"));
        let token = form_token(&page);
        for (cookies, via) in [(cookies.as_str(), "Via"), (cookie(&tunnel, "rv_visit").as_str(), "X-Nothing")]
        {
            let token = if via == "Via" { token.clone() } else { form_token(&tunnel) };
            let headers =
                [("Cookie", cookies), (via, "x"), ("Content-Type", "application/x-www-form-urlencoded")];
            let claimed =
                api.send("POST", "/sign-in/here", &headers, format!("form={token}&email=eve%40x").as_bytes());
            assert_eq!(claimed.code, 403, "{via}");
        }
        api.god("POST", "/api/families", &json!({ "name": "Another" }));
        let shared = at_home(&api).0.text();
        assert!(shared.contains("Family password") && !shared.contains("This is my cookbook"));
    });
}

#[test]
fn a_form_without_the_token_of_its_page_does_nothing() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
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

/// Every form there is, sent by another site: with the cookie, and without what only our pages know.
#[test]
fn no_form_is_taken_from_another_site() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        let recipe = api.god("POST", "/api/recipes", &json!({ "title": "Soup" })).json();
        let id = recipe["id"].as_str().expect("an id").to_owned();
        let before = api.god("GET", &format!("/api/recipes/{id}"), &Value::Null).text();
        let forms: Vec<&str> = include_str!("../../../../crates/recipes/src/pages.rs")
            .lines()
            .filter(|line| line.contains("post("))
            .filter_map(|line| line.split('"').nth(1))
            .collect();
        assert!(forms.len() > 25, "{forms:?}");
        let boundary = [("Cookie", session.as_str()), ("Content-Type", "multipart/form-data; boundary=x")];
        let part = b"--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nStew\r\n--x--\r\n";
        for form in forms {
            let path = form.replace("{id}", &id).replace("{photo}", &id).replace("{token}", "x");
            for body in
                ["title=Stew&do=save&email=eve%40x&role=owner&confirm=yes", "form=&title=Stew", "form=x"]
            {
                let answer = post(&api, &path, &session, body);
                assert_eq!(answer.code, 403, "{path} {body}: {}", answer.head);
            }
            assert_eq!(api.send("POST", &path, &boundary, part).code, 403, "{path}");
            // Nor is a token taken from the address, or from the cookie of a visit that another site made up.
            let made_up = format!("rv_visit={}", "0".repeat(64));
            let answer = post(&api, &format!("{path}?form=x"), &made_up, "form=x");
            assert!(matches!(answer.code, 403 | 303), "{path}: {}", answer.head);
        }
        assert_eq!(api.god("GET", &format!("/api/recipes/{id}"), &Value::Null).text(), before);
        assert_eq!(api.send("GET", "/", &[("Cookie", &session)], b"").code, 200, "still signed in");
        let families = api.god("GET", "/api/families", &Value::Null).json();
        let family = families[0]["id"].as_str().expect("an id");
        let members = api.god("GET", &format!("/api/families/{family}/members"), &Value::Null).json();
        assert_eq!(members.as_array().map(Vec::len), Some(1), "{members}");
    });
}

/// A link shows one recipe, and neither what the family did with it nor anything else.
#[test]
fn a_link_shows_one_recipe_as_long_as_it_works() {
    each_engine(|database| {
        let api = Api::start(database);
        let make = |title: &str| {
            let made = api.god("POST", "/api/recipes", &json!({ "title": title })).json();
            made["id"].as_str().expect("an id").to_owned()
        };
        let (soup, stew) = (make("Soup"), make("Stew"));
        for id in [&soup, &stew] {
            let path = format!("/api/recipes/{id}/photo");
            assert_eq!(api.send("PUT", &path, &[("X-API-Key", KEY)], crate::vault::PNG).code, 200);
        }
        assert_eq!(api.god("POST", &format!("/api/recipes/{soup}/cooked"), &Value::Null).code, 200);
        let link = api.god("POST", &format!("/api/recipes/{soup}/share"), &json!({})).json();
        let path = link["path"].as_str().expect("a path").to_owned();
        let get = |path: &str| api.send("GET", path, &[], b"");
        let page = get(&path);
        assert_eq!(page.code, 200);
        assert!(page.text().contains("Soup") && !page.text().contains("Cooked"), "{}", page.text());
        assert!(!page.text().contains(&soup), "the id is not told");
        let photo = |id: &str| {
            let recipe = api.god("GET", &format!("/api/recipes/{id}"), &Value::Null).json();
            recipe["photo_id"].as_str().expect("a photo").to_owned()
        };
        assert_eq!(get(&format!("{path}/photos/{}", photo(&soup))).code, 200);
        assert_eq!(get(&format!("{path}/photos/{}", photo(&stew))).code, 404, "of another recipe");
        for elsewhere in ["/recipes", "/edit", "/cook", "/export", "/photos", "/.."] {
            assert_ne!(get(&format!("{path}{elsewhere}")).code, 200, "{elsewhere}");
        }
        // What opens a link opens nothing else, and nothing else opens it.
        let token = path.rsplit('/').next().expect("a token").to_owned();
        for cookie in ["rv_session", "rv_others", "rv_home"] {
            let header = format!("{cookie}={token}");
            assert_eq!(api.send("GET", "/", &[("Cookie", &header)], b"").code, 303, "{cookie}");
        }
        assert_eq!(api.with(&[("X-API-Key", &token)], "GET", "/api/recipes", &Value::Null).code, 401);
        assert_eq!(get(&format!("/share/{}", &token[1..])).code, 404);
        assert_eq!(get(&format!("/share/{}", token.to_uppercase())).code, 404);
        // In the trash it is not shared; taken back, it is gone for good.
        assert_eq!(api.god("DELETE", &format!("/api/recipes/{soup}"), &Value::Null).code, 204);
        assert_eq!((get(&path).code, get(&format!("{path}/photo")).code), (404, 404));
        assert_eq!(api.god("POST", &format!("/api/recipes/{soup}/undelete"), &Value::Null).code, 200);
        assert_eq!(get(&path).code, 200);
        let id = link["id"].as_str().expect("an id");
        assert_eq!(api.god("DELETE", &format!("/api/shares/{id}"), &Value::Null).code, 204);
        assert_eq!((get(&path).code, get(&format!("{path}/photo")).code), (404, 404));
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
        let session = claim(&api);
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

#[test]
fn whoever_reads_german_is_told_in_german_what_is_wrong() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        let german = |method: &str, path: &str, body: &str| {
            let headers = [
                ("Cookie", session.as_str()),
                ("Accept-Language", "de"),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ];
            api.send(method, path, &headers, body.as_bytes())
        };
        let token = form_token(&german("GET", "/recipes/new", ""));
        for (method, path, body, code, expected) in [
            ("POST", "/recipes", "title=&servings=0", 422, "Ein Rezept braucht einen Titel."),
            (
                "POST",
                "/recipes",
                "title=a&servings=0",
                422,
                "Erlaubt ist eine ganze Zahl von 1 bis 1000, nicht 0.",
            ),
            ("POST", "/recipes", "title=a&prep=bald", 422, "Erlaubt ist eine ganze Zahl von 0 bis 525600."),
            ("POST", "/shopping", "name=", 422, "Schreib, was einzukaufen ist."),
            ("POST", "/plan", "what=", 422, "Wähle ein Rezept, oder schreib, was es gibt."),
            ("POST", "/family/members", "email=x&role=viewer", 422, "Das ist keine E-Mail-Adresse wie"),
            ("POST", "/import", "text=nichts", 422, "Kein Rezept wurde gefunden"),
            ("GET", "/recipes/018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "", 404, "Dieses Rezept gibt es nicht"),
            ("GET", "/nirgends", "", 404, "Diese Seite gibt es nicht"),
            ("GET", "/share/x", "", 404, "Diesen Link gibt es nicht"),
        ] {
            let page = german(method, path, &format!("form={token}&{body}"));
            assert_eq!(page.code, code, "{method} {path} {body}");
            assert!(page.text().contains(expected), "{method} {path} {body}: {}", page.text());
        }
        let stale = german("POST", "/recipes", "form=x&title=a");
        assert!(stale.code == 403 && stale.text().contains("lade die Seite neu"), "{}", stale.text());
    });
}

/// The value of a hidden field of a page.
fn hidden(page: &Answer, name: &str) -> String {
    let text = page.text();
    let value =
        text.split(&format!("name=\"{name}\" value=\"")).nth(1).and_then(|rest| rest.split('"').next());
    value.expect("a field").to_owned()
}

#[test]
fn a_photo_or_a_meal_does_not_make_an_open_form_stale() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        let recipe = api.god("POST", "/api/recipes", &json!({ "title": "Soup" })).json();
        let id = recipe["id"].as_str().expect("an id");
        let get = |path: &str| api.send("GET", path, &[("Cookie", session.as_str())], b"");
        let opened = get(&format!("/recipes/{id}/edit"));
        let body = |title: &str| {
            let (form, version, base) =
                (form_token(&opened), hidden(&opened, "version"), hidden(&opened, "base"));
            format!("form={form}&version={version}&base={base}&title={title}")
        };
        assert_eq!(api.god("POST", &format!("/api/recipes/{id}/cooked"), &json!({})).code, 200);
        let save = |title: &str| post(&api, &format!("/recipes/{id}"), &session, &body(title)).code;
        assert_eq!(save("Soup+of+the+day"), 303);
        // Now the title is another than the form was opened with.
        assert_eq!(save("Stew"), 409);
    });
}

/// A person with a wrong address, an old bookmark or a session that ended reads a page, not what programs read.
#[test]
fn what_went_wrong_is_always_a_page() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        for (path, code) in [
            ("/recipes/xyz", 422),
            ("/recipes/018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", 404),
            ("/recipes/018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f/photos/xyz", 422),
            ("/?skip=many", 422),
            ("/plan?week=soon", 422),
            ("/share/abc", 404),
            ("/share/abc/photos/xyz", 404),
            ("/nothing", 404),
            ("/import/keep", 404),
        ] {
            let page = api.send("GET", path, &[("Cookie", &session)], b"");
            let kind = page.header("content-type").unwrap_or_default();
            assert_eq!((page.code, kind), (code, "text/html; charset=utf-8"), "{path}: {}", page.text());
            assert!(page.text().contains("<h1>") && page.header("content-security-policy").is_some());
        }
        // Programs still read JSON.
        let program = api.god("GET", "/api/recipes/xyz", &Value::Null);
        assert_eq!((program.code, program.header("content-type")), (422, Some("application/json")));
    });
}

#[test]
fn who_signs_in_after_sending_a_form_comes_to_a_page() {
    each_engine(|database| {
        let api = Api::start(database);
        let sent = post(&api, "/plan/shop", "rv_session=0", "form=x");
        assert_eq!((sent.code, sent.header("location")), (303, Some("/sign-in?back=%2F")));
        let asked = api.send("GET", "/plan?week=2026-11-16", &[], b"");
        assert_eq!(asked.header("location"), Some("/sign-in?back=%2Fplan%3Fweek%3D2026-11-16"));
    });
}

/// It is never the same day in both of these zones.
#[test]
fn the_pages_say_the_day_it_is_where_the_family_lives() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        let token = form_token(&api.send("GET", "/family", &[("Cookie", &session)], b""));
        assert_eq!(
            post(&api, "/family/keys", &session, &format!("form={token}&label=Laptop&role=viewer")).code,
            200
        );
        for zone in ["Pacific/Kiritimati", "Etc/GMT+12"] {
            let body =
                format!("form={token}&name=Home&zone={}", zone.replace('/', "%2F").replace('+', "%2B"));
            assert_eq!(post(&api, "/family/name", &session, &body).code, 303, "{zone}");
            let today = api.god("GET", "/api/today", &Value::Null).json();
            let day = today["day"].as_str().expect("a day").rsplit('-').next().expect("its number");
            let made = format!("made {} ", day.trim_start_matches('0'));
            let page = api.send("GET", "/family", &[("Cookie", &session)], b"").text();
            assert!(page.contains(&made), "{zone}: {made}");
        }
    });
}
