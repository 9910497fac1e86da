//! Questions at a terminal. `script` gives the command a terminal of its own; what it shows is what a person would see.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::home::Home;

struct Screen {
    child: Child,
    keys: ChildStdin,
    out: ChildStdout,
    seen: String,
    /// What was there before the last thing that was waited for.
    last: String,
}

impl Screen {
    fn new(home: &Home, command_line: &str) -> Screen {
        Screen::shell(home, &format!("{} {command_line}", env!("CARGO_BIN_EXE_authy")))
    }

    fn shell(home: &Home, line: &str) -> Screen {
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--echo", "always", "--command", line, "/dev/null"]);
        script.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TERM", "xterm");
        script.env("HOME", home.path("")).env("AUTHY_HOME", home.path("vault")).env("SHELL", "/bin/sh");
        script.current_dir(home.path(""));
        if home.path("key").exists() {
            script.env("AUTHY_KEYFILE", home.path("key"));
        }
        let piped = script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().expect("script starts");
        let (keys, out) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Screen { child, keys, out, seen: String::new(), last: String::new() }
    }

    /// Reads until this is on the screen, and forgets what was there.
    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        let mut byte = [0; 1];
        while !self.seen.contains(text) {
            let read = self.out.read(&mut byte).expect("the screen can be read");
            assert_ne!(read, 0, "waited for `{text}`, and it ended with: {}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&byte));
            assert!(!self.seen.contains("canary-typed"), "a secret on the screen: {}", self.seen);
        }
        self.last = std::mem::take(&mut self.seen);
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it listens");
        self.keys.flush().expect("it listens");
    }

    /// The exit code, and what else was shown.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = Vec::new();
        self.out.read_to_end(&mut rest).expect("the screen can be read");
        let code = self.child.wait().expect("it ends").code();
        (code, self.seen + &String::from_utf8_lossy(&rest))
    }
}

#[test]
fn a_passphrase_is_typed_twice_and_never_shown() {
    let home = Home::empty();
    let mut screen = Screen::new(&home, "init");
    screen.wait_for("New passphrase: ");
    screen.press("canary-typed\r");
    screen.wait_for("The same again: ");
    screen.press("canary-typed\r");
    let (code, shown) = screen.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("Recovery code") && !shown.contains("canary-typed"), "{shown}");
    let mut screen = Screen::new(&home, "store token");
    screen.wait_for("Passphrase: ");
    screen.press("canary-typed\r");
    screen.wait_for("Value of token: ");
    // Longer than a line of a terminal can be; and a slip, corrected.
    screen.press(&format!("canary-typed-{}y\u{7f}\r", "x".repeat(5000)));
    let (code, shown) = screen.end();
    assert_eq!((code, shown.contains("canary-typed")), (Some(0), false), "{shown}");
    let value = home.run_with(&["get", "token", "--passphrase-fd", "0"], "canary-typed").said();
    assert_eq!(value, format!("canary-typed-{}\n", "x".repeat(5000)));
}

#[test]
fn two_passphrases_that_differ_make_no_vault() {
    let home = Home::empty();
    let mut screen = Screen::new(&home, "init");
    screen.wait_for("New passphrase: ");
    screen.press("one\r");
    screen.wait_for("The same again: ");
    screen.press("two\r");
    let (code, shown) = screen.end();
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("the two passphrases differ"), "{shown}");
    assert!(!home.path("vault/vault.db").exists());
}

#[test]
fn ctrl_c_leaves_the_terminal_as_it_was() {
    let home = Home::empty();
    // The shell tells how the terminal is set before and afterwards.
    let authy = env!("CARGO_BIN_EXE_authy");
    let mut screen =
        Screen::shell(&home, &format!("echo set: $(stty -g); {authy} init; echo set: $(stty -g)"));
    screen.wait_for("set: ");
    screen.wait_for("New passphrase: ");
    let before = screen.last.lines().next().unwrap_or_default().trim().to_owned();
    screen.press("abc\u{3}");
    let (_, shown) = screen.end();
    assert!(shown.contains("interrupted; nothing was changed"), "{shown}");
    assert!(before.len() > 20 && shown.contains(&format!("set: {before}")), "{before}: {shown}");
    assert!(!home.path("vault/vault.db").exists());
}

