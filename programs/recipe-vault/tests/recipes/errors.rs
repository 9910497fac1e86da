//! Error Handling and Error Codes.

use serde_json::{Value, json};

use crate::vault::{Folder, UNKNOWN, Vault, cake, command, each_engine};

fn on_an_inaccessible_database() -> Vault {
    let folder = Folder::new();
    std::fs::write(folder.0.join("file"), b"").expect("a file");
    let url = format!("sqlite://{}/file/recipes.db", folder.0.display());
    Vault { client: mcp_testkit::Client::process(&mut command(&url, &folder)) }
}

#[test]
fn database_connection_error() {
    let mut vault = on_an_inaccessible_database();
    for (tool, arguments) in [
        ("list_recipes", json!({})),
        ("get_recipe", json!({ "recipe_id": UNKNOWN })),
        ("create_recipe", cake()),
        ("update_recipe", json!({ "recipe_id": UNKNOWN })),
        ("delete_recipe", json!({ "recipe_id": UNKNOWN })),
        ("search_recipes", json!({ "query": "cake" })),
        ("get_meal_plan", json!({})),
        ("get_shopping_list", json!({})),
    ] {
        vault.fails(tool, arguments, -32603, &["database unavailable"]);
    }
}

#[test]
fn a_database_that_comes_back_is_used_again() {
    let folder = Folder::new();
    let place = folder.0.join("later");
    let url = format!("sqlite://{}/recipes.db", place.display());
    let mut vault = Vault { client: mcp_testkit::Client::process(&mut command(&url, &folder)) };
    vault.fails("list_recipes", json!({}), -32603, &["database unavailable"]);
    std::fs::create_dir(place).expect("a folder");
    assert!(vault.titles().is_empty());
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let folder = Folder::new();
    let path = folder.0.join("recipes.db");
    std::fs::write(&path, "not a database, and longer than its header would be".repeat(20)).expect("a file");
    let url = format!("sqlite://{}", path.display());
    let mut vault = Vault { client: mcp_testkit::Client::process(&mut command(&url, &folder)) };
    vault.fails("list_recipes", json!({}), -32603, &["database unavailable", "not a database"]);
    assert!(std::fs::read_to_string(path).expect("the file").starts_with("not a database"));
}

#[test]
fn transaction_rollback() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.create(cake());
        let before = vault.call("list_recipes", json!({}));
        let mut again = cake();
        again["tags"] = json!(["left behind"]);
        again["ingredients"] = json!([{ "name": "unobtainium" }]);
        vault.fails("create_recipe", again, -32002, &["Chocolate Cake", "already exists"]);
        assert_eq!(vault.call("list_recipes", json!({})), before);
        for query in ["unobtainium", "left behind"] {
            assert_eq!(vault.call("search_recipes", json!({ "query": query }))["recipes"], json!([]));
        }
    });
}

/// What comes back for a line that is no request.
fn code_of(line: &str) -> Value {
    let mut code = Value::Null;
    let seen = std::cell::RefCell::new(&mut code);
    each_engine(|database| {
        let mut vault = database.god();
        vault.client.send(line);
        **seen.borrow_mut() = vault.client.receive()["error"]["code"].clone();
        assert!(vault.titles().is_empty());
    });
    code
}

#[test]
fn parse_error() {
    assert_eq!(code_of("{\"jsonrpc\": \"2.0\", "), -32700);
}

#[test]
fn invalid_request() {
    assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":1}"#), -32600);
    assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), -32600);
}

#[test]
fn method_not_found() {
    assert_eq!(code_of(r#"{"jsonrpc":"2.0","id":1,"method":"recipes/cook"}"#), -32601);
    each_engine(|database| {
        database.god().fails("bake_recipe", json!({}), -32601, &["bake_recipe"]);
    });
}

#[test]
fn invalid_params() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.fails("create_recipe", json!({ "title": 7 }), -32602, &["title"]);
        vault.fails("get_recipe", json!({}), -32602, &["recipe_id"]);
    });
}

#[test]
fn internal_error() {
    on_an_inaccessible_database().fails("list_recipes", json!({}), -32603, &["database"]);
}

#[test]
fn not_found() {
    each_engine(|database| {
        let mut vault = database.god();
        for tool in
            ["get_recipe", "update_recipe", "delete_recipe", "mark_cooked", "tag_recipe", "share_recipe"]
        {
            vault.fails(tool, json!({ "recipe_id": UNKNOWN }), -32001, &["not found", UNKNOWN]);
        }
    });
}

#[test]
fn conflict() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.create(cake());
        vault.fails("create_recipe", cake(), -32002, &["already exists"]);
        let other = vault.create(json!({ "title": "Other" }));
        let rename = json!({ "recipe_id": other["id"], "title": "CHOCOLATE cake" });
        vault.fails("update_recipe", rename, -32002, &["already exists"]);
    });
}

#[test]
fn the_tools_reuse_the_rules_of_the_recipe_domain() {
    each_engine(|database| {
        let mut vault = database.god();
        let made = vault.create(cake());
        for (field, value) in [("title", json!("")), ("difficulty", json!(9)), ("servings", json!(-5))] {
            let (mut create, mut update) = (json!({ "title": "New" }), json!({ "recipe_id": made["id"] }));
            create[field] = value.clone();
            update[field] = value;
            let (one, other) = (vault.error("create_recipe", create), vault.error("update_recipe", update));
            assert_eq!(one, other);
        }
    });
}
