//! The MCP server as a client of the API: "MCP Client Authentication" and "Optional User Email Configuration".

use std::cell::RefCell;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::http::{Api, KEY, Recorder, remote, remote_command};
use crate::vault::each_engine;

const UNKNOWN: &str = "018f3c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f";

/// The heads that a fake API sees of one call.
fn recorded(variables: &[(&str, &str)]) -> Vec<String> {
    let seen = RefCell::new(Vec::new());
    each_engine(|database| {
        let recorder = Recorder::start();
        let mut vault = remote(database, &format!("http://{}", recorder.address), variables);
        assert_eq!(vault.call("list_recipes", json!({})), json!([]));
        seen.replace(recorder.heads());
    });
    let heads = seen.into_inner();
    assert!(heads.iter().all(|head| head.starts_with("get /api/recipes http/1.1")), "{heads:?}");
    heads
}

/// A family with one member, and its id.
fn family(api: &Api, name: &str, email: &str) -> String {
    let made = api.god("POST", "/api/families", &json!({ "name": name }));
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/families/{id}/members/{email}");
    assert_eq!(api.god("PUT", &path, &json!({ "role": "editor" })).code, 200);
    id
}

#[test]
fn mcp_request_includes_api_key() {
    let heads = recorded(&[("API_KEY", "k-1")]);
    assert!(heads[0].contains("x-api-key: k-1\r\n"), "{heads:?}");
}

#[test]
fn mcp_request_includes_user_email_for_scoping() {
    let heads = recorded(&[("API_KEY", "k-1"), ("USER_EMAIL", "ada@example.org")]);
    assert!(heads[0].contains("x-api-key: k-1\r\n"), "{heads:?}");
    assert!(heads[0].contains("x-user-email: ada@example.org\r\n"), "{heads:?}");
    each_engine(|database| {
        let api = Api::start(database);
        family(&api, "Ada's", "ada@example.org");
        family(&api, "Bob's", "bob@example.org");
        let mut ada = remote(database, &api.url(), &[("API_KEY", KEY), ("USER_EMAIL", "ada@example.org")]);
        let mut bob = remote(database, &api.url(), &[("API_KEY", KEY), ("USER_EMAIL", "bob@example.org")]);
        let soup = ada.call("create_recipe", json!({ "title": "Soup", "description": "Hot" }));
        assert_eq!(soup["created_by"], "ada@example.org");
        assert_eq!(bob.call("list_recipes", json!({})), json!([]));
        let foreign = bob.error("get_recipe", json!({ "recipe_id": soup["id"] }));
        assert_eq!(foreign["code"], -32001);
    });
}

#[test]
fn mcp_request_without_user_email_god_mode() {
    let heads = recorded(&[("API_KEY", "k-1")]);
    assert!(!heads[0].contains("x-user-email"), "{heads:?}");
    each_engine(|database| {
        let api = Api::start(database);
        family(&api, "Ada's", "ada@example.org");
        let mut ada = remote(database, &api.url(), &[("API_KEY", KEY), ("USER_EMAIL", "ada@example.org")]);
        let soup = ada.call("create_recipe", json!({ "title": "Soup", "description": "Hot" }));
        let mut god = remote(database, &api.url(), &[("API_KEY", KEY)]);
        let list = god.call("list_recipes", json!({}));
        assert_eq!(list[0]["id"], soup["id"]);
        let changed = god.call("update_recipe", json!({ "recipe_id": soup["id"], "difficulty": 2 }));
        assert_eq!(changed["difficulty"], 2);
    });
}

#[test]
fn mcp_server_missing_api_key() {
    each_engine(|database| {
        let mut command = remote_command(database, "http://127.0.0.1:9", &[]);
        let process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let output = process.expect("it starts").wait_with_output().expect("it ends");
        let warning = String::from_utf8(output.stderr).expect("text");
        assert!(warning.contains("warning") && warning.contains("API_KEY"), "{warning}");
        let api = Api::start(database);
        let refused = remote(database, &api.url(), &[]).error("list_recipes", json!({}));
        assert_eq!(refused["code"], -32603);
        assert!(refused["message"].as_str().is_some_and(|text| text.contains("401")), "{refused}");
    });
}

