//! The REST API through a real socket.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::http::{Api, KEY};
use crate::vault::{PNG, each_engine};

const UNKNOWN: &str = "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";

/// A family, its id and a key of an owner.
fn family(api: &Api, name: &str) -> (String, String) {
    let made = api.god("POST", "/api/families", &json!({ "name": name }));
    assert_eq!(made.code, 201, "{made:?}");
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let opens = json!({ "for": "family", "family_id": id, "role": "owner" });
    let key = api.god("POST", "/api/keys", &json!({ "label": name, "opens": opens }));
    assert_eq!(key.code, 201, "{key:?}");
    (id, key.json()["key"].as_str().expect("a key").to_owned())
}

#[test]
fn nobody_gets_in_without_a_key() {
    each_engine(|database| {
        let api = Api::start(database);
        for headers in [
            &[][..],
            &[("X-API-Key", "wrong")],
            &[("X-API-Key", "rv_018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f_00")],
            &[("X-User-Email", "ada@example.org")],
            &[("Cf-Access-Authenticated-User-Email", "ada@example.org")],
            &[("Remote-User", "ada@example.org"), ("X-Forwarded-User", "ada@example.org")],
        ] {
            let refused = api.with(headers, "GET", "/api/recipes", &Value::Null);
            assert_eq!(
                (refused.code, &refused.json()["error"]["code"]),
                (401, &json!("unauthorized")),
                "{headers:?}"
            );
        }
        assert_eq!(api.god("GET", "/api/recipes", &Value::Null).code, 200);
    });
}

#[test]
fn an_address_only_narrows() {
    each_engine(|database| {
        let api = Api::start(database);
        let (ada, key) = family(&api, "Ada's");
        let (bob, _) = family(&api, "Bob's");
        for (id, email) in [(&ada, "ada@example.org"), (&bob, "bob@example.org")] {
            let path = format!("/api/families/{id}/members/{email}");
            assert_eq!(api.god("PUT", &path, &json!({ "role": "viewer" })).code, 200);
        }
        let code = |key: &str, email: &str, method: &str| {
            let headers = [("X-API-Key", key), ("X-User-Email", email)];
            let body = if method == "POST" { json!({ "title": "x" }) } else { Value::Null };
            api.with(&headers, method, "/api/recipes", &body).code
        };
        assert_eq!(code(&key, "ada@example.org", "GET"), 200);
        assert_eq!(
            code(&key, "ada@example.org", "POST"),
            403,
            "an owner's key is no more than the person it is used for"
        );
        assert_eq!(code(&key, "bob@example.org", "GET"), 403, "a member of another family");
        assert_eq!(code(KEY, "nobody@example.org", "GET"), 403, "unknown");
        assert_eq!(code(KEY, "bob@example.org", "GET"), 200);
        assert_eq!(code(KEY, "not an address", "GET"), 422);
    });
}

#[test]
fn a_recipe_is_made_read_changed_and_deleted() {
    each_engine(|database| {
        let api = Api::start(database);
        let draft = json!({ "title": "Soup", "servings": 4, "ingredients": [{ "name": "water", "quantity": 1, "unit": "l" }],
                            "steps": [{ "instruction": "Boil." }], "tags": ["quick"] });
        let made = api.god("POST", "/api/recipes", &draft);
        assert_eq!((made.code, made.header("etag")), (201, Some("\"1\"")), "{made:?}");
        let id = made.json()["id"].as_str().expect("an id").to_owned();
        let path = format!("/api/recipes/{id}");
        assert_eq!(made.header("location"), Some(path.as_str()));
        let changed = api.god("PUT", &path, &json!({ "difficulty": 2, "servings": null }));
        let recipe = changed.json();
        assert_eq!(
            (changed.code, &recipe["difficulty"], &recipe["servings"]),
            (200, &json!(2), &Value::Null)
        );
        assert_eq!((&recipe["title"], &recipe["ingredients"][0]["name"]), (&json!("Soup"), &json!("water")));
        let old = [("X-API-Key", KEY), ("If-Match", "\"1\"")];
        let stale = api.with(&old, "PATCH", &path, &json!({ "title": "Broth" }));
        assert_eq!((stale.code, &stale.json()["error"]["version"]), (412, &json!(2)));
        let now = [("X-API-Key", KEY), ("If-Match", "\"2\"")];
        assert_eq!(api.with(&now, "PATCH", &path, &json!({ "title": "Broth" })).json()["title"], "Broth");
        assert_eq!(api.god("GET", "/api/tags", &Value::Null).json()[0]["tag"], "quick");
        assert_eq!(api.god("GET", "/api/search?query=wat", &Value::Null).json()["hits"][0]["id"], id);
        assert_eq!(api.god("POST", &format!("{path}/cooked"), &Value::Null).json()["times_cooked"], 1);
        assert_eq!(api.god("DELETE", &path, &Value::Null).code, 204);
        assert_eq!(api.god("GET", &path, &Value::Null).code, 404);
        assert_eq!(api.god("POST", &format!("{path}/undelete"), &Value::Null).code, 200);
    });
}

