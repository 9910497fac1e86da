//! Update Recipe via MCP, and `UpdateRecipeParams`.

use serde_json::{Value, json};

use crate::vault::{UNKNOWN, Vault, cake, each_engine};

/// Changes one field and checks that it, the version and the time are all that changed.
#[track_caller]
fn changes(vault: &mut Vault, before: &Value, field: &str, value: Value) -> Value {
    let mut arguments = json!({ "recipe_id": before["id"] });
    arguments[field] = value.clone();
    let after = vault.call("update_recipe", arguments);
    assert!(after["updated_at"].as_str() > before["updated_at"].as_str());
    let mut expected = before.clone();
    expected[field] = value;
    for own in ["updated_at", "version"] {
        expected[own] = after[own].clone();
    }
    assert_eq!(after, expected);
    assert_eq!(vault.call("get_recipe", json!({ "recipe_id": before["id"] })), after);
    after
}

fn refuses(field: &str, values: &[Value], parts: &[&str]) {
    each_engine(|database| {
        let mut vault = database.god();
        let before = vault.create(cake());
        for value in values {
            let mut arguments = json!({ "recipe_id": before["id"], "title": "Changed" });
            arguments[field] = value.clone();
            let parts: Vec<&str> = parts.iter().copied().chain([field]).collect();
            vault.fails("update_recipe", arguments, -32602, &parts);
        }
        assert_eq!(vault.call("get_recipe", json!({ "recipe_id": before["id"] })), before);
    });
}

fn updates(field: &str, values: &[Value]) {
    each_engine(|database| {
        let mut vault = database.god();
        let mut recipe = vault.create(cake());
        for value in values {
            recipe = changes(&mut vault, &recipe, field, value.clone());
        }
    });
}

#[test]
fn update_recipe_difficulty_via_mcp() {
    updates("difficulty", &[json!(5), json!(1)]);
}

#[test]
fn update_multiple_fields_including_difficulty() {
    each_engine(|database| {
        let mut vault = database.god();
        let before = vault.create(cake());
        let arguments = json!({ "recipe_id": before["id"], "title": "Torte", "difficulty": 4 });
        let after = vault.call("update_recipe", arguments);
        let mut expected = before.clone();
        for (field, value) in [("title", json!("Torte")), ("difficulty", json!(4))] {
            expected[field] = value;
        }
        for own in ["updated_at", "version"] {
            expected[own] = after[own].clone();
        }
        assert_eq!(after, expected);
    });
}

#[test]
fn update_recipe_with_invalid_difficulty() {
    refuses("difficulty", &[json!(0), json!(6), json!(-1), json!(2.5), json!("hard")], &["1-5"]);
}

#[test]
fn update_recipe_that_doesnt_exist() {
    each_engine(|database| {
        let arguments = json!({ "recipe_id": UNKNOWN, "difficulty": 3 });
        database.god().fails("update_recipe", arguments, -32001, &["not found", UNKNOWN]);
    });
}

#[test]
fn update_recipe_in_different_family() {
    each_engine(|database| {
        let (mut ada, mut bob) = (database.person("ada@example.org"), database.person("bob@example.org"));
        ada.titles();
        let secret = ada.create(cake());
        let id = secret["id"].as_str().expect("an id");
        let foreign = bob.error("update_recipe", json!({ "recipe_id": id, "title": "Mine" }));
        let unknown = bob.error("update_recipe", json!({ "recipe_id": UNKNOWN, "title": "Mine" }));
        assert_eq!(foreign["code"], -32001);
        assert_eq!(foreign.to_string().replace(id, UNKNOWN), unknown.to_string());
        assert_eq!(ada.call("get_recipe", json!({ "recipe_id": id })), secret);
    });
}

#[test]
fn update_recipe_in_god_mode() {
    each_engine(|database| {
        let (mut ada, mut bob) = (database.person("ada@example.org"), database.person("bob@example.org"));
        let mut god = database.god();
        ada.titles();
        for vault in [&mut ada, &mut bob] {
            let made = vault.create(cake());
            let after = god.call("update_recipe", json!({ "recipe_id": made["id"], "difficulty": 5 }));
            assert_eq!(after["difficulty"], 5);
            assert_eq!(vault.call("get_recipe", json!({ "recipe_id": made["id"] })), after);
        }
    });
}

#[test]
fn recipe_id_is_required_and_a_uuid() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.fails("update_recipe", json!({ "title": "A" }), -32602, &["missing", "recipe_id"]);
        for bad in ["not-a-uuid", "invalid-id", ""] {
            let arguments = json!({ "recipe_id": bad, "title": "A" });
            vault.fails("update_recipe", arguments, -32602, &["recipe_id", "invalid format", "UUID"]);
        }
    });
}

#[test]
fn title_has_1_to_200_characters() {
    refuses("title", &[json!(""), json!("   "), json!("ä".repeat(201)), json!(1)], &[]);
    updates("title", &[json!("ä".repeat(200)), json!("x")]);
}

#[test]
fn description_has_at_most_2000_characters() {
    refuses("description", &[json!("x".repeat(2_001))], &["2000 characters"]);
    updates("description", &[json!("ß".repeat(2_000)), json!("")]);
}

#[test]
fn prep_time_minutes_is_updated() {
    updates("prep_time_minutes", &[json!(0), json!(90)]);
    refuses("prep_time_minutes", &[json!(-1), json!("long")], &[]);
}

#[test]
fn cook_time_minutes_is_updated() {
    updates("cook_time_minutes", &[json!(0), json!(90)]);
    refuses("cook_time_minutes", &[json!(-1), json!(1.5)], &[]);
}

#[test]
fn servings_is_updated() {
    updates("servings", &[json!(1), json!(1_000)]);
    refuses("servings", &[json!(0), json!(-5), json!(1_001)], &["1-1000"]);
}

#[test]
fn difficulty_is_1_to_5() {
    updates("difficulty", &[json!(1), json!(2), json!(3), json!(4), json!(5)]);
    refuses("difficulty", &[json!(0), json!(6)], &["1-5"]);
}

#[test]
fn omitted_fields_stay_unchanged() {
    each_engine(|database| {
        let mut vault = database.god();
        let before = vault.create(cake());
        // Clients send null for what they leave out.
        let arguments = json!({ "recipe_id": before["id"], "title": null, "servings": null, "steps": null });
        let after = vault.call("update_recipe", arguments);
        let mut expected = before.clone();
        for own in ["updated_at", "version"] {
            expected[own] = after[own].clone();
        }
        assert_eq!(after, expected);
        let cleared =
            vault.call("update_recipe", json!({ "recipe_id": before["id"], "clear": ["servings"] }));
        assert_eq!((&cleared["servings"], &cleared["difficulty"]), (&Value::Null, &before["difficulty"]));
    });
}

#[test]
fn a_change_for_an_older_version_is_a_conflict() {
    each_engine(|database| {
        let mut vault = database.god();
        let before = vault.create(cake());
        let arguments = json!({ "recipe_id": before["id"], "difficulty": 1, "expected_version": 1 });
        vault.call("update_recipe", arguments.clone());
        let error = vault.error("update_recipe", arguments);
        assert_eq!((&error["code"], &error["data"]["version"]), (&json!(-32002), &json!(2)));
    });
}
