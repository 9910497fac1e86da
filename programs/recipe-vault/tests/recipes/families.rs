//! Two families, and what one sees of the other.

use serde_json::{Value, json};

use crate::vault::{PNG, UNKNOWN, Vault, cake, each_engine};

/// Every tool that takes an id, with arguments that would do something.
fn probes(id: &str, picture: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("get_recipe", json!({ "recipe_id": id })),
        ("update_recipe", json!({ "recipe_id": id, "title": "Mine" })),
        ("delete_recipe", json!({ "recipe_id": id })),
        ("scale_recipe", json!({ "recipe_id": id, "servings": 2 })),
        ("tag_recipe", json!({ "recipe_id": id, "add": ["mine"] })),
        ("mark_cooked", json!({ "recipe_id": id })),
        ("share_recipe", json!({ "recipe_id": id })),
        ("set_recipe_photo", json!({ "recipe_id": id, "file_path": picture })),
        ("plan_meals", json!({ "meals": [{ "day": "2026-11-15", "recipe_id": id }] })),
        ("add_to_shopping_list", json!({ "recipe_id": id })),
        ("export_recipe", json!({ "recipe_id": id })),
    ]
}

fn other_ids(id: &str) -> Vec<(&'static str, Value)> {
    vec![("plan_meals", json!({ "remove": [id] })), ("check_shopping_items", json!({ "items": [id] }))]
}

#[track_caller]
fn same_as_unknown(vault: &mut Vault, id: &str, probes: impl Fn(&str) -> Vec<(&'static str, Value)>) {
    for ((tool, foreign), (_, unknown)) in probes(id).into_iter().zip(probes(UNKNOWN)) {
        let (foreign, unknown) = (vault.error(tool, foreign), vault.error(tool, unknown));
        assert_eq!(foreign["code"], -32001, "{tool}: {foreign}");
        assert_eq!(foreign.to_string().replace(id, UNKNOWN), unknown.to_string(), "{tool}");
    }
}

#[test]
fn every_tool_answers_for_anothers_id_as_for_a_random_one() {
    each_engine(|database| {
        let (mut ada, mut bob) = (database.person("ada@example.org"), database.person("bob@example.org"));
        let picture = database.file("a.png", PNG);
        let picture = picture.to_str().expect("a path");
        ada.titles();
        let made = ada.create(cake());
        let id = made["id"].as_str().expect("an id");
        same_as_unknown(&mut bob, id, |id| probes(id, picture));
        let planned = ada.call("plan_meals", json!({ "meals": [{ "day": "2026-11-15", "recipe_id": id }] }));
        let list = ada.call("add_to_shopping_list", json!({ "recipe_id": id }));
        for id in [&planned["planned"][0]["id"], &list["items"][0]["id"]] {
            same_as_unknown(&mut bob, id.as_str().expect("an id"), other_ids);
        }
        assert_eq!(ada.call("get_recipe", json!({ "recipe_id": id })), made);
        let read = |vault: &mut Vault, id: &str| {
            vault.client.request("resources/read", json!({ "uri": format!("recipe://{id}") }))
        };
        let own = read(&mut ada, id)["result"]["contents"][0]["text"].as_str().expect("a text").to_owned();
        assert_eq!(serde_json::from_str::<Value>(&own).expect("JSON"), made);
        let (theirs, nobodys) = (read(&mut bob, id), read(&mut bob, UNKNOWN));
        assert_eq!(theirs["error"].to_string().replace(id, UNKNOWN), nobodys["error"].to_string());
        assert!(theirs["error"]["code"].is_number(), "{theirs}");
        let week = bob.client.request("resources/read", json!({ "uri": "plan://week" }));
        assert_eq!(week["result"]["contents"][0]["text"], "[]", "{week}");
        assert!(bob.titles().is_empty());
        assert_eq!(bob.call("search_recipes", json!({ "query": "cake" }))["recipes"], json!([]));
        bob.create(cake());
    });
}

#[test]
fn without_an_address_every_family_is_in_reach() {
    each_engine(|database| {
        let (mut ada, mut bob) = (database.person("ada@example.org"), database.person("bob@example.org"));
        let mut god = database.god();
        ada.create(json!({ "title": "Ada's" }));
        bob.create(json!({ "title": "Bob's" }));
        god.create(json!({ "title": "Everybody's" }));
        assert_eq!(god.titles(), ["Ada's", "Bob's", "Everybody's"]);
        assert_eq!(ada.titles(), ["Ada's", "Everybody's"]);
        assert_eq!(bob.titles(), ["Bob's"]);
    });
}

#[test]
fn an_address_that_is_none_is_told() {
    each_engine(|database| {
        database.person("ada").fails("list_recipes", json!({}), -32603, &["USER_EMAIL", "`ada`"]);
    });
}
