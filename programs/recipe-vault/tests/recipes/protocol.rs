//! MCP Protocol Compliance, Data Types and what the tools are.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::vault::{cake, each_engine};

fn tools(arguments: &[&str]) -> Vec<Value> {
    let mut found = Vec::new();
    let seen = std::cell::RefCell::new(&mut found);
    each_engine(|database| {
        let mut client = mcp_testkit::Client::process(database.command().args(arguments));
        let tools = client.result("tools/list", json!({}));
        (**seen.borrow_mut()).clone_from(tools["tools"].as_array().expect("tools"));
    });
    found
}

fn names(tools: &[Value]) -> BTreeSet<&str> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[track_caller]
fn is_a_tool(name: &str) -> Value {
    let tools = tools(&[]);
    tools.iter().find(|tool| tool["name"] == name).expect("offered").clone()
}

#[test]
fn mcp_server_initialization() {
    each_engine(|database| {
        let mut client = mcp_testkit::Client::process(&mut database.command());
        let hello = json!({
            "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
        });
        let greeting = client.result("initialize", hello);
        assert_eq!(greeting["serverInfo"]["name"], "recipe-vault");
        assert!(!client.result("tools/list", json!({}))["tools"].as_array().expect("tools").is_empty());
    });
}

#[test]
fn tool_discovery() {
    let tools = tools(&[]);
    let names = names(&tools);
    for name in ["list_recipes", "get_recipe", "create_recipe", "update_recipe"] {
        assert!(names.contains(name), "{name}");
    }
    for tool in &tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["inputSchema"]["properties"].is_object(), "{tool}");
    }
}

#[test]
fn all_tools_unless_the_core_ones_are_wanted() {
    let (core, all) = (tools(&["--core"]), tools(&[]));
    assert!(names(&core).is_subset(&names(&all)));
    assert!(!names(&core).contains("update_recipe") && names(&all).contains("update_recipe"));
}

#[test]
fn list_recipes_is_a_tool() {
    let tool = is_a_tool("list_recipes");
    assert!(tool["inputSchema"].get("required").is_none(), "{tool}");
}

#[test]
fn get_recipe_is_a_tool_that_takes_recipe_id() {
    let tool = is_a_tool("get_recipe");
    assert_eq!(tool["inputSchema"]["required"], json!(["recipe_id"]));
    assert_eq!(tool["inputSchema"]["properties"]["recipe_id"]["type"], "string");
}

#[test]
fn create_recipe_is_a_tool() {
    let tool = is_a_tool("create_recipe");
    assert_eq!(tool["inputSchema"]["required"], json!(["title"]));
    let title = &tool["inputSchema"]["properties"]["title"];
    assert_eq!((&title["minLength"], &title["maxLength"]), (&json!(1), &json!(200)));
}

#[test]
fn update_recipe_is_a_tool() {
    let tool = is_a_tool("update_recipe");
    assert_eq!(tool["inputSchema"]["required"], json!(["recipe_id"]));
    let difficulty = &tool["inputSchema"]["properties"]["difficulty"];
    assert_eq!((&difficulty["minimum"], &difficulty["maximum"]), (&json!(1), &json!(5)));
}

#[test]
fn tool_definition_has_name_description_and_input_schema() {
    for tool in tools(&[]) {
        for field in ["name", "description"] {
            assert!(tool[field].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
        }
        assert!(tool["inputSchema"].is_object(), "{tool}");
    }
}

#[test]
fn json_rpc_request_format() {
    each_engine(|database| {
        let mut vault = database.god();
        vault.client.send(r#"{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"create_recipe","arguments":{"title":"Routed"}}}"#);
        let answer = vault.client.receive();
        assert_eq!(answer["id"], 41);
        assert_eq!(vault.titles(), ["Routed"]);
    });
}

#[test]
fn json_rpc_response_format() {
    each_engine(|database| {
        let mut vault = database.god();
        for (id, name) in [(json!(7), "list_recipes"), (json!("seven"), "no_such_tool")] {
            let request =
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } });
            vault.client.send(&request.to_string());
            let answer = vault.client.receive();
            assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &id));
            assert_ne!(answer.get("result").is_some(), answer.get("error").is_some(), "{answer}");
        }
    });
}

#[test]
fn json_rpc_error_has_code_and_message() {
    each_engine(|database| {
        let error = database.god().error("get_recipe", json!({ "recipe_id": "x" }));
        assert!(error["code"].is_i64() && error["message"].is_string(), "{error}");
    });
}

#[test]
fn malformed_json_rpc_request() {
    each_engine(|database| {
        let mut vault = database.god();
        for line in ["{not json", "[1,", "\u{1}"] {
            vault.client.send(line);
            let answer = vault.client.receive();
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null));
        }
        vault.create(cake());
        assert_eq!(vault.titles().len(), 1);
    });
}
