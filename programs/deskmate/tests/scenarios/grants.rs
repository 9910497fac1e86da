//! The vault over HTTP: the grant in the header counts, and nothing else.

use std::path::{Path, PathBuf};

use authy::{AuthyClient, Credential, NewGrant, PolicyName, Vault};
use serde_json::{Value, json};

use crate::http::Serving;

/// A folder with a vault in it, gone with the test.
struct Home(PathBuf);

impl Home {
    fn new() -> Home {
        let folder = std::env::temp_dir().join(format!("deskmate-grants-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Home(folder)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn token(client: &AuthyClient, policy: &str) -> String {
    let policy = PolicyName::new(policy).expect("a name");
    let capabilities = "list,reveal".parse().expect("capabilities");
    let grant = NewGrant { capabilities, ..NewGrant::for_agent("x", policy) };
    client.session().expect("a session").create_grant(&grant).expect("a grant").token.reveal().to_string()
}

/// The text a tool answers with, called with this token.
fn call(serving: &Serving, token: Option<&str>, tool: &str, arguments: &Value) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } });
    let mut headers =
        vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
    headers.extend(token.map(|token| ("X-Authy-Token", token)));
    let answer = serving.post("/mcp/authy/mcp", &headers, &message);
    assert_eq!(answer.code, 200, "{answer:?}");
    answer.json()["result"]["content"][0]["text"].as_str().expect("text").to_owned()
}

#[test]
fn over_http_only_the_grant_in_the_header_counts() {
    let home = Home::new();
    let (vault, key) = (home.0.join("vault"), home.0.join("key"));
    let owner = AuthyClient::new(Vault::at(&vault), Credential::Keyfile(key.clone()));
    owner.init_vault().expect("a vault");
    for (name, value) in [("dev-a", "1"), ("prod-a", "2")] {
        owner.store(name, value, false).expect("stored");
    }
    owner.create_policy("dev", &["dev-*"], &[], None, false).expect("a policy");
    owner.create_policy("prod", &["prod-*"], &[], None, false).expect("a policy");
    let (dev, prod) = (token(&owner, "dev"), token(&owner, "prod"));
    // The owner's keyfile in the server's environment helps nobody who comes over the network.
    let variables: [(&str, &Path); 3] =
        [("AUTHY_HOME", &vault), ("AUTHY_ANCHOR", &vault), ("AUTHY_KEYFILE", &key)];
    let serving = Serving::with(&[], &variables);
    let none = call(&serving, None, "list_secrets", &json!({}));
    assert!(none.starts_with("No credentials configured.") && none.contains("X-Authy-Token"), "{none}");
    assert!(call(&serving, Some("nonsense"), "list_secrets", &json!({})).starts_with("Invalid token: "));
    for _ in 0..2 {
        assert_eq!(call(&serving, Some(&dev), "list_secrets", &json!({})), r#"["dev-a"]"#);
        assert_eq!(call(&serving, Some(&prod), "get_secret", &json!({ "name": "prod-a" })), "2");
        assert!(
            call(&serving, Some(&dev), "get_secret", &json!({ "name": "prod-a" }))
                .starts_with("Access denied")
        );
    }
    owner.session().expect("a session").revoke_all_grants().expect("revoked");
    assert!(call(&serving, Some(&dev), "list_secrets", &json!({})).starts_with("Token revoked"));
    assert_eq!(serving.stop(), 0);
}
