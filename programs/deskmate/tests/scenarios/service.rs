//! `deskmate serve --install` and `--uninstall`, with a `systemctl` that writes down what it was told.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::binary::finish;
use crate::home::Home;

const UNIT: &str = ".config/systemd/user/deskmate.service";

/// A home whose `systemctl` ends with this code.
fn home(code: u8) -> Home {
    let home = Home::new();
    let script = format!("#!/bin/sh\necho \"$@\" >> \"$HOME/told\"\necho no bus >&2\nexit {code}\n");
    let systemctl = home.file("bin/systemctl", script.as_bytes());
    fs::set_permissions(&systemctl, fs::Permissions::from_mode(0o755)).expect("a mode");
    home
}

fn run(home: &Home, arguments: &[&str]) -> crate::binary::Finished {
    let path = format!("{}:/usr/bin:/bin", home.0.join("bin").display());
    finish(home.command(arguments).env("PATH", path), "")
}

#[test]
fn a_service_is_installed_changed_and_gone_again() {
    let home = home(0);
    let said = run(&home, &["serve", "--install", "--port", "9000", "--read-only"]).said();
    assert!(said.contains("http://127.0.0.1:9000/") && said.contains("--uninstall"), "{said}");
    let unit = fs::read_to_string(home.0.join(UNIT)).expect("a unit");
    let start = format!(
        "ExecStart=\"{}\" \"serve\" \"--host\" \"127.0.0.1\" \"--port\" \"9000\" \"--read-only\"\n",
        env!("CARGO_BIN_EXE_deskmate")
    );
    assert!(unit.contains(&start), "{unit}");
    run(&home, &["serve", "--install"]).said();
    assert!(fs::read_to_string(home.0.join(UNIT)).expect("a unit").contains("\"8642\""));
    run(&home, &["serve", "--uninstall"]).said();
    let told = fs::read_to_string(home.0.join("told")).expect("told");
    let expected =
        ["--user daemon-reload", "--user enable deskmate.service", "--user restart deskmate.service"];
    let gone = [
        "--user disable --now deskmate.service",
        "--user daemon-reload",
        "--user reset-failed deskmate.service",
    ];
    let all = [&expected[..], &expected[..], &gone].concat();
    assert_eq!(told.lines().collect::<Vec<_>>(), all);
    assert_eq!(home.files(), ["bin/systemctl", "told"]);
    let again = run(&home, &["serve", "--uninstall"]).said();
    assert!(again.contains("nothing was changed"), "{again}");
}

/// The service does not have the environment of the shell it was installed from.
#[test]
fn a_service_has_the_state_that_the_person_has() {
    let home = home(0);
    let installed = |variable: &str| {
        let path = format!("{}:/usr/bin:/bin", home.0.join("bin").display());
        let mut command = home.command(&["serve", "--install"]);
        finish(command.env("PATH", path).env(variable, home.0.join("data")), "").said();
        fs::read_to_string(home.0.join(UNIT)).expect("a unit")
    };
    let state = |folder: &str| {
        format!("Environment=\"DESKMATE_HOME={}\"\n", home.0.join("data").join(folder).display())
    };
    let unit = installed("XDG_DATA_HOME");
    assert!(unit.contains(&state("deskmate")), "{unit}");
    let unit = installed("DESKMATE_HOME");
    assert!(unit.contains(&format!("DESKMATE_HOME={}\"\n", home.0.join("data").display())), "{unit}");
    let unit = installed("NOTHING");
    assert!(!unit.contains("Environment="), "{unit}");
}

#[test]
fn a_token_is_kept_where_only_this_user_reads_it() {
    let home = home(0);
    run(&home, &["serve", "--install", "--token", "a-s3cret-of-some-length"]).said();
    let unit = fs::read_to_string(home.0.join(UNIT)).expect("a unit");
    let file = home.0.join(".local/share/deskmate/serve.env");
    assert!(
        !unit.contains("a-s3cret") && unit.contains(&format!("EnvironmentFile=-{}\n", file.display())),
        "{unit}"
    );
    assert_eq!(fs::read_to_string(&file).expect("a file"), "DESKMATE_TOKEN=\"a-s3cret-of-some-length\"\n");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
}

/// A token that is left behind would be asked for by a service that was installed without one.
#[test]
fn a_token_goes_with_its_service() {
    let home = home(0);
    let file = home.0.join(".local/share/deskmate/serve.env");
    run(&home, &["serve", "--install", "--token", "a-s3cret-of-some-length"]).said();
    run(&home, &["serve", "--install"]).said();
    assert!(!file.exists(), "installed again, without a token");
    run(&home, &["serve", "--install", "--token", "a-s3cret-of-some-length"]).said();
    run(&home, &["serve", "--uninstall"]).said();
    assert!(!file.exists(), "uninstalled");
}

