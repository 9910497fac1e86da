//! Questions at a terminal. `script` gives the command a terminal of its own; what it shows is what a person would see.

use std::io::{Read, Write};
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