#[test]
fn problems_have_one_shape_and_name_the_field() {
    each_engine(|database| {
        let api = Api::start(database);
        for (method, path, body, code, field) in [
            ("POST", "/api/recipes", json!({}), 422, "title"),
            ("POST", "/api/recipes", json!({ "title": "a", "servings": -5 }), 422, "servings"),
            ("POST", "/api/recipes", json!({ "title": "a", "steps": [{}] }), 422, "steps[0].instruction"),
            ("GET", "/api/recipes/not-a-uuid", Value::Null, 422, "id"),
            ("GET", "/api/recipes?limit=0", Value::Null, 422, "limit"),
            ("GET", "/api/recipes?cursor=x", Value::Null, 422, "cursor"),
            ("GET", "/api/plan?from=tomorrow", Value::Null, 422, "from"),
        ] {
            let refused = api.god(method, path, &body);
            let problem = &refused.json()["error"];
            assert_eq!(
                (refused.code, &problem["fields"][0]["field"]),
                (code, &json!(field)),
                "{path} {refused:?}"
            );
            assert!(problem["message"].as_str().is_some_and(|text| text.contains(field)), "{problem}");
        }
        let nowhere = json!({ "for": "family", "family_id": UNKNOWN, "role": "owner" });
        assert_eq!(api.god("POST", "/api/keys", &json!({ "opens": nowhere })).code, 404);
        for (method, path, code) in [
            ("GET", "/api/nothing", 404),
            ("DELETE", "/api/recipes", 405),
            ("GET", &format!("/api/recipes/{UNKNOWN}"), 404),
        ] {
            let refused = api.god(method, path, &Value::Null);
            assert_eq!(refused.code, code, "{path}");
            assert!(refused.json()["error"]["code"].is_string(), "{refused:?}");
        }
        let text = [("X-API-Key", KEY), ("Content-Type", "text/plain")];
        assert_eq!(api.send("POST", "/api/recipes", &text, b"{}").code, 415);
        let json = [("X-API-Key", KEY), ("Content-Type", "application/json")];
        assert_eq!(api.send("POST", "/api/recipes", &json, b"{").code, 400);
    });
}

/// A method and a path without the ids in it.
fn shape(method: &str, path: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "ID" | "{id}" | "L" | "{name}" | "eve@example.org" | "{email}" | UNKNOWN | "{photo}" => "*",
        other => other,
    });
    format!("{} {}", method.to_uppercase(), parts.collect::<Vec<_>>().join("/"))
}

