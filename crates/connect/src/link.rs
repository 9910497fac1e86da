//! Links that make a client ask whether to add a server. They name a program on this machine, so they are made here and
//! work nowhere else.

use std::fmt::Write as _;

use serde_json::json;

use crate::client::Client;
use crate::entry::Entry;

/// The link for a client that has any.
pub fn deep_link(client: &Client, entry: &Entry) -> Option<String> {
    let mut config = json!({ "command": entry.command, "args": entry.arguments });
    if let Some(variables) = entry.variables_value() {
        config["env"] = variables;
    }
    let name = encoded(&entry.name);
    let base64 = |text: String| encoded(&base64_simd::STANDARD.encode_to_string(text));
    match client.id {
        "cursor" => {
            let config = base64(config.to_string());
            Some(format!("cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={config}"))
        }
        "lm-studio" => Some(format!("lmstudio://add_mcp?name={name}&config={}", base64(config.to_string()))),
        "vscode" => {
            config["name"] = json!(entry.name);
            Some(format!("vscode:mcp/install?{}", encoded(&config.to_string())))
        }
        _ => None,
    }
}

/// As a part of a URL.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::deep_link;
    use crate::client::find;
    use crate::entry::Entry;

    #[test]
    fn three_clients_have_links() {
        let entry = Entry {
            name: "deskmate".into(),
            command: "/opt/deskmate".into(),
            arguments: vec!["stdio".into()],
            variables: Vec::new(),
        };
        let link = |id: &str| deep_link(find(id).expect(id), &entry);
        let config = "eyJhcmdzIjpbInN0ZGlvIl0sImNvbW1hbmQiOiIvb3B0L2Rlc2ttYXRlIn0%3D";
        assert_eq!(
            link("cursor"),
            Some(format!("cursor://anysphere.cursor-deeplink/mcp/install?name=deskmate&config={config}"))
        );
        assert_eq!(link("lm-studio"), Some(format!("lmstudio://add_mcp?name=deskmate&config={config}")));
        let vscode = link("vscode").expect("a link");
        assert!(vscode.starts_with("vscode:mcp/install?%7B%22args%22%3A%5B%22stdio%22%5D"), "{vscode}");
        assert_eq!(link("zed"), None);
    }
}
