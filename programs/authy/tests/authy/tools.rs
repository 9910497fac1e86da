//! The five tools: their answers and their failures, word by word.

use mcp::Version;
use serde_json::{Value, json};

use crate::vault::{Home, failed, said};

#[test]
fn five_vault_tools_are_listed() {
    for version in Version::ALL {
        let tools =
            Home::empty().server(&[]).speaking(version).result("tools/list", json!({}))["tools"].take();
        let names: Vec<&str> = tools
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .take(5)
            .collect();
        assert_eq!(names, ["get_secret", "list_secrets", "store_secret", "remove_secret", "test_policy"]);
        let five: Vec<&Value> = tools.as_array().expect("a list").iter().take(5).collect();
        assert!(five.iter().all(|tool| tool.get("outputSchema").is_none()));
    }
}

#[test]
fn the_tools_say_what_the_contract_says() {
    let home = Home::new();
    home.client().create_policy("dev", &["dev-*"], &["dev-secret"], None, false).expect("a policy");
    let mut client = home.owners_server();
    let store = |name: &str, force: bool| json!({ "name": name, "value": "v", "force": force });
    assert_eq!(said(&mut client, "list_secrets", json!({})), "[]");
    assert_eq!(said(&mut client, "store_secret", store("z", false)), "Stored secret 'z'");
    assert_eq!(said(&mut client, "store_secret", store("dev-a", false)), "Stored secret 'dev-a'");
    assert_eq!(
        failed(&mut client, "store_secret", store("z", false)),
        "Secret already exists: z (use `force: true` to overwrite)"
    );
    assert_eq!(said(&mut client, "store_secret", store("z", true)), "Stored secret 'z'");
    assert_eq!(said(&mut client, "list_secrets", json!({})), r#"["dev-a","z"]"#);
    assert_eq!(said(&mut client, "list_secrets", json!({ "scope": "dev" })), r#"["dev-a"]"#);
    assert_eq!(failed(&mut client, "list_secrets", json!({ "scope": "none" })), "Policy not found: none");
    assert_eq!(said(&mut client, "get_secret", json!({ "name": "z" })), "v");
    assert_eq!(failed(&mut client, "get_secret", json!({ "name": "y" })), "Secret not found: y");
    let test = |scope: &str, name: &str| json!({ "scope": scope, "secret_name": name });
    assert_eq!(
        said(&mut client, "test_policy", test("dev", "dev-x")),
        "allowed: scope 'dev' can read 'dev-x'"
    );
    assert_eq!(
        said(&mut client, "test_policy", test("dev", "dev-secret")),
        "denied: scope 'dev' cannot read 'dev-secret'"
    );
    assert_eq!(failed(&mut client, "test_policy", test("none", "x")), "Policy not found: none");
    assert_eq!(said(&mut client, "remove_secret", json!({ "name": "z" })), "Removed secret 'z'");
    assert_eq!(failed(&mut client, "remove_secret", json!({ "name": "z" })), "Secret 'z' not found");
    for (tool, arguments, missing) in [
        ("get_secret", json!({}), "name"),
        ("store_secret", json!({ "name": "a" }), "value"),
        ("store_secret", json!({ "value": "a" }), "name"),
        ("remove_secret", json!({}), "name"),
        ("test_policy", json!({ "scope": "dev" }), "secret_name"),
        ("test_policy", json!({}), "scope"),
    ] {
        assert_eq!(failed(&mut client, tool, arguments), format!("Missing required parameter: {missing}"));
    }
    assert!(
        failed(&mut client, "store_secret", json!({ "name": "", "value": "x" })).contains("cannot be empty")
    );
    assert!(
        failed(&mut client, "store_secret", json!({ "name": "A=B\nC", "value": "x" })).contains("has no `=`")
    );
    assert!(
        failed(&mut client, "store_secret", json!({ "name": "a", "value": "x", "force": "yes" }))
            .contains("force")
    );
}

#[test]
fn a_vault_that_is_not_there_is_named_so() {
    let home = Home::empty();
    home.vault(); // not made
    let key = home.path().join("key");
    authy::Identity::random().expect("random").write(&key).expect("a keyfile");
    let mut client = home.owners_server();
    let words = failed(&mut client, "list_secrets", json!({}));
    assert!(words.starts_with("Vault not initialized."), "{words}");
    assert!(words.contains("`authy init`") && words.contains("setup-agent"), "{words}");
}

#[test]
fn a_wrong_keyfile_is_a_decryption_error() {
    let home = Home::new();
    let other = home.path().join("other");
    authy::Identity::random().expect("random").write(&other).expect("a keyfile");
    let mut client = home.server(&[("AUTHY_KEYFILE", other.to_str().expect("text"))]);
    assert!(failed(&mut client, "list_secrets", json!({})).starts_with("Decryption error: "));
}

#[test]
fn tools_delegate_to_authy_client() {
    let home = Home::new();
    home.client().store("a", "from the library", false).expect("stored");
    let mut client = home.owners_server();
    assert_eq!(said(&mut client, "get_secret", json!({ "name": "a" })), "from the library");
    said(&mut client, "store_secret", json!({ "name": "b", "value": "from the tool" }));
    let value = home.client().get_or_err("b").expect("there");
    assert_eq!(value.as_text(), Ok("from the tool"));
}

#[test]
fn serve_requires_mcp() {
    let output = Home::empty().command(&["serve"]).output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "authy serve requires --mcp\n");
}