/// Another family's things are answered as things that never were: same status, same bytes.
#[test]
fn another_familys_things_do_not_exist() {
    each_engine(|database| {
        let api = Api::start(database);
        let ((ada_family, ada), (_, bob)) = (family(&api, "Ada's"), family(&api, "Bob's"));
        let ada = [("X-API-Key", ada.as_str())];
        let bob = [("X-API-Key", bob.as_str())];
        let soup = api.with(&ada, "POST", "/api/recipes", &json!({ "title": "Soup" })).json();
        let recipe = soup["id"].as_str().expect("an id").to_owned();
        let share = api.with(&ada, "POST", &format!("/api/recipes/{recipe}/shares"), &Value::Null).json();
        let meal = api
            .with(&ada, "POST", "/api/plan", &json!({ "meals": [{ "day": "2026-11-15", "text": "x" }] }))
            .json();
        let item = api
            .with(&ada, "POST", "/api/shopping-lists/L/items", &json!({ "items": [{ "name": "x" }] }))
            .json();
        let key = api.with(&ada, "GET", "/api/keys", &Value::Null).json();
        let id = |value: &Value| value.as_str().expect("an id").to_owned();
        let probes = [
            ("GET", "/api/recipes/ID", &recipe, Value::Null),
            ("PUT", "/api/recipes/ID", &recipe, json!({ "difficulty": 1 })),
            ("PATCH", "/api/recipes/ID", &recipe, json!({ "difficulty": 1, "expected_version": 9 })),
            ("DELETE", "/api/recipes/ID", &recipe, Value::Null),
            ("POST", "/api/recipes/ID/cooked", &recipe, Value::Null),
            ("POST", "/api/recipes/ID/undelete", &recipe, Value::Null),
            ("POST", "/api/recipes/ID/tags", &recipe, json!({ "add": ["x"] })),
            ("GET", "/api/recipes/ID/photo", &recipe, Value::Null),
            ("DELETE", "/api/recipes/ID/photo", &recipe, Value::Null),
            ("GET", "/api/recipes/ID/shares", &recipe, Value::Null),
            ("POST", "/api/recipes/ID/shares", &recipe, Value::Null),
            ("POST", "/api/recipes/ID/share", &recipe, Value::Null),
            ("GET", "/api/recipes/ID/export", &recipe, Value::Null),
            ("PUT", "/api/recipes/ID/photo", &recipe, json!("a picture")),
            ("POST", "/api/recipes/ID/photo", &recipe, json!("a picture")),
            ("POST", "/api/recipes/ID/photos", &recipe, json!("a picture")),
            ("GET", &format!("/api/recipes/ID/photos/{UNKNOWN}"), &recipe, Value::Null),
            ("PUT", &format!("/api/recipes/ID/photos/{UNKNOWN}"), &recipe, json!({ "cover": true })),
            ("DELETE", &format!("/api/recipes/ID/photos/{UNKNOWN}"), &recipe, Value::Null),
            ("POST", "/api/plan", &recipe, json!({ "meals": [{ "day": "2026-11-15", "recipe_id": "ID" }] })),
            ("POST", "/api/plan/remove", &id(&meal[0]["id"]), json!({ "meals": ["ID"] })),
            ("POST", "/api/shopping-lists/L/check", &id(&item["items"][0]["id"]), json!({ "items": ["ID"] })),
            (
                "POST",
                "/api/shopping-lists/L/remove",
                &id(&item["items"][0]["id"]),
                json!({ "items": ["ID"] }),
            ),
            ("PUT", "/api/recipes/ID/favourite", &recipe, Value::Null),
            ("DELETE", "/api/recipes/ID/favourite", &recipe, Value::Null),
            ("DELETE", "/api/families/ID", &ada_family, Value::Null),
            ("DELETE", "/api/families/ID/members/eve@example.org", &ada_family, Value::Null),
            ("DELETE", "/api/shares/ID", &id(&share["id"]), Value::Null),
            ("DELETE", "/api/plan/ID", &id(&meal[0]["id"]), Value::Null),
            ("DELETE", "/api/shopping-lists/L/items/ID", &id(&item["items"][0]["id"]), Value::Null),
            ("DELETE", "/api/keys/ID", &id(&key[0]["id"]), Value::Null),
            ("GET", "/api/families/ID/members", &ada_family, Value::Null),
            ("PATCH", "/api/families/ID", &ada_family, json!({ "name": "Bob's now" })),
            ("PUT", "/api/families/ID/members/eve@example.org", &ada_family, json!({ "role": "owner" })),
        ];
        for (method, path, ours, body) in &probes {
            let ask = |id: &str| {
                let (path, body) = (path.replace("ID", id), body.to_string().replace("ID", id));
                // What is not a picture would be refused before anybody looks whose recipe it is.
                let body = if (path.ends_with("/photo") || path.ends_with("/photos")) && *method != "GET" {
                    PNG.to_vec()
                } else {
                    body.into_bytes()
                };
                let body = if body == b"null" { Vec::new() } else { body };
                let headers = [bob[0], ("Content-Type", "application/json")];
                api.send(method, &path, &headers, &body)
            };
            let (theirs, nobodys) = (ask(ours), ask(UNKNOWN));
            assert!(matches!(theirs.code, 403 | 404), "{method} {path}: {}", theirs.text());
            assert_eq!(theirs.code, nobodys.code, "{method} {path}");
            assert_eq!(theirs.text().replace(ours.as_str(), UNKNOWN), nobodys.text(), "{method} {path}");
        }
        let tried: Vec<String> = probes.iter().map(|(method, path, ..)| shape(method, path)).collect();
        let document = api.send("GET", "/api/openapi.json", &[], b"").json();
        for (path, methods) in document["paths"].as_object().expect("paths") {
            for method in methods.as_object().expect("methods").keys().filter(|_| path.contains("{id}")) {
                let asked = shape(method, &format!("/api{path}"));
                assert!(tried.contains(&asked), "no probe for {asked}");
            }
        }
        for id in [recipe.as_str(), UNKNOWN] {
            // A thing to buy may be for no recipe; one that is not ours is none.
            let added = json!({ "items": [{ "name": "x", "recipe_id": id }] });
            let list = api.with(&bob, "POST", "/api/shopping-lists/L/items", &added);
            assert_eq!((list.code, list.text().contains("recipe_id")), (200, false), "{}", list.text());
        }
        let same = api.with(&bob, "POST", "/api/recipes", &json!({ "title": "Soup" }));
        assert_eq!(same.code, 201, "another family's titles are free");
        let first = api.with(&ada, "GET", &format!("/api/recipes/{recipe}"), &Value::Null).json();
        assert_eq!(first["version"], 1, "nothing was changed");
    });
}