#[test]
fn a_secret_that_wants_a_yes_asks_its_owner() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["set", "a", "--approve"]).said();
    let asked = |answer: &str| {
        let mut script = Screen::new(&home, "get a");
        script.wait_for("Allow showing it? [y/N] ");
        script.press(answer);
        script.end()
    };
    let (code, shown) = asked("y\r");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("canary"), "{shown}");
    let (code, shown) = asked("\r");
    assert_eq!((code, shown.contains("canary")), (Some(4), false), "{shown}");
}

#[test]
fn the_terminal_ui_shows_a_value_on_a_key_and_leaves_the_terminal_as_it_was() {
    let home = Home::with(&[("db-url", "canary://db")]);
    let authy = env!("CARGO_BIN_EXE_authy");
    let line = format!("stty rows 24 cols 80; echo set: $(stty -g); {authy} admin; echo set: $(stty -g)");
    let mut screen = Screen::shell(&home, &line);
    screen.wait_for("set: ");
    screen.wait_for("db-url");
    let before = screen.last.lines().next().unwrap_or_default().trim().to_owned();
    screen.wait_for("q quit");
    assert!(!screen.last.contains("canary"), "{}", screen.last);
    screen.press("\r");
    screen.wait_for("canary://db");
    screen.press("q");
    let (code, shown) = screen.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(before.len() > 20 && shown.contains(&format!("set: {before}")), "{before}: {shown}");
}

/// Stretching the passphrase takes a while: what is typed then must not be shown.
#[test]
fn what_is_typed_as_soon_as_the_passphrase_was_given_is_not_shown() {
    let home = Home::empty();
    home.run_with(&["init", "--passphrase-fd", "0"], "canary-typed").said();
    for command in ["store a", "rotate a", "rekey --to-passphrase"] {
        let mut screen = Screen::new(&home, command);
        screen.wait_for("Passphrase: ");
        screen.press("canary-typed\r");
        screen.wait_for("\u{1b}[?2004l");
        screen.press("canary-typed\r");
        if command.starts_with("rekey") {
            screen.press("canary-typed\r");
        }
        let (code, shown) = screen.end();
        assert_eq!((code, shown.contains("canary-typed")), (Some(0), false), "{command}: {shown}");
    }
    assert_eq!(home.run_with(&["get", "a", "--passphrase-fd", "0"], "canary-typed").said(), "canary-typed\n");
}

