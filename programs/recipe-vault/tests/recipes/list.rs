//! List Recipes via MCP.

use serde_json::json;

use crate::vault::{cake, each_engine};

#[test]
fn list_all_recipes() {
    each_engine(|database| {
        let mut vault = database.god();
        let made =
            [vault.create(cake()), vault.create(json!({ "title": "Apple Pie", "description": "Warm" }))];
        let list = vault.call("list_recipes", json!({}));
        let list = list.as_array().expect("an array");
        assert_eq!(list.len(), 2);
        for (entry, made) in list.iter().zip(made.iter().rev()) {
            for field in ["id", "title", "description"] {
                assert_eq!(entry[field], made[field]);
            }
            assert!(entry.get("ingredients").is_none());
        }
    });
}

#[test]
fn list_recipes_from_empty_database() {
    each_engine(|database| {
        let mut vault = database.god();
        assert_eq!(vault.call("list_recipes", json!({})), json!([]));
        let answer = vault.client.request("tools/call", json!({ "name": "list_recipes" }));
        assert_eq!(answer["result"]["content"], json!([{ "type": "text", "text": "[]" }]));
        assert_ne!(answer["result"]["isError"], true);
    });
}

#[test]
fn pages_are_followed_by_a_cursor() {
    each_engine(|database| {
        let mut vault = database.god();
        for title in ["A", "B", "C"] {
            vault.create(json!({ "title": title }));
        }
        let call = json!({ "name": "list_recipes", "arguments": { "limit": 2 } });
        let first = vault.client.request("tools/call", call);
        let next = first["result"]["content"][1]["text"].as_str().expect("a cursor");
        let next: serde_json::Value = serde_json::from_str(next).expect("JSON");
        let rest = vault.call("list_recipes", json!({ "limit": 2, "cursor": next["next_cursor"] }));
        assert_eq!(rest[0]["title"], "C");
        vault.fails("list_recipes", json!({ "cursor": "nonsense" }), -32602, &["cursor"]);
        vault.fails("list_recipes", json!({ "limit": 0 }), -32602, &["limit", "1-1000"]);
    });
}
