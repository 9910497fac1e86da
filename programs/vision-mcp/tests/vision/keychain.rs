//! A provider's key in the keychain of the system: a real one, gnome-keyring, on a message bus of the test's own.

use std::process::Command;

use mcp_testkit::Folder;
use models_stub::{KEY, Stub, clean};
use serde_json::json;

use crate::media::png;

/// Starts the keychain with an empty passphrase, lets another program than ours put the key there, and makes one call. The
/// keychain ends with the bus.
const SCRIPT: &str = "
    printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null
    printf '%s' \"$2\" | secret-tool store --label='z.ai' service deskmate username z-ai-api-key
    printf '%s\\n' \"$1\" | \"$0\"
";

#[test]
fn a_providers_key_may_be_in_the_keychain_of_the_system() {
    let (folder, stub) = (Folder::new(), Stub::start().expect("a stub"));
    let picture = folder.file("a.png", &png());
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "analyze_image", "arguments": { "image_source": picture, "prompt": "What is it?" },
    } });
    let mut session = Command::new("dbus-run-session");
    session.args(["--", "sh", "-ec", SCRIPT, env!("CARGO_BIN_EXE_vision-mcp"), &call.to_string(), KEY]);
    clean(&mut session).env("HOME", folder.as_path()).env_remove("DBUS_SESSION_BUS_ADDRESS");
    session.envs(stub.variables().into_iter().filter(|(name, _)| !name.ends_with("_KEY")));
    for (name, place) in
        [("XDG_RUNTIME_DIR", "run"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")]
    {
        std::fs::create_dir_all(folder.path(place)).expect("a folder");
        session.env(name, folder.path(place));
    }
    let finished = session.output().expect("dbus-run-session; on Debian: apt-get install dbus");
    let (said, complaints) =
        (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
    assert!(said.contains("The stub looked at it."), "{said}\n{complaints}");
    let seen = stub.seen().pop().expect("a request");
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}