/// The agent asks at its own terminal, whoever runs the command.
#[test]
fn the_agent_shows_a_value_only_after_a_yes_at_its_own_terminal() {
    let home = Home::empty();
    home.run_with(&["init", "--passphrase-fd", "0"], "correct horse battery").said();
    home.run(&["list"]).complained(2);
    let mut agent = Screen::new(&home, "agent");
    agent.wait_for("Passphrase: ");
    agent.press("correct horse battery\r");
    agent.wait_for("the vault is unlocked until");
    assert_eq!(crate::home::mode(&home.path("vault/agent.sock")), 0o600);
    // What shows nothing needs no yes.
    home.run_with(&["store", "db-url"], "canary of the agent").said();
    assert_eq!(home.run(&["list"]).said(), "db-url\n");
    let asked = |agent: &mut Screen, arguments: &[&str], key: &str| {
        let mut command = home.command(arguments);
        let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = piped.spawn().expect("authy starts");
        agent.wait_for("Allow it? [y/N] ");
        assert!(agent.last.contains("`db-url`, for showing it"), "{}", agent.last);
        agent.press(key);
        child.wait_with_output().expect("it ends")
    };
    let no = asked(&mut agent, &["get", "db-url"], "n");
    assert_eq!((no.status.code(), no.stdout.as_slice()), (Some(4), &b""[..]));
    let yes = asked(&mut agent, &["read", "authy://db-url"], "y");
    assert_eq!((yes.status.code(), yes.stdout.as_slice()), (Some(0), &b"canary of the agent"[..]));
    // No pretext is so long that the name leaves the screen.
    let mut other = UnixStream::connect(home.path("vault/agent.sock")).expect("it listens");
    let purpose = "x ".repeat(5000);
    writeln!(other, r#"{{"value":{{"name":"db-url","version":null,"purpose":"{purpose}"}}}}"#)
        .expect("asked");
    agent.wait_for("Allow it? [y/N] ");
    assert!(agent.last.contains("`db-url`, for x x") && agent.last.len() < 400, "{}", agent.last);
    agent.press("n");
    let mut answer = String::new();
    other.read_to_string(&mut answer).expect("an answer");
    assert!(answer.contains("access_denied"), "{answer}");
    // The MCP server does not know it.
    let listing =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_secrets","arguments":{}}}"#;
    let served = home.run_with(&["serve", "--mcp"], &format!("{listing}\n")).said();
    assert!(served.contains("No credentials configured"), "{served}");
    // A second one is refused; and what it does not do needs a credential.
    assert!(home.run(&["export"]).complained(2).contains("No credentials"));
    home.run(&["agent", "--stop"]).said();
    let (code, shown) = agent.end();
    assert_eq!((code, shown.contains("the vault is locked")), (Some(0), true), "{shown}");
    home.run(&["list"]).complained(2);
    assert!(!home.path("vault/agent.sock").exists());
}

#[test]
fn the_agent_locks_the_vault_when_nobody_uses_it() {
    let home = Home::with(&[("a", "canary")]);
    let (code, shown) = Screen::new(&home, "agent --idle 1").end();
    assert_eq!((code, shown.contains("the vault is locked")), (Some(0), true), "{shown}");
}

/// Without a desktop the clipboard is that of the terminal.
#[test]
fn a_value_is_copied_to_the_clipboard_and_cleared_again() {
    let home = Home::with(&[("a", "canary")]);
    let mut screen = Screen::new(&home, "cp a --clear-after 1; read line");
    // `canary` in base64.
    screen.wait_for("\u{1b}]52;c;Y2FuYXJ5\u{7}");
    screen.wait_for("\u{1b}]52;c;\u{7}");
    screen.press("\r");
    let (_, shown) = screen.end();
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn a_value_is_changed_in_an_editor_that_leaves_nothing_behind() {
    let home = Home::with(&[("a", "canary one")]);
    let editor = "sed -i s/one/two/";
    let edit = |editor: &str| {
        crate::home::finish(
            home.command(&["edit", "a"]).env("EDITOR", editor).env("XDG_RUNTIME_DIR", home.path("")),
            "",
        )
    };
    assert_eq!(edit(editor).said(), "Rotated secret 'a' to version 2\n");
    assert_eq!(home.run(&["get", "a"]).said(), "canary two\n");
    assert_eq!(edit("true").said(), "");
    edit("false").complained(1);
    assert_eq!(home.run(&["get", "a"]).said(), "canary two\n");
    let left: Vec<_> = std::fs::read_dir(home.path("")).expect("a folder").flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("authy-")), "{left:?}");
}

/// Between the list and the answer somebody can put another request in the place of the one that was read.
#[test]
fn what_a_yes_is_for_is_read_before_it_is_given() {
    let home = Home::with(&[("a", "canary")]);
    home.run(&["set", "a", "--approve", "--command", "printenv *"]).said();
    let token = home.token("all", "*", "list,use");
    let ask = |argument: &str| home.run_as(&token, &["run", "--secret", "a", "--", "printenv", argument]);
    ask("HARMLESS").complained(4);
    ask("EVIL").complained(4);
    let raw = rusqlite::Connection::open(home.path("vault/vault.db")).expect("the database");
    let exchange = || {
        let exchanged = "UPDATE approval SET id = -id; UPDATE approval SET id = 3 + id;";
        raw.execute_batch(exchanged).expect("exchanged");
    };
    exchange();
    let mut screen = Screen::new(&home, "approve 1");
    screen.wait_for("Allow it, once? [y/N]");
    assert!(screen.last.contains("EVIL") && !screen.last.contains("HARMLESS"), "{}", screen.last);
    screen.press("n\r");
    let (code, shown) = screen.end();
    assert_ne!(code, Some(0), "{shown}");
    assert!(ask("EVIL").complained(4).contains("authy approve"));
    let mut screen = Screen::new(&home, "approve 2");
    screen.wait_for("Allow it, once? [y/N]");
    assert!(screen.last.contains("HARMLESS"), "{}", screen.last);
    // Exchanged again, while the person reads.
    exchange();
    screen.press("y\r");
    let (_, shown) = screen.end();
    assert!(shown.contains("not what it was"), "{shown}");
    assert!(ask("EVIL").complained(4).contains("authy approve"));
}