#[test]
fn every_request_to_the_api_carries_the_key() {
    each_engine(|database| {
        let recorder = Recorder::start();
        let url = format!("http://{}", recorder.address);
        let mut vault = remote(database, &url, &[("API_KEY", "k-1")]);
        let id = json!({ "recipe_id": UNKNOWN });
        for (tool, arguments) in [
            ("list_recipes", json!({})),
            ("get_recipe", id.clone()),
            ("create_recipe", json!({ "title": "Soup" })),
            ("update_recipe", json!({ "recipe_id": UNKNOWN, "difficulty": 3 })),
            ("search_recipes", json!({ "query": "soup" })),
            ("mark_cooked", id.clone()),
            ("share_recipe", id),
            ("get_meal_plan", json!({ "from": "2026-11-15" })),
            ("get_shopping_list", json!({})),
        ] {
            let before = recorder.heads().len();
            let _ = vault.client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
            let heads = recorder.heads();
            assert!(heads.len() > before, "{tool} asked nothing");
            assert!(
                heads[before..].iter().all(|head| head.contains("x-api-key: k-1\r\n")),
                "{tool}: {heads:?}"
            );
        }
        let heads = recorder.heads();
        let created = heads.iter().find(|head| head.starts_with("post /api/recipes ")).expect("a creation");
        assert!(created.contains("idempotency-key: "), "{created}");
    });
}

#[test]
fn user_email_configured() {
    let heads = recorded(&[("API_KEY", "k-1"), ("USER_EMAIL", "Ada@Example.org")]);
    assert!(heads.iter().all(|head| head.contains("x-user-email: ada@example.org\r\n")), "{heads:?}");
}

#[test]
fn user_email_not_configured() {
    each_engine(|database| {
        let mut command = remote_command(database, "http://127.0.0.1:9", &[("API_KEY", "k-1")]);
        let process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let output = process.expect("it starts").wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8(output.stderr).expect("text"), "", "no warning");
    });
}

/// The API may come later, go away and come back; each call says how it is.
#[test]
fn an_api_that_is_down_is_said_per_call_and_used_again_when_it_is_back() {
    each_engine(|database| {
        let api = Api::start(database);
        let port = api.address.port().to_string();
        let mut vault = remote(database, &api.url(), &[("API_KEY", KEY)]);
        vault.call("create_recipe", json!({ "title": "Soup" }));
        drop(api);
        let down = vault.error("list_recipes", json!({}));
        assert_eq!(down["code"], -32603);
        assert!(down["message"].as_str().is_some_and(|text| text.contains("API unreachable at")), "{down}");
        let _api = Api::start_at(database, &port);
        assert_eq!(vault.call("list_recipes", json!({}))[0]["title"], "Soup");
    });
}

/// What the store says through the API is what it says itself.
#[test]
fn errors_keep_their_codes_through_the_api() {
    each_engine(|database| {
        let api = Api::start(database);
        let mut vault = remote(database, &api.url(), &[("API_KEY", KEY)]);
        let soup = vault.call("create_recipe", json!({ "title": "Soup" }));
        let code = |error: &Value| error["code"].as_i64();
        let taken = vault.error("create_recipe", json!({ "title": " SOUP " }));
        assert_eq!((code(&taken), &taken["data"]["existing_id"]), (Some(-32002), &soup["id"]));
        assert!(taken["message"].as_str().is_some_and(|text| text.contains("already exists")), "{taken}");
        let missing = vault.error("get_recipe", json!({ "recipe_id": UNKNOWN }));
        assert_eq!(missing["message"], format!("Recipe not found: {UNKNOWN}"));
        assert_eq!(code(&missing), Some(-32001));
        let stale = json!({ "recipe_id": soup["id"], "difficulty": 1, "expected_version": 7 });
        assert_eq!(vault.error("update_recipe", stale)["data"]["version"], 1);
        for walk in [format!("../recipes/{UNKNOWN}"), format!("{UNKNOWN}/photo")] {
            assert_eq!(
                code(&vault.error("get_recipe", json!({ "recipe_id": walk }))),
                Some(-32602),
                "{walk}"
            );
        }
    });
}
