//! A process that is killed loses nothing it acknowledged.

use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::vault::each_engine;

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    each_engine(|database| {
        let mut acknowledged: Vec<String> = Vec::new();
        for round in 0..3 {
            let mut client = Client::process(&mut database.command());
            for number in 0..200 {
                let title = format!("Recipe {round}-{number}");
                let recipe = json!({ "title": title, "steps": [{ "instruction": "Cook." }] });
                client.start("tools/call", json!({ "name": "create_recipe", "arguments": recipe }));
            }
            for _ in 0..20 {
                acknowledged.push(title_of(&client.receive()));
            }
            let pid = client.pid().expect("a process").to_string();
            let killed = std::process::Command::new("kill").args(["-9", &pid]).status().expect("kill");
            assert!(killed.success());
        }
        let mut vault = database.god();
        let titles = vault.titles();
        for title in &acknowledged {
            assert!(titles.contains(title), "{title} was acknowledged and is gone");
        }
        for entry in vault.call("list_recipes", json!({})).as_array().expect("an array") {
            let recipe = vault.call("get_recipe", json!({ "recipe_id": entry["id"] }));
            assert_eq!(recipe["steps"].as_array().map(Vec::len), Some(1), "{recipe}");
        }
    });
}

fn title_of(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str().expect("an answer");
    let recipe: Value = serde_json::from_str(text).expect("JSON");
    recipe["title"].as_str().expect("a title").to_owned()
}

#[test]
fn of_fifty_calls_for_one_title_one_succeeds() {
    each_engine(|database| {
        let mut vault = database.god();
        let ids: Vec<Value> = (0..50)
            .map(|_| {
                let call = json!({ "name": "create_recipe", "arguments": { "title": "The one" } });
                vault.client.start("tools/call", call)
            })
            .collect();
        let answers = ids.iter().map(|_| vault.client.receive());
        let codes: Vec<Value> = answers.map(|answer| answer["error"]["code"].clone()).collect();
        assert_eq!(codes.iter().filter(|code| code.is_null()).count(), 1);
        assert_eq!(codes.iter().filter(|code| **code == -32002).count(), 49);
    });
}
