//! The pages at `/`, without a browser: what they say, and what they keep to themselves. `browser/` looks at them in Chromium.

use std::path::Path;

use authy::{AuthyClient, Credential, NewGrant, PolicyName, Vault};
use serde_json::{Value, json};

use crate::home::Home;
use crate::http::Serving;

fn call(serving: &Serving, path: &str, tool: &str, client: &str) -> u16 {
    call_with(serving, path, tool, client, &json!({}))
}

fn call_with(serving: &Serving, path: &str, tool: &str, client: &str, arguments: &Value) -> u16 {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": client, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } });
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
    serving.post(path, &headers, &message).code
}

#[test]
fn the_first_page_connects_first_and_runs_nothing_from_elsewhere() {
    let serving = Serving::start(&[]);
    let page = serving.send("GET", "/", &[], "");
    assert_eq!(page.code, 200);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let at = |words: &str| page.body.find(words).unwrap_or_else(|| panic!("{words}: {}", page.body));
    assert!(
        at("deskmate connect") < at("Over HTTP") && at("Over HTTP") < at("What works, and what is missing")
    );
    for words in ["cursor://anysphere", "vscode:mcp/install", "lmstudio://", "Try asking", "take_screenshot"]
    {
        at(words);
    }
    assert!(page.body.contains("E.g. <code>soup</code>."), "what is between backticks is code");
    assert!(
        !page.body.contains('`'),
        "{}",
        page.body.lines().find(|line| line.contains('`')).unwrap_or_default()
    );
    for asset in ["dashboard.css", "dashboard.js", "try.js"] {
        let path = format!("/desk/assets/1/{asset}");
        assert_eq!(serving.send("GET", &path, &[], "").code, 200, "{path}");
    }
    assert_eq!(serving.send("GET", "/nothing", &[], "").code, 404);
    assert_eq!(serving.send("GET", "/desk/screenshots/nothing", &[], "").code, 404);
    assert_eq!(serving.stop(), 0);
}

#[test]
fn calls_are_shown_with_who_asked_and_how_they_ended() {
    let serving = Serving::start(&[]);
    assert!(serving.send("GET", "/desk/calls", &[], "").body.contains("None yet"));
    assert_eq!(call(&serving, "/mcp", "deskmate_info", "<b>an app</b>"), 200);
    assert_eq!(call(&serving, "/mcp/authy/mcp", "list_secrets", "another"), 200);
    let calls = serving.send("GET", "/desk/calls", &[], "").body;
    let row = |tool: &str| calls.split("<tr>").find(|row| row.contains(tool)).expect("a row").to_owned();
    let (info, secrets) = (row("deskmate_info"), row("list_secrets"));
    assert!(info.contains("&#60;b&#62;an app") && info.contains(">done<"), "{info}");
    assert!(secrets.contains("another") && secrets.contains(">failed<"), "{secrets}");
}

#[test]
fn recipes_are_listed_with_their_pages_and_run_nothing() {
    let home = Home::new();
    let state = home.0.join("state");
    let serving = Serving::with(&[], &[("DESKMATE_HOME", &state)]);
    assert!(serving.send("GET", "/desk/recipes", &[], "").body.contains("None yet"));
    assert!(!state.join("recipe-vault").exists(), "looking makes no cookbook");
    let title = "Soup <img src=x onerror=alert(1)> \"'&";
    let recipe = json!({ "title": title, "servings": 2 });
    assert_eq!(call_with(&serving, "/mcp", "create_recipe", "an app", &recipe), 200);
    let list = serving.send("GET", "/desk/recipes", &[], "").body;
    assert!(list.contains("Soup &#60;img src=x onerror=alert(1)&#62;"), "{list}");
    let path = list.split('"').find(|part| part.starts_with("/cookbook/recipes/")).expect("its page");
    // Its page is there; whoever is not signed in is asked to.
    assert!([200, 303].contains(&serving.send("GET", path, &[], "").code), "{path}");
    assert!(serving.send("GET", "/", &[], "").body.contains("data-live=\"/desk/recipes\""));
}

#[test]
fn the_pages_are_behind_the_token_and_so_is_everything_below() {
    let serving = Serving::start(&["--token", "a-s3cret-of-some-length"]);
    for path in
        ["/", "/desk/readiness", "/desk/calls", "/desk/screenshots", "/desk/recipes", "/desk/assets/1/try.js"]
    {
        assert_eq!(serving.send("GET", path, &[], "").code, 401, "{path}");
    }
    assert_eq!(serving.send("POST", "/desk/vault", &[], "token=x").code, 401);
    let with = [("Authorization", "Bearer a-s3cret-of-some-length")];
    let page = serving.send("GET", "/", &with, "");
    assert_eq!(page.code, 200);
    assert!(page.body.contains("YOUR-TOKEN") && !page.body.contains("a-s3cret"), "the token is never shown");
}

#[test]
fn a_token_shows_the_names_it_covers_and_no_value() {
    let home = Home::new();
    let (vault, key) = (home.0.join("vault"), home.0.join("key"));
    let owner = AuthyClient::new(Vault::at(&vault), Credential::Keyfile(key));
    owner.init_vault().expect("a vault");
    owner.store("dev-a", "the-value", false).expect("stored");
    owner.store("prod-a", "the-value", false).expect("stored");
    owner.create_policy("dev", &["dev-*"], &[], None, false).expect("a policy");
    let grant = NewGrant::for_agent("x", PolicyName::new("dev").expect("a name"));
    let token =
        owner.session().expect("a session").create_grant(&grant).expect("a grant").token.reveal().to_string();
    let variables: [(&str, &Path); 2] = [("AUTHY_HOME", &vault), ("AUTHY_ANCHOR", &vault)];
    let serving = Serving::with(&[], &variables);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let shown = serving.send("POST", "/desk/vault", &form, &format!("token={token}")).body;
    assert!(shown.contains("dev-a") && !shown.contains("prod-a") && !shown.contains("the-value"), "{shown}");
    assert!(shown.contains("authy approve"), "{shown}");
    let refused = serving.send("POST", "/desk/vault", &form, "token=nonsense").body;
    assert!(refused.contains("Invalid token"), "{refused}");
    // A page of another site cannot try tokens.
    let stranger = [form[0], ("Origin", "http://evil.example.com")];
    assert_eq!(serving.send("POST", "/desk/vault", &stranger, &format!("token={token}")).code, 403);
}
