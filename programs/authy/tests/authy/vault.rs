//! A vault of a test's own, and `authy serve --mcp` on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use authy::{AuthyClient, Credential, NewGrant, PolicyName, Vault};
use mcp_testkit::Client;
use serde_json::{Value, json};

/// A folder with a vault and its keyfile, gone with the test.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn empty() -> Home {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("deskmate-authy-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Home(folder)
    }

    /// With a vault in it.
    pub(crate) fn new() -> Home {
        let home = Home::empty();
        home.client().init_vault().expect("a vault");
        home
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn keyfile(&self) -> PathBuf {
        self.0.join("key")
    }

    pub(crate) fn vault(&self) -> Vault {
        Vault::at(self.0.join("vault"))
    }

    /// The owner, in this process.
    pub(crate) fn client(&self) -> AuthyClient {
        AuthyClient::new(self.vault(), Credential::Keyfile(self.keyfile()))
    }

    /// The token of a grant on these names.
    pub(crate) fn token(&self, allow: &str, capabilities: &str) -> String {
        let client = self.client();
        let policy = format!("p{}", client.session().expect("a session").policies().expect("policies").len());
        client.create_policy(&policy, &[allow], &[], None, false).expect("a policy");
        let policy = PolicyName::new(policy).expect("a name");
        let grant = NewGrant {
            capabilities: capabilities.parse().expect("capabilities"),
            ..NewGrant::for_agent("a test", policy)
        };
        let issued = client.session().expect("a session").create_grant(&grant).expect("a grant");
        issued.token.reveal().to_string()
    }

    /// The command, without any credential.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_authy"));
        command.args(arguments).env("AUTHY_HOME", self.0.join("vault"));
        // Beside the vault, as the library has it.
        command.env("AUTHY_ANCHOR", self.0.join("vault"));
        for variable in ["AUTHY_KEYFILE", "AUTHY_PASSPHRASE", "AUTHY_TOKEN"] {
            command.env_remove(variable);
        }
        command
    }

    /// The server, with these variables.
    pub(crate) fn server(&self, variables: &[(&str, &str)]) -> Client {
        Client::process(self.command(&["serve", "--mcp"]).envs(variables.iter().copied()))
    }

    /// The server with the owner's keyfile.
    pub(crate) fn owners_server(&self) -> Client {
        self.server(&[("AUTHY_KEYFILE", self.keyfile().to_str().expect("text"))])
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a call answers: the text, after checking that the result is nothing but it.
#[track_caller]
pub(crate) fn said(client: &mut Client, tool: &str, arguments: Value) -> String {
    let result = client.call(tool, arguments);
    let text = result["content"][0]["text"].as_str().expect("text").to_owned();
    assert_eq!(result, json!({ "content": [{ "type": "text", "text": text }] }));
    text
}

/// How a call fails: the text, after checking that it is an `isError` result.
#[track_caller]
pub(crate) fn failed(client: &mut Client, tool: &str, arguments: Value) -> String {
    let result = client.call(tool, arguments);
    let text = result["content"][0]["text"].as_str().expect("text").to_owned();
    assert_eq!(result, json!({ "content": [{ "type": "text", "text": text }], "isError": true }));
    text
}