#[test]
fn an_unchanged_list_is_not_sent_again() {
    each_engine(|database| {
        let api = Api::start(database);
        for title in ["C", "a", "B"] {
            assert_eq!(api.god("POST", "/api/recipes", &json!({ "title": title })).code, 201);
        }
        let list = api.god("GET", "/api/recipes", &Value::Null);
        let titles: Vec<_> =
            list.json().as_array().expect("a list").iter().map(|r| r["title"].clone()).collect();
        assert_eq!(titles, ["a", "B", "C"]);
        let tag = list.header("etag").expect("a tag").to_owned();
        let known = [("X-API-Key", KEY), ("If-None-Match", tag.as_str())];
        let again = api.with(&known, "GET", "/api/recipes", &Value::Null);
        assert_eq!((again.code, again.body.len()), (304, 0));
        let first = api.god("GET", "/api/recipes?limit=2", &Value::Null);
        let cursor = first.header("x-next-cursor").expect("more");
        let rest = api.god("GET", &format!("/api/recipes?limit=2&cursor={cursor}"), &Value::Null);
        assert_eq!((&rest.json()[0]["title"], rest.header("x-next-cursor")), (&json!("C"), None));
        api.god("POST", "/api/recipes", &json!({ "title": "D" }));
        assert_eq!(api.with(&known, "GET", "/api/recipes", &Value::Null).code, 200);
    });
}

#[test]
fn a_creation_that_is_sent_twice_happens_once() {
    each_engine(|database| {
        let api = Api::start(database);
        let keyed = [("X-API-Key", KEY), ("Idempotency-Key", "7")];
        let one = api.with(&keyed, "POST", "/api/recipes", &json!({ "title": "Soup" }));
        let two = api.with(&keyed, "POST", "/api/recipes", &json!({ "title": "Soup" }));
        assert_eq!((one.code, two.code, &one.json()["id"]), (201, 201, &two.json()["id"]));
        let other = api.god("POST", "/api/recipes", &json!({ "title": "soup" }));
        assert_eq!((other.code, &other.json()["error"]["existing_id"]), (409, &one.json()["id"]));
    });
}

#[test]
fn of_fifty_who_want_one_title_one_gets_it() {
    each_engine(|database| {
        let api = Arc::new(Api::start(database));
        let asking = (0..50).map(|_| {
            let api = Arc::clone(&api);
            std::thread::spawn(move || api.god("POST", "/api/recipes", &json!({ "title": "Soup" })).code)
        });
        let asking: Vec<_> = asking.collect();
        let mut codes: Vec<u16> = asking.into_iter().map(|asked| asked.join().expect("an answer")).collect();
        codes.sort_unstable();
        assert_eq!(codes[0], 201);
        assert!(codes[1..].iter().all(|code| *code == 409), "{codes:?}");
    });
}

