//! What an attacker, a wrong setting or a hurry must not do, through a real socket and the real program.

use std::io::{BufRead, BufReader, Write};

use recipes::Config;
use recipes::photo::{Format, Picture, Place};
use serde_json::{Value, json};

use crate::http::{Api, KEY};
use crate::pages::{at_home, claim, cookie, form_token, go_on, post};
use crate::vault::{Database, PNG, cake, each_engine};

/// A key of the first family, with this role.
fn key(api: &Api, role: &str) -> String {
    let family =
        api.god("GET", "/api/families", &Value::Null).json()[0]["id"].as_str().expect("an id").to_owned();
    let wanted = json!({ "label": role, "opens": { "for": "family", "family_id": family, "role": role } });
    let made = api.god("POST", "/api/keys", &wanted);
    assert_eq!(made.code, 201, "{}", made.text());
    made.json()["key"].as_str().expect("a key").to_owned()
}

fn create(api: &Api, recipe: &Value) -> String {
    let made = api.god("POST", "/api/recipes", recipe);
    assert_eq!(made.code, 201, "{}", made.text());
    made.json()["id"].as_str().expect("an id").to_owned()
}

#[test]
fn signing_in_leads_nowhere_else() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        for back in [
            "/%09/evil.example",
            "/%0a/evil.example",
            "/%5Cevil.example",
            "//evil.example",
            "https://evil.example",
        ] {
            let answer = api.send("GET", &format!("/sign-in?back={back}"), &[("Cookie", &session)], b"");
            assert_eq!((answer.code, answer.header("location")), (303, Some("/")), "{back}");
        }
        let answer =
            api.send("GET", "/sign-in?back=%2Fplan%3Fweek%3D2026-11-16", &[("Cookie", &session)], b"");
        assert_eq!(answer.header("location"), Some("/plan?week=2026-11-16"));
    });
}

#[test]
fn invented_addresses_lock_nobody_out_and_a_changed_password_ends_other_sessions() {
    each_engine(|database| {
        let api = Api::start(database);
        let owner = claim(&api);
        let token = form_token(&api.send("GET", "/family", &[("Cookie", &owner)], b""));
        let set = |password: &str| {
            post(&api, "/family/password", &owner, &format!("form={token}&password={password}")).code
        };
        assert_eq!(set("apple-cake-on-sundays"), 303);
        let page = api.send("GET", "/sign-in", &[], b"");
        let (visit, visit_token) = (cookie(&page, "rv_visit"), form_token(&page));
        let sign_in = |email: &str, password: &str| {
            post(&api, "/sign-in", &visit, &format!("form={visit_token}&email={email}&password={password}"))
        };
        // The same connection serves the guesser and the family, as behind one router.
        for number in 0..12 {
            let guessed = sign_in("me%40home", &format!("wrong-password-{number}"));
            assert!(matches!(guessed.code, 401 | 429), "{}", guessed.text());
        }
        assert_eq!(sign_in("me%40home", "apple-cake-on-sundays").code, 429, "guessing ends");
        // The person at this machine is not held up, and neither is anybody who is signed in.
        let again = go_on(&api);
        assert_eq!(api.send("GET", "/", &[("Cookie", &again)], b"").code, 200);
        assert_eq!(set("pear-cake-on-mondays"), 303);
        assert_eq!(api.send("GET", "/", &[("Cookie", &again)], b"").code, 303, "signed out");
        assert_eq!(
            api.send("GET", "/", &[("Cookie", &owner)], b"").code,
            200,
            "the one who changed it stays"
        );
        let third = go_on(&api);
        let token = form_token(&api.send("GET", "/family", &[("Cookie", &third)], b""));
        assert_eq!(post(&api, "/sign-out/everywhere", &third, &format!("form={token}")).code, 303);
        for session in [&owner, &third] {
            assert_eq!(api.send("GET", "/", &[("Cookie", session)], b"").code, 303);
        }
    });
}

#[test]
fn an_owner_who_added_somebody_comes_back_without_a_password() {
    each_engine(|database| {
        let api = Api::start(database);
        let owner = claim(&api);
        let token = form_token(&api.send("GET", "/family", &[("Cookie", &owner)], b""));
        let added =
            post(&api, "/family/members", &owner, &format!("form={token}&email=bob%40home&role=editor"));
        assert_eq!(added.code, 303);
        assert_eq!(post(&api, "/sign-out", &owner, &format!("form={token}")).code, 303);
        let back = go_on(&api);
        assert_eq!(api.send("GET", "/family", &[("Cookie", &back)], b"").code, 200);
        assert!(!at_home(&api).0.text().contains("Go on as bob@home"), "not as anybody");
    });
}

