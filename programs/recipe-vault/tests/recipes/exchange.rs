//! Import, export, backup and restore over REST, on every engine.

use serde_json::{Value, json};

use crate::http::{Answer, Api, KEY};
use crate::vault::{Database, cake, each_engine};

const PAGE: &str = r#"<script type="application/ld+json">{"@type":"Recipe","name":"Soup","recipeIngredient":["1 ½ l water"]}</script>"#;

/// A family with an owner's and a viewer's key.
fn family(api: &Api, name: &str) -> (String, String) {
    let family = api.god("POST", "/api/families", &json!({ "name": name })).json();
    let key = |role: &str| {
        let opens = json!({ "for": "family", "family_id": family["id"], "role": role });
        let made = api.god("POST", "/api/keys", &json!({ "opens": opens }));
        made.json()["key"].as_str().unwrap_or_else(|| panic!("{}", made.text())).to_owned()
    };
    (key("owner"), key("viewer"))
}

fn with_key(api: &Api, key: &str, method: &str, path: &str, body: &Value) -> Answer {
    api.with(&[("X-API-Key", key)], method, path, body)
}

#[track_caller]
fn outcome(answer: &Answer) -> (Value, Value) {
    let report = answer.json();
    let entry = &report["recipes"][0];
    (entry["outcome"].clone(), entry["title"].clone())
}

#[test]
fn recipes_come_in_from_text_and_files() {
    each_engine(|database| {
        let api = Api::start(database);
        let (owner, viewer) = family(&api, "One");
        let import = |body: &Value| with_key(&api, &owner, "POST", "/api/import", body);
        let seen = import(&json!({ "text": PAGE, "dry_run": true }));
        assert_eq!(seen.code, 200, "{}", seen.text());
        assert_eq!(seen.json()["recipes"][0]["preview"]["ingredients"][0]["quantity"], 1.5);
        assert_eq!(with_key(&api, &owner, "GET", "/api/recipes", &json!(null)).text(), "[]");
        assert_eq!(outcome(&import(&json!({ "text": PAGE }))), (json!("created"), json!("Soup")));
        assert_eq!(outcome(&import(&json!({ "text": PAGE }))), (json!("skipped"), json!("Soup")));
        let file = api.send(
            "POST",
            "/api/import/file?name=Soup.cook&on_duplicate=rename",
            &[("X-API-Key", &owner)],
            b"Boil @water{1%l}.",
        );
        assert_eq!(outcome(&file), (json!("renamed"), json!("Soup (2)")));
        for (body, status, part) in [
            (json!({}), 422, "one of `url` and `text`"),
            (json!({ "text": "Hello" }), 422, "no recipe was found"),
            (json!({ "url": "http://127.0.0.1:9/" }), 422, "127.0.0.1"),
            (json!({ "url": "file:///etc/passwd" }), 422, "url"),
        ] {
            let answer = import(&body);
            assert_eq!(answer.code, status, "{body}: {}", answer.text());
            assert!(answer.text().contains(part), "{body}: {}", answer.text());
        }
        let read_only = with_key(&api, &viewer, "POST", "/api/import", &json!({ "text": PAGE }));
        assert_eq!(read_only.code, 403);
        let bad = api.send("POST", "/api/import/file", &[("X-API-Key", &owner)], b"PK\x03\x04 and no more");
        assert_eq!(bad.code, 422, "{}", bad.text());
    });
}

#[test]
fn a_recipe_goes_out_as_a_file() {
    each_engine(|database| {
        let api = Api::start(database);
        let made = api.god("POST", "/api/recipes", &cake()).json();
        let export = |query: &str| {
            let id = made["id"].as_str().expect("an id");
            api.god("GET", &format!("/api/recipes/{id}/export{query}"), &json!(null))
        };
        let linked = export("");
        assert_eq!(linked.header("content-type"), Some("application/ld+json"));
        assert_eq!(linked.json()["name"], "Chocolate Cake");
        let cooklang = export("?format=cooklang");
        assert!(cooklang.text().contains("title: Chocolate Cake"), "{}", cooklang.text());
        let name = cooklang.header("content-disposition").unwrap_or_default().to_owned();
        assert!(name.ends_with("Chocolate%20Cake.cook"), "{name}");
        assert_eq!(export("?format=pdf").code, 422);
    });
}

#[test]
fn a_backup_of_a_family_goes_back_into_it_and_into_another_engine() {
    let (small, large) = (Database::sqlite(), Database::postgres());
    let (first, second) = (Api::start(&small), Api::start(&large));
    let (owner, viewer) = family(&first, "One");
    let (stranger, _) = family(&first, "Two");
    let made = with_key(&first, &owner, "POST", "/api/recipes", &cake()).json();
    with_key(&first, &stranger, "POST", "/api/recipes", &json!({ "title": "Theirs" }));
    let backup = with_key(&first, &owner, "GET", "/api/backup", &json!(null));
    assert_eq!(backup.header("content-type"), Some("application/zip"), "{}", backup.text());
    let archive = unchunked(&backup);

    let restore = |api: &Api, key: &str, query: &str, bytes: &[u8]| {
        api.send("POST", &format!("/api/restore{query}"), &[("X-API-Key", key)], bytes)
    };
    assert_eq!(restore(&first, &viewer, "", &archive).code, 403);
    assert_eq!(restore(&first, &owner, "", b"PK\x03\x04").code, 422);
    assert_eq!(restore(&first, &owner, "?on_conflict=perhaps", &archive).code, 422);

    let path = format!("/api/recipes/{}", made["id"].as_str().expect("an id"));
    with_key(&first, &owner, "PATCH", &path, &json!({ "description": "Changed" }));
    let kept = restore(&first, &owner, "", &archive).json();
    assert_eq!(kept["written"], 0, "{kept}");
    let read = |api: &Api, key: &str| with_key(api, key, "GET", &path, &json!(null)).json();
    assert_eq!(read(&first, &owner)["description"], "Changed");
    let replaced = restore(&first, &owner, "?on_conflict=replace", &archive).json();
    assert_eq!(replaced["written"], 1, "{replaced}");
    assert_eq!(read(&first, &owner)["description"], made["description"]);

    let moved = restore(&second, KEY, "", &archive);
    assert_eq!(moved.code, 200, "{}", moved.text());
    assert_eq!(read(&second, KEY)["ingredients"], made["ingredients"]);
    let titles = second.god("GET", "/api/recipes", &json!(null)).text();
    assert!(!titles.contains("Theirs"), "{titles}");
}

/// The bytes of a body that came in chunks.
fn unchunked(answer: &Answer) -> Vec<u8> {
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"), "{}", answer.head);
    let (mut whole, mut rest) = (Vec::new(), answer.body.as_slice());
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").expect("the length of a chunk");
        let length = std::str::from_utf8(&rest[..end]).expect("text");
        let length = usize::from_str_radix(length, 16).expect("a length");
        rest = &rest[end + 2..];
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&rest[..length]);
        rest = &rest[length + 2..];
    }
}