#[test]
fn photos_are_pictures_and_links_show_one_recipe() {
    each_engine(|database| {
        let api = Api::start(database);
        let recipe = api.god("POST", "/api/recipes", &json!({ "title": "Soup" })).json();
        let path = format!("/api/recipes/{}/photo", recipe["id"].as_str().expect("an id"));
        let png = PNG.to_vec();
        let key = [("X-API-Key", KEY)];
        assert_eq!(api.send("PUT", &path, &key, b"<svg onload=alert(1)>").code, 422);
        assert_eq!(api.send("PUT", &path, &key, &vec![0xff; 25 * 1024 * 1024 + 1]).code, 413);
        assert_eq!(api.send("PUT", &path, &key, &png).code, 200);
        let form = [
            b"--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n\r\n".as_slice(),
            &png,
            b"\r\n--b--\r\n",
        ]
        .concat();
        let multipart = [("X-API-Key", KEY), ("Content-Type", "multipart/form-data; boundary=b")];
        assert_eq!(api.send("POST", &path, &multipart, &form).code, 200);
        let shown = api.send("GET", &path, &key, b"");
        assert_eq!((shown.code, shown.header("content-type"), &shown.body), (200, Some("image/png"), &png));
        let link = api.god("POST", &path.replace("photo", "share"), &json!({ "days": 3 })).json();
        let public = link["path"].as_str().expect("a path").to_owned();
        let page = api.send("GET", &public, &[], b"");
        assert_eq!(page.code, 200);
        assert!(page.text().contains("<h1>Soup</h1>"), "{}", page.text());
        assert_eq!(api.send("GET", &format!("{public}/photo"), &[], b"").body, png);
        assert_eq!(api.send("GET", "/share/0000", &[], b"").code, 404);
        let id = link["id"].as_str().expect("an id");
        assert_eq!(api.god("DELETE", &format!("/api/shares/{id}"), &Value::Null).code, 204);
        assert_eq!(api.send("GET", &public, &[], b"").code, 404);
    });
}

#[test]
fn a_recipe_has_photos_of_the_dish_and_of_its_steps() {
    each_engine(|database| {
        let api = Api::start(database);
        let soup =
            json!({ "title": "Soup", "steps": [{ "instruction": "Chop." }, { "instruction": "Boil." }] });
        let recipe = api.god("POST", "/api/recipes", &soup).json();
        let path = format!("/api/recipes/{}", recipe["id"].as_str().expect("an id"));
        let key = [("X-API-Key", KEY)];
        let add = |query: &str| api.send("POST", &format!("{path}/photos{query}"), &key, PNG);
        assert_eq!(add("").code, 200);
        assert_eq!(add("").code, 200);
        let with_step = add("?step=1").json();
        let photos = with_step["photos"].as_array().expect("photos").clone();
        assert_eq!(
            (photos.len(), &photos[2]["step"], &with_step["photo_id"]),
            (3, &json!(1), &photos[0]["id"])
        );
        assert_eq!((add("?step=2").code, add("?step=-1").code, add("?step=x").code), (422, 422, 422));
        let one = |at: usize| format!("{path}/photos/{}", photos[at]["id"].as_str().expect("an id"));
        let shown = api.send("GET", &one(2), &key, b"");
        assert_eq!((shown.code, shown.body.as_slice()), (200, PNG));
        assert_eq!(api.send("GET", &format!("{}?size=small", one(1)), &key, b"").code, 200);
        let moved = api.god("PUT", &one(1), &json!({ "cover": true }));
        assert_eq!((moved.code, &moved.json()["photo_id"]), (200, &photos[1]["id"]));
        assert_eq!(api.god("PUT", &one(1), &json!({ "cover": true, "step": 0 })).code, 422);
        assert_eq!(api.god("PUT", &one(0), &json!({ "step": 1 })).json()["photos"][2]["id"], photos[0]["id"]);
        // Who has a link sees every photo of this recipe, and none of another.
        let public = api.god("POST", &format!("{path}/share"), &json!({})).json()["path"].clone();
        let public = public.as_str().expect("a path").to_owned();
        let other = api.god("POST", "/api/recipes", &json!({ "title": "Toast" })).json();
        let elsewhere = format!("/api/recipes/{}/photo", other["id"].as_str().expect("an id"));
        let elsewhere = api.send("PUT", &elsewhere, &key, PNG).json()["photo_id"].clone();
        let seen = |photo: &Value| {
            let photo = photo.as_str().expect("an id");
            let small = api.send("GET", &format!("{public}/photos/{photo}?size=small"), &[], b"").code;
            let whole = api.send("GET", &format!("{public}/photos/{photo}"), &[], b"").code;
            assert_eq!(small, whole);
            whole
        };
        assert_eq!((seen(&photos[0]["id"]), seen(&photos[2]["id"]), seen(&elsewhere)), (200, 200, 404));
        assert_eq!(api.god("DELETE", &one(2), &Value::Null).code, 200);
        assert_eq!(api.god("DELETE", &one(2), &Value::Null).code, 404);
    });
}