#[test]
fn a_viewer_has_nothing_fetched_and_an_address_that_is_none_opens_nothing() {
    each_engine(|database| {
        let api = Api::start(database);
        create(&api, &cake());
        let viewer = key(&api, "viewer");
        let headers = [("X-API-Key", viewer.as_str())];
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("set");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        for body in [json!({ "url": url }), json!({ "url": url, "dry_run": true }), json!({ "text": "x" })] {
            assert_eq!(api.with(&headers, "POST", "/api/import", &body).code, 403, "{body}");
        }
        assert_eq!(api.send("POST", "/api/import/file?name=a.cook", &headers, b"Boil @water{}.").code, 403);
        assert!(listener.accept().is_err(), "nobody was asked");
        for nobody in ["", " ", "ada", "@", "a b@c"] {
            let headers = [("X-API-Key", KEY), ("X-User-Email", nobody)];
            let answer = api.with(&headers, "GET", "/api/recipes", &Value::Null);
            assert_eq!(answer.code, 422, "{nobody:?}: {}", answer.text());
            let mut program = database.command();
            let mut vault = crate::vault::Vault {
                client: mcp_testkit::Client::process(program.env("USER_EMAIL", nobody)),
            };
            vault.fails("list_recipes", json!({}), -32603, &["USER_EMAIL"]);
        }
    });
}

#[test]
fn an_unknown_tool_is_a_method_that_is_not_there() {
    each_engine(|database| {
        for mut vault in [database.god(), database.person("ada@example.org")] {
            let error = vault.error("bake_bread", json!({}));
            assert_eq!(error["code"], -32601, "{error}");
        }
    });
}

#[test]
fn versions_are_kept_to_by_every_way_of_changing() {
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        let path = format!("/api/recipes/{id}");
        let tag = api.god("GET", &path, &Value::Null).header("etag").expect("a tag").to_owned();
        let known = [("X-API-Key", KEY), ("If-None-Match", tag.as_str())];
        let same = api.with(&known, "GET", &path, &Value::Null);
        assert_eq!((same.code, same.body.len()), (304, 0));
        let old = [("X-API-Key", KEY), ("If-Match", "\"9\"")];
        assert_eq!(api.with(&old, "DELETE", &path, &Value::Null).code, 412);
        assert_eq!(api.with(&old, "POST", &format!("{path}/cooked"), &json!({})).code, 412);
        assert_eq!(api.with(&old, "POST", &format!("{path}/tags"), &json!({ "add": ["quick"] })).code, 412);
        let nothing = api.god("PATCH", &path, &json!({}));
        assert_eq!((nothing.code, &nothing.json()["version"]), (200, &json!(1)));
        let current = [("X-API-Key", KEY), ("If-Match", tag.as_str())];
        assert_eq!(api.with(&current, "POST", &format!("{path}/cooked"), &json!({})).code, 200);
        assert_eq!(api.with(&known, "GET", &path, &Value::Null).code, 200, "it changed");
        let keyed = [("X-API-Key", KEY), ("Idempotency-Key", "once")];
        assert_eq!(api.with(&keyed, "POST", "/api/recipes", &json!({ "title": "Soup" })).code, 201);
        let other = api.with(&keyed, "POST", "/api/recipes", &json!({ "title": "Stew" }));
        assert_eq!((other.code, &other.json()["error"]["code"]), (422, &json!("key_reused")));
    });
}

#[test]
fn what_was_deleted_is_listed_and_brought_back() {
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        assert_eq!(api.god("DELETE", &format!("/api/recipes/{id}"), &Value::Null).code, 204);
        assert_eq!(api.god("GET", "/api/trash", &Value::Null).json()[0]["id"], json!(id));
        let session = claim(&api);
        let page = api.send("GET", "/trash", &[("Cookie", &session)], b"");
        assert!(page.text().contains("Chocolate Cake"), "{}", page.text());
        let mut vault = database.god();
        let trash = vault.call("restore_recipe", json!({}));
        assert_eq!(trash["trash"][0]["title"], "Chocolate Cake");
        let back = vault.call("restore_recipe", json!({ "recipe_id": id }));
        assert_eq!(back["restored"]["title"], "Chocolate Cake");
        vault.fails("restore_recipe", json!({ "recipe_id": id }), -32001, &["not found"]);
        assert_eq!(api.god("GET", &format!("/api/recipes/{id}"), &Value::Null).code, 200);
    });
}

