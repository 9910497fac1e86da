//! Every program, over stdin and stdout.

use serde_json::{Value, json};

use crate::running::{ERAS, Person};

/// The programs, what starts MCP, the name of the server, and a tool that needs nothing.
const PROGRAMS: [(&str, &[&str], &str, &str); 6] = [
    ("fotos-mcp", &[], "fotos", "list_screenshots"),
    ("metatag-genie", &[], "MetaTagGenie", ""),
    ("authy", &["serve", "--mcp"], "authy", "list_secrets"),
    ("vision-mcp", &[], "zai-mcp-server", ""),
    ("recipe-vault", &[], "recipe-vault", "list_recipes"),
    ("deskmate", &["stdio"], "deskmate", "deskmate_info"),
];

fn names(list: &Value) -> Vec<&str> {
    let tools = list["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[test]
fn every_program_converses_over_stdio() {
    for (program, arguments, server, tool) in PROGRAMS {
        for era in ERAS {
            let person = Person::new();
            let mut client = person.client(program, arguments, era);
            if !era.is_modern() {
                let hello = json!({ "protocolVersion": era.as_str(), "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
                let greeting = client.result("initialize", hello);
                assert_eq!(greeting["serverInfo"]["name"], server, "{program}: {greeting}");
            }
            let list = client.result("tools/list", json!({}));
            assert!(!names(&list).is_empty(), "{program}");
            client.send("{not json");
            let refused = client.receive_where(|message| message["error"].is_object());
            assert_eq!(refused["error"]["code"], -32700, "{program}: {refused}");
            if !tool.is_empty() {
                assert!(names(&list).contains(&tool), "{program}: {list}");
                let answer = client.call(tool, json!({}));
                assert!(answer["content"][0]["text"].is_string(), "{program}: {answer}");
            }
            let goodbye = client.hang_up();
            assert_eq!(goodbye.code, Some(0), "{program}: {}", goodbye.stderr);
        }
    }
}

#[test]
fn every_program_says_its_version() {
    for (program, ..) in PROGRAMS {
        let output = Person::new().command(program, &["--version"]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(env!("CARGO_PKG_VERSION")), "{program}: {said}");
    }
}