#[test]
fn systemd_reads_a_token_with_quotes_as_it_was_given() {
    let home = home(0);
    run(&home, &["serve", "--install", "--token", "a\"b\"\\c$d`e`#f'g'-of-length"]).said();
    let file = home.0.join(".local/share/deskmate/serve.env");
    // A shell reads such a line as systemd does.
    let read = Command::new("sh").args(["-c", ". \"$0\"; printf %s \"$DESKMATE_TOKEN\""]).arg(&file).output();
    assert_eq!(String::from_utf8_lossy(&read.expect("sh").stdout), "a\"b\"\\c$d`e`#f'g'-of-length");
    let refused =
        run(&home, &["serve", "--install", "--token", "a-s3cret\nEVIL=of-some-length"]).complained(2);
    assert!(refused.contains("no spaces"), "{refused}");
}

#[test]
fn what_serve_would_refuse_is_not_installed() {
    let home = home(0);
    for (arguments, words) in [
        (&["serve", "--install", "--only", "nonsense"][..], "`nonsense`"),
        (&["serve", "--install", "--host", "0.0.0.0"], "token"),
        (&["serve", "--install", "--token", "short"], "token"),
    ] {
        let refused = run(&home, arguments).complained(2);
        assert!(refused.contains(words), "{refused}");
    }
    assert_eq!(home.files(), ["bin/systemctl"]);
}

#[test]
fn a_service_that_does_not_start_leaves_nothing_unless_there_was_one() {
    let home = home(1);
    run(&home, &["serve", "--install", "--token", "a-s3cret-of-some-length"]).complained(1);
    assert_eq!(home.files(), ["bin/systemctl", "told"]);
    home.file(UNIT, b"one from before");
    run(&home, &["serve", "--install"]).complained(1);
    assert!(fs::read_to_string(home.0.join(UNIT)).expect("a unit").contains("ExecStart="));
    // The system does not know it: its file goes all the same.
    run(&home, &["serve", "--uninstall"]).complained(1);
    assert_eq!(home.files(), ["bin/systemctl", "told"]);
}

#[test]
fn a_port_that_is_taken_is_given_as_the_reason() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let message = run(&home(1), &["serve", "--install", "--port", &port]).complained(1);
    assert!(message.contains(&format!("port {port} on 127.0.0.1 is in use")), "{message}");
}

#[test]
fn the_address_that_is_said_is_the_one_that_is_served() {
    let home = home(0);
    let token = ["--token", "a-s3cret-of-some-length"];
    let said = run(&home, &[&["serve", "--install", "--host", "127.0.0.2"][..], &token].concat()).said();
    assert!(said.contains("http://127.0.0.2:8642/") && said.contains("journalctl --user"), "{said}");
    let said = run(&home, &[&["serve", "--install", "--host", "0.0.0.0"][..], &token].concat()).said();
    assert!(said.contains("http://127.0.0.1:8642/"), "{said}");
    let refused = run(&home, &["serve", "--install", "--port", "0"]).complained(2);
    assert!(refused.contains("choose one with `--port`"), "{refused}");
}

/// Whoever starts it as a service waits for this, and so knows whether it serves.
#[test]
fn systemd_is_told_when_deskmate_serves() {
    let home = home(0);
    let socket = home.0.join("notify");
    let manager = UnixDatagram::bind(&socket).expect("a socket");
    manager.set_read_timeout(Some(Duration::from_secs(60))).expect("a bound");
    let mut serving = home
        .command(&["serve", "--port", "0"])
        .env("NOTIFY_SOCKET", &socket)
        .stdout(Stdio::null())
        .spawn()
        .expect("deskmate");
    let mut said = [0; 64];
    let length = manager.recv(&mut said);
    serving.kill().expect("ended");
    serving.wait().expect("gone");
    assert_eq!(said.get(..length.expect("a word")), Some(&b"READY=1"[..]));
}

#[test]
fn a_system_without_systemd_is_told_in_its_words() {
    let message = run(&home(1), &["serve", "--install"]).complained(1);
    assert!(message.contains("systemctl --user daemon-reload") && message.contains("no bus"), "{message}");
}

/// systemd's own check of what was written.
#[test]
fn systemd_understands_the_unit() {
    let home = home(0);
    run(&home, &["serve", "--install", "--allow-host", "desk 100%.home"]).said();
    check_unit(&home);
}

/// People have such folders; systemd has rules of its own for the path of a program.
#[test]
fn systemd_starts_a_program_in_an_odd_folder() {
    for folder in ["My $desk 100%", "Miles O'Brien", "a\"b\\c"] {
        let home = home(0);
        let program = home.file(&format!("{folder}/deskmate"), b"");
        fs::remove_file(&program).expect("a place");
        fs::hard_link(env!("CARGO_BIN_EXE_deskmate"), &program).expect("the program");
        let path = format!("{}:/usr/bin:/bin", home.0.join("bin").display());
        let mut command = Command::new(&program);
        command.args(["serve", "--install"]).env_clear().env("HOME", &home.0).env("PATH", path);
        finish(&mut command, "").said();
        check_unit(&home);
    }
}

fn check_unit(home: &Home) {
    let checked = Command::new("systemd-analyze")
        .args(["verify", "--user", "--man=no"])
        .arg(home.0.join(UNIT))
        .env("HOME", &home.0)
        .env("XDG_RUNTIME_DIR", &home.0)
        .output()
        .expect("systemd-analyze, from the package `systemd`");
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success() && !said.contains("deskmate.service:"), "{said}");
}