#[test]
fn a_link_is_a_whole_address_that_says_who_can_open_it() {
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        let link = api.god("POST", &format!("/api/recipes/{id}/share"), &json!({})).json();
        let url = link["url"].as_str().expect("an address");
        assert_eq!(url, format!("http://{}{}", api.address, link["path"].as_str().expect("a path")));
        assert!(link["advice"].as_str().expect("advice").contains("recipe-vault serve --host"), "{link}");
        let mut vault = database.god();
        let link = vault.call("share_recipe", json!({ "recipe_id": id }));
        assert!(link["advice"].as_str().expect("advice").contains("serve"), "{link}");
    });
}

#[test]
fn a_photo_that_is_shared_tells_nothing() {
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        let path = format!("/api/recipes/{id}/photo");
        let key = [("X-API-Key", KEY)];
        // A text chunk before the pixels.
        let place = b"\0\0\0\x13tEXtplace\0at home, 51.5";
        let crc = [0; 4];
        let told = [&PNG[..33], place.as_slice(), &crc, &PNG[33..]].concat();
        assert_eq!(api.send("PUT", &path, &key, &told).code, 200);
        assert_eq!(api.send("GET", &path, &key, b"").body, PNG);
        let small = api.send("GET", &format!("{path}?size=small"), &key, b"");
        assert_eq!((small.code, small.header("content-type")), (200, Some("image/png")));
    });
}

#[test]
fn a_form_that_is_saved_as_it_was_opened_changes_nothing() {
    each_engine(|database| {
        let api = Api::start(database);
        let mut recipe = cake();
        recipe["notes"] = json!("one\r\ntwo\nthree");
        recipe["tags"] = json!(["quick, easy", "cake"]);
        let id = create(&api, &recipe);
        let before = api.god("GET", &format!("/api/recipes/{id}"), &Value::Null).json();
        let session = claim(&api);
        let page = api.send("GET", &format!("/recipes/{id}/edit"), &[("Cookie", &session)], b"").text();
        let body = format!(
            "form={}&{}",
            form_token(&api.send("GET", "/family", &[("Cookie", &session)], b"")),
            as_sent(&page)
        );
        let saved = post(&api, &format!("/recipes/{id}"), &session, &body);
        assert_eq!(saved.code, 303, "{}", saved.text());
        assert_eq!(api.god("GET", &format!("/api/recipes/{id}"), &Value::Null).json(), before);
    });
}

/// The fields of the recipe form as a browser sends them.
fn as_sent(page: &str) -> String {
    let form = page.split("data-draft=").nth(1).expect("a form").split("</form>").next().expect("its end");
    let mut pairs = Vec::new();
    for input in form.split("<input").skip(1) {
        let tag = input.split('>').next().expect("an end");
        let attribute =
            |name: &str| tag.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        if let (Some(name), Some(value)) = (attribute("name"), attribute("value"))
            && name != "form"
        {
            pairs.push((name.to_owned(), value.to_owned()));
        }
    }
    for area in form.split("<textarea").skip(1) {
        let name = area.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name");
        let text = area.split_once('>').expect("an end").1.split("</textarea>").next().expect("an end");
        // A browser leaves out the line break behind the tag, and sends every other one as two characters.
        let text = text.strip_prefix('\n').unwrap_or(text);
        pairs.push((name.to_owned(), text.replace('\n', "\r\n")));
    }
    for select in form.split("<select").skip(1) {
        let name = select.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name");
        let chosen = select.split("<option").find(|option| option.contains(" selected"));
        let value =
            chosen.and_then(|option| option.split("value=\"").nth(1)).and_then(|rest| rest.split('"').next());
        pairs.push((name.to_owned(), value.unwrap_or_default().to_owned()));
    }
    let plain = |text: &str| {
        text.replace("&#34;", "\"")
            .replace("&#39;", "'")
            .replace("&#60;", "<")
            .replace("&#62;", ">")
            .replace("&#38;", "&")
    };
    let encoded =
        |text: &str| plain(text).bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&")
}