/// Whatever ends the editor, the value does not stay in a file.
#[test]
fn an_interrupted_edit_leaves_no_value_behind() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with(&[("a", "canary")]);
    let editor = home.file("editor", "#!/bin/sh\necho \"editing $1\"; exec sleep 600\n");
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755)).expect("a mode");
    let line = format!("EDITOR={editor} {} edit a", env!("CARGO_BIN_EXE_authy"));
    let mut screen = Screen::shell(&home, &line);
    screen.wait_for("editing ");
    screen.wait_for("/value");
    let file = screen.last.trim().to_owned();
    assert!(std::path::Path::new(&file).exists(), "{file}");
    screen.press("\u{3}");
    let (code, shown) = screen.end();
    assert_ne!(code, Some(0), "{shown}");
    assert!(!std::path::Path::new(&file).exists(), "{file}: {shown}");
    assert_eq!(home.run(&["get", "a"]).said(), "canary\n");
}

/// What a command prints goes through us; and whoever types into the terminal we were started from is the person.
#[test]
fn a_command_of_an_agent_has_no_terminal_and_can_be_typed_to() {
    let home = Home::with(&[("a", "canary-of-a")]);
    home.run(&["set", "a", "--command", "sh -c **"]).said();
    let token = home.token("all", "*", "list,use");
    let authy = env!("CARGO_BIN_EXE_authy");
    let line = "read line; echo got $line; (echo $A > /dev/tty) 2>/dev/null || echo no terminal";
    let line = format!("AUTHY_TOKEN={token} {authy} run --secret a -- sh -c '{line}'");
    let mut screen = Screen::shell(&home, &line);
    screen.press("words\r");
    screen.wait_for("got words");
    screen.wait_for("no terminal");
    let (code, shown) = screen.end();
    assert_eq!((code, shown.contains("canary")), (Some(0), false), "{shown}");
}

#[test]
fn a_pipe_in_the_place_of_the_agents_lock_keeps_nobody_waiting() {
    let home = Home::with(&[("a", "canary")]);
    let lock = home.path("vault/agent.lock");
    assert!(Command::new("mkfifo").arg(&lock).status().expect("mkfifo").success());
    let (code, shown) = Screen::new(&home, "agent").end();
    assert!(code != Some(0) && shown.contains("agent.lock"), "{shown}");
}

/// Rows of the file say which ways in there are, and anybody can write rows.
#[test]
fn slots_that_somebody_added_do_not_keep_a_person_from_typing_the_passphrase() {
    let home = Home::empty();
    home.run_with(&["init", "--passphrase-fd", "0"], "correct horse battery").said();
    let raw = rusqlite::Connection::open(home.path("vault/vault.db")).expect("the database");
    for kind in ["magic", "keychain"] {
        let sql = "INSERT INTO slot SELECT 50 + (SELECT count(*) FROM slot), ?, NULL, public, sealed, 0, code
                   FROM slot LIMIT 1";
        raw.execute(sql, [kind]).expect("planted");
        let mut screen = Screen::new(&home, "list");
        screen.wait_for("Passphrase: ");
        screen.press("correct horse battery\r");
        let (code, shown) = screen.end();
        assert_eq!(code, Some(0), "{kind}: {shown}");
    }
}
