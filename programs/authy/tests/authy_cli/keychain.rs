//! The keychain of the system opens the vault: a real one, gnome-keyring, on a message bus of the test's own.

use std::process::Command;

use crate::home::{CANARY, Home, finish};

/// Starts the keychain with an empty passphrase, lets it open the vault, and reads a secret and a provider's key with nothing
/// else that could. The keychain ends with the bus.
const SCRIPT: &str = "
    printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null
    \"$0\" rekey --add-keychain
    unset AUTHY_KEYFILE
    \"$0\" get a
    \"$0\" doctor >/dev/null
";

#[test]
fn the_keychain_of_the_system_opens_the_vault() {
    let value = format!("{CANARY}-in-the-keychain");
    let home = Home::with(&[("a", &value)]);
    let without = finish(home.command(&["get", "a"]).env_remove("AUTHY_KEYFILE"), "");
    assert_eq!(without.code, Some(2), "nothing opens it yet: {without:?}");

    let like = home.command(&[]);
    let mut session = Command::new("dbus-run-session");
    session.args(["--", "sh", "-ec", SCRIPT, env!("CARGO_BIN_EXE_authy")]);
    session.env_clear().current_dir(home.path(""));
    session.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    for (name, folder) in
        [("XDG_RUNTIME_DIR", "run"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")]
    {
        std::fs::create_dir_all(home.path(folder)).expect("a folder");
        session.env(name, home.path(folder));
    }
    let finished = finish(&mut session, "");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stdout.lines().last(), Some(value.as_str()), "{finished:?}");
    let gone = finish(home.command(&["get", "a"]).env_remove("AUTHY_KEYFILE"), "");
    assert_ne!(gone.code, Some(0), "there is no keychain outside the bus: {gone:?}");
}