#[test]
fn nobody_sends_a_form_that_takes_all_the_memory() {
    each_engine(|database| {
        let api = Api::start(database);
        let page = api.send("GET", "/sign-in", &[], b"");
        let (visit, token) = (cookie(&page, "rv_visit"), form_token(&page));
        // Who is not signed in has little to say.
        let long = format!("form={token}&email=me%40home&password={}", "x".repeat(70_000));
        assert_eq!(post(&api, "/sign-in", &visit, &long).code, 413);
        let session = claim(&api);
        let token = form_token(&api.send("GET", "/recipes/new", &[("Cookie", &session)], b""));
        let many = format!("form={token}&title=Cake{}", "&a".repeat(30_000));
        assert_eq!(post(&api, "/recipes", &session, &many).code, 413);
        let enough = format!("form={token}&title=Cake{}", "&a".repeat(10_000));
        assert_eq!(post(&api, "/recipes", &session, &enough).code, 303);
    });
}

#[test]
fn who_may_not_write_sends_nothing_large() {
    each_engine(|database| {
        let api = Api::start(database);
        let session = claim(&api);
        let family = api.god("GET", "/api/families", &Value::Null).json()[0]["id"].clone();
        for (member, role) in [("eve@home", "owner"), ("me@home", "viewer")] {
            let path = format!("/api/families/{}/members/{member}", family.as_str().expect("an id"));
            assert_eq!(api.god("PUT", &path, &json!({ "role": role })).code, 200);
        }
        for path in ["/import", "/family/restore"] {
            let mut stream = std::net::TcpStream::connect(api.address).expect("a connection");
            // What this announces never comes.
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\nCookie: {session}\r\nContent-Length: 100000000\r\n\r\n",
                api.address
            );
            stream.write_all(head.as_bytes()).expect("the head is sent");
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).expect("an answer");
            assert!(line.starts_with("HTTP/1.1 403"), "{path}: {line}");
        }
    });
}

/// A header that is there and cannot be read is not one that is missing: without it more would be done.
#[test]
fn a_header_that_cannot_be_read_is_an_error() {
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        let path = format!("/api/recipes/{id}");
        let with = |name: &str, method: &str, path: &str, body: &Value| {
            api.with(&[("X-API-Key", KEY), (name, "é")], method, path, body).code
        };
        assert_eq!(with("If-Match", "DELETE", &path, &Value::Null), 422);
        assert_eq!(with("If-Match", "PATCH", &path, &json!({ "servings": 3 })), 422);
        assert_eq!(with("X-Family-Id", "GET", "/api/recipes", &Value::Null), 422);
        assert_eq!(with("Idempotency-Key", "POST", "/api/recipes", &json!({ "title": "Soup" })), 422);
        assert_eq!(api.god("GET", "/api/recipes", &Value::Null).json().as_array().map(Vec::len), Some(1));
    });
}

/// Earlier versions kept what a camera wrote when a file was cut or filled.
#[test]
fn photos_of_earlier_versions_do_not_tell_where_they_were_taken_either() {
    let placed = [&PNG[..33], b"\0\0\0\x0etEXtplace\0GPS 51 N\xa5\x9a\x9a\x0a", &PNG[33..]].concat();
    let damaged = b"\xff\xd8\xff\xe1\x00\x17Exif\0\0GPS 51.5 N 0.1W no picture at all".to_vec();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        let share = api.god("POST", &format!("/api/recipes/{id}/share"), &Value::Null).json();
        let share = share["path"].as_str().expect("a path").to_owned();
        let url = std::ffi::OsString::from(&database.url);
        let config = Config::from_environment(|name| (name == "DATABASE_URL").then(|| url.clone()));
        let store = recipes::store_of(&config.source.expect("a source")).expect("a store");
        let recipe = id.parse().expect("an id");
        for (bytes, format, code) in [(&placed, Format::Png, 200), (&damaged, Format::Jpeg, 404)] {
            // As a version that did not look would have kept it.
            let picture = Picture { format, bytes: bytes.clone().into() };
            runtime.block_on(async {
                let god = recipes::auth::local(&*store, None).await.expect("a scope");
                store.add_photo(&god, recipe, picture, Place::Cover).await.expect("kept");
            });
            for path in [format!("{share}/photo"), format!("/api/recipes/{id}/photo")] {
                for size in ["?size=small", ""] {
                    let shown = api.send("GET", &format!("{path}{size}"), &[("X-API-Key", KEY)], b"");
                    assert_eq!(shown.code, code, "{path}{size}: {}", shown.text());
                    assert!(!shown.body.windows(3).any(|three| three == b"GPS"), "{path}{size}");
                }
            }
        }
    });
}

/// Two passwords are hashed at a time, with 19 MiB each, however many people come.
#[test]
fn a_crowd_that_signs_in_takes_little_memory() {
    let database = Database::sqlite();
    let api = Api::run(database.command().args(["serve", "--port", "0", "--behind-https"]));
    let page = api.send("GET", "/sign-in", &[], b"");
    let (visit, token) = (cookie(&page, "rv_visit"), form_token(&page));
    std::thread::scope(|scope| {
        for crowd in 0..16 {
            let (api, visit, token) = (&api, &visit, &token);
            scope.spawn(move || {
                for one in 0..3 {
                    let from = format!("192.0.2.{}", crowd * 3 + one);
                    let headers = [
                        ("Cookie", visit.as_str()),
                        ("Content-Type", "application/x-www-form-urlencoded"),
                        ("X-Forwarded-For", from.as_str()),
                    ];
                    let body = format!("form={token}&email=a{crowd}%40home&password=wrong-password");
                    let answer = api.send("POST", "/sign-in", &headers, body.as_bytes());
                    assert_eq!(answer.code, 401, "{}", answer.text());
                }
            });
        }
    });
    assert!(peak(&api) < 160_000, "{} kB", peak(&api));
}

/// The most memory that a server had, in kilobytes.
fn peak(api: &Api) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", api.process())).expect("a process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most it had");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Every line break is one in each property around it.
#[test]
fn a_page_of_line_breaks_takes_little_memory() {
    let database = Database::sqlite();
    let api = Api::start(&database);
    let page = format!(
        "<div itemscope itemtype='http://schema.org/Recipe'><meta itemprop=name content=Cake>{}{}",
        "<b itemprop=text>".repeat(250),
        "<br>".repeat(600_000)
    );
    let found = api.god("POST", "/api/import", &json!({ "text": page, "dry_run": true }));
    assert_eq!((found.code, &found.json()["recipes"][0]["title"]), (200, &json!("Cake")));
    assert!(peak(&api) < 160_000, "{} kB", peak(&api));
}

/// A page may say a million things that nobody asks for.
#[test]
fn a_tag_of_a_million_attributes_takes_little_memory() {
    let database = Database::sqlite();
    let api = Api::start(&database);
    let attributes = (0..350_000).map(|number| format!(" a{number}=1")).collect::<Vec<_>>().concat();
    let page = format!(
        "<html><div{attributes} itemscope itemtype='http://schema.org/Recipe' itemscope><b itemprop=name>Cake</b>"
    );
    let found = api.god("POST", "/api/import", &json!({ "text": page, "dry_run": true }));
    assert_eq!((found.code, &found.json()["recipes"][0]["title"]), (200, &json!("Cake")));
    assert!(peak(&api) < 90_000, "{} kB", peak(&api));
}

/// What is read of a text takes many times its memory, so few texts are read at once, and few objects of each.
#[test]
fn many_who_import_at_once_take_as_much_memory_as_two() {
    let database = Database::sqlite();
    let api = Api::start(&database);
    let of = |objects: usize| {
        let objects = vec!["{\"a\":0}"; objects].join(",");
        json!({ "text": format!("{{\"@type\":\"Recipe\",\"name\":\"Cake\",\"z\":[{objects}]}}"), "dry_run": true })
    };
    let refused = api.god("POST", "/api/import", &of(480_000));
    assert_eq!(refused.code, 422, "{}", refused.text());
    assert!(refused.text().contains("more than 1000000 values"), "{}", refused.text());
    assert!(peak(&api) < 90_000, "{} kB", peak(&api));
    let enough = of(160_000);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(api.god("POST", "/api/import", &enough).code, 200));
        }
    });
    assert!(peak(&api) < 500_000, "{} kB", peak(&api));
}

/// PostgreSQL knows no text with this character in it.
#[test]
fn a_place_in_the_list_that_nobody_gave_out_is_no_failure() {
    each_engine(|database| {
        let api = Api::start(database);
        let id = create(&api, &cake());
        let session = claim(&api);
        assert_eq!(api.send("GET", "/?letter=%00C", &[("Cookie", &session)], b"").code, 200);
        for path in [format!("/?after={id}00"), format!("/api/recipes?limit=1&cursor={id}00")] {
            let headers = [("Cookie", session.as_str()), ("X-API-Key", KEY)];
            assert_eq!(api.send("GET", &path, &headers, b"").code, 422, "{path}");
        }
    });
}
