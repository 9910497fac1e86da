//! `deskmate doctor`: each row broken and mended, in a home of its own with nothing of our environment.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use authy::{AuthyClient, Credential, NewGrant, Operation, PolicyName, Vault};
use serde_json::Value;

use crate::binary::{Finished, finish};
use crate::home::Home;
use crate::http::Serving;

mod apps;

/// The row of this name, as `doctor --json` has it, after checking that the exit code says whether any row is a problem.
#[track_caller]
fn row(home: &Home, variables: &[(&str, &str)], name: &str) -> Row {
    row_of(home.command(&["doctor", "--json", "--port", "1"]).envs(variables.iter().copied()), name)
}

#[track_caller]
fn row_of(command: &mut Command, name: &str) -> Row {
    let Finished { code, stdout, stderr } = finish(command, "");
    let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let checks = report["checks"].as_array().expect("checks");
    let problems = checks.iter().filter(|check| check["status"] == "problem").count();
    assert_eq!(code, Some(i32::from(problems > 0)), "{stdout}{stderr}");
    for check in checks {
        assert_eq!(check["status"] == "ok", check.get("fix").is_none(), "one fix for each: {check}");
    }
    let found = checks.iter().find(|check| check["check"] == name);
    Row(found.unwrap_or_else(|| panic!("no row {name}: {stdout}")).clone(), stdout)
}

#[derive(Debug)]
struct Row(Value, String);

impl Row {
    /// Checks the status, and that these words are in what was found or in the fix.
    #[track_caller]
    fn is(self, status: &str, words: &[&str]) -> String {
        assert_eq!(self.0["status"], status, "{}", self.0);
        let text = format!("{} {}", self.0["found"], self.0["fix"]);
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
        self.1
    }
}

fn ready(report: &str, server: &str) -> bool {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let servers = report["servers"].as_array().expect("servers");
    servers.iter().find(|one| one["name"] == server).expect("the server")["ready"] == true
}

#[test]
fn an_empty_home_is_not_wrong_and_says_what_could_be_set_up() {
    let home = Home::new();
    let said = home.run(&["doctor", "--port", "1"]).said();
    for words in [
        "ok          version",
        "not set up  screen",
        "not set up  vault",
        "not set up  model keys",
        "not set up  folders",
        "not set up  apps",
        "authy init",
        "deskmate connect",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains('\u{1b}'), "no colour where nobody looks");
    assert!(home.files().is_empty(), "it looks and changes nothing");
}

#[test]
fn the_tool_gives_the_same_report_in_plain_words() {
    let home = Home::new();
    let said = home.run(&["call", "deskmate_info"]).said();
    for words in [
        "- fotos (not ready, see: screen)",
        "- authy (not ready, see: vault)",
        "- recipe-vault (ready)",
        "- zai-mcp-server (ready)",
        "Not set up:",
        "To change that: make a vault with `authy init`",
        "MCP revisions: 2026-07-28",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("Missing: nothing"), "{said}");
    assert!(home.files().is_empty());
}

/// Built from source, `deskmate` is one command and `authy` another.
#[test]
fn the_vault_row_says_where_there_is_no_authy() {
    let home = Home::new();
    let ours = home.0.join("bin/deskmate");
    fs::create_dir_all(home.0.join("bin")).expect("a folder");
    fs::hard_link(env!("CARGO_BIN_EXE_deskmate"), &ours).expect("a link");
    let report = || {
        let mut command = Command::new(&ours);
        command.args(["doctor"]).env_clear().env("HOME", &home.0).env("PATH", home.0.join("bin"));
        finish(&mut command, "").stdout
    };
    let said = report();
    assert!(said.contains("→ install the program `authy`, then make a vault with `authy init`"), "{said}");
    home.file("bin/authy", b"");
    let said = report();
    assert!(said.contains("→ make a vault with `authy init`"), "{said}");
}

#[test]
fn the_version_row_finds_programs_of_another_release() {
    let home = Home::new();
    let ours = home.0.join("bin/deskmate");
    fs::create_dir_all(home.0.join("bin")).expect("a folder");
    fs::hard_link(env!("CARGO_BIN_EXE_deskmate"), &ours).expect("a link");
    let other = home.file("bin/authy", b"#!/bin/sh\necho authy 0.0.9\n");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("a mode");
    let command = || {
        let mut command = Command::new(&ours);
        command
            .args(["doctor", "--json", "--port", "1"])
            .env_clear()
            .env("HOME", &home.0)
            .env("PATH", "/usr/bin:/bin");
        command
    };
    row_of(&mut command(), "programs").is("problem", &["authy 0.0.9", "same release"]);
    fs::write(&other, format!("#!/bin/sh\necho authy {}\n", env!("CARGO_PKG_VERSION"))).expect("mended");
    let report = row_of(&mut command(), "version").is("ok", &[env!("CARGO_PKG_VERSION"), "bin/deskmate"]);
    assert!(!report.contains("\"programs\""), "{report}");
}

#[test]
fn the_state_folder_row() {
    let home = Home::new();
    let place = home.file("desk", b"a file");
    let named = [("DESKMATE_HOME", place.to_str().expect("text"))];
    let report = row(&home, &named, "state folder").is("problem", &["is a file", "DESKMATE_HOME"]);
    assert!(!ready(&report, "recipe-vault"));
    row(&home, &[("DESKMATE_HOME", "relative")], "state folder").is("problem", &["not an absolute path"]);
    fs::remove_file(&place).expect("removed");
    fs::create_dir(&place).expect("a folder");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("a mode");
    row(&home, &named, "state folder").is("problem", &["others can look", "chmod go-rwx"]);
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).expect("a mode");
    let report = row(&home, &named, "state folder").is("ok", &["set by DESKMATE_HOME"]);
    assert!(ready(&report, "recipe-vault"));
}

/// A file system of one megabyte, in a mount namespace of the test's own.
#[test]
fn the_disk_row() {
    let home = Home::new();
    let disk = home.0.join(".local/share");
    fs::create_dir_all(&disk).expect("a folder");
    let script =
        "mount -t tmpfs -o size=1m none \"$HOME/.local/share\" && exec \"$0\" doctor --json --port 1";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_deskmate")]);
    command.env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    row_of(&mut command, "disk").is("problem", &["1 MiB free", "make room"]);
    row(&home, &[], "disk").is("ok", &["free at"]);
}

#[test]
fn the_folders_row() {
    let home = Home::new();
    row(&home, &[], "folders").is("not_set_up", &["home folder", "--folder DIR"]);
    let photos = home.0.join("photos");
    let list = home.file(".local/share/deskmate/folders", format!("{}\n", photos.display()).as_bytes());
    fs::set_permissions(home.0.join(".local/share/deskmate"), fs::Permissions::from_mode(0o700))
        .expect("a mode");
    let report = row(&home, &[], "folders").is("problem", &["none is there any more", "photos"]);
    assert!(!ready(&report, "MetaTagGenie") && !ready(&report, "zai-mcp-server"));
    fs::create_dir(&photos).expect("mended");
    let report = row(&home, &[], "folders").is("ok", &["photos"]);
    assert!(ready(&report, "MetaTagGenie"));
    fs::write(&list, b"\xff\n").expect("broken");
    row(&home, &[], "folders").is("problem", &["cannot be read", "remove `"]);
    row(&home, &[("DESKMATE_ROOTS", "/no/such")], "folders").is("problem", &["DESKMATE_ROOTS", "/no/such"]);
}

/// A display of its own, until dropped.
struct Display(Child, String);

impl Display {
    fn start() -> Display {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut line = String::new();
        let stdout = server.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("Xvfb says its number");
        Display(server, format!(":{}", line.trim()))
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_screen_row() {
    let home = Home::new();
    let report = row(&home, &[], "screen").is("not_set_up", &["no display", "DISPLAY"]);
    assert!(!ready(&report, "fotos"));
    let display = Display::start();
    let name = display.1.clone();
    let report = row(&home, &[("DISPLAY", &name)], "screen").is("ok", &["X11", &name, "1 monitor"]);
    assert!(ready(&report, "fotos"));
    drop(display);
    row(&home, &[("DISPLAY", &name)], "screen").is("problem", &["cannot connect to the display", "DISPLAY"]);
    row(&home, &[("DISPLAY", &name), ("FOTOS_CAPTURE", "camera")], "screen").is("problem", &["camera"]);
    row(&home, &[("WAYLAND_DISPLAY", "nowhere"), ("XDG_RUNTIME_DIR", "/nonexistent")], "screen")
        .is("problem", &[]);
}

#[test]
fn the_row_of_the_socket() {
    let home = Home::new();
    let run = home.0.join("run");
    let variables = [("XDG_RUNTIME_DIR", run.to_str().expect("text"))];
    row(&home, &variables, "Fotos app").is("ok", &["not running"]);
    let folder = run.join("app/io.github.charly.fotos");
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("a mode");
    let listener = UnixListener::bind(folder.join("fotos.sock")).expect("a socket");
    row(&home, &variables, "Fotos app").is("ok", &["running; screenshots go through it"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("a mode");
    row(&home, &variables, "Fotos app").is("problem", &["others can reach", "chmod go-rwx"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("a mode");
    drop(listener);
    row(&home, &variables, "Fotos app").is("problem", &["nobody answers", "remove `"]);
    fs::remove_file(folder.join("fotos.sock")).expect("mended");
    row(&home, &variables, "Fotos app").is("ok", &[]);
}

#[test]
fn the_ocr_row() {
    let home = Home::new();
    row(&home, &[], "OCR").is("ok", &["eng"]);
    row(&home, &[("TESSDATA_PREFIX", "/no/such/folder")], "OCR")
        .is("problem", &["TESSDATA_PREFIX", "traineddata"]);
}

#[test]
fn the_videos_row() {
    let home = Home::new();
    row(&home, &[("PATH", "/nonexistent")], "videos").is("not_set_up", &["install `ffmpeg`"]);
    home.file("bin/ffmpeg", b"");
    let bin = home.0.join("bin");
    row(&home, &[("PATH", bin.to_str().expect("text"))], "videos").is("ok", &["bin/ffmpeg"]);
}

#[test]
fn the_model_keys_row_says_that_there_is_a_key_and_never_which() {
    let home = Home::new();
    let report = row(&home, &[], "model keys").is("not_set_up", &["on this machine", "ANTHROPIC_API_KEY"]);
    assert!(ready(&report, "zai-mcp-server"), "pictures are read without a model, too");
    row(&home, &[("VISION_PROVIDER", "gemini")], "model keys").is("problem", &["GEMINI_API_KEY"]);
    row(&home, &[("VISION_PROVIDER", "oracle")], "model keys").is("problem", &["VISION_PROVIDER", "oracle"]);
    let mended = [("VISION_PROVIDER", "gemini"), ("GEMINI_API_KEY", "sk-very-secret")];
    let report = row(&home, &mended, "model keys").is("ok", &["Gemini"]);
    assert!(!report.contains("very-secret"), "{report}");
}

#[test]
fn a_key_in_the_vault_is_known_by_its_name_and_looked_at_once() {
    let home = Home::new();
    let (folder, anchor, key) = (home.0.join("vault"), home.0.join("anchor"), home.0.join("key"));
    fs::create_dir_all(&anchor).expect("a folder");
    let owner = AuthyClient::new(Vault::at(&folder).anchored_in(&anchor), Credential::Keyfile(key.clone()));
    owner.init_vault().expect("a vault");
    let text = |path: &Path| path.to_str().expect("text").to_owned();
    let row = |more: &[(&str, &str)]| {
        let mut command = home.command(&["doctor", "--json", "--port", "1"]);
        command.env("AUTHY_HOME", &folder).env("AUTHY_ANCHOR", &anchor);
        row_of(command.envs(more.iter().copied()), "model keys")
    };
    let key = text(&key);
    let opened = [("AUTHY_KEYFILE", key.as_str()), ("VISION_PROVIDER", "gemini")];
    row(&opened).is("problem", &["nor in the vault", "GEMINI_API_KEY"]);
    owner.store("gemini-api-key", "very-secret", false).expect("stored");
    row(&[]).is("not_set_up", &["nothing here opens the vault", "authy store"]);
    let before = owner.session().expect("a session").audit_entries(None).expect("a log").len();
    let report = row(&opened).is("ok", &["in the vault, for Gemini"]);
    assert!(!report.contains("very-secret"), "{report}");
    let after = owner.session().expect("a session").audit_entries(None).expect("a log");
    assert!(after[before..].iter().all(|entry| entry.operation != Operation::Use), "no value was opened");
    // A token that may use it and see no names.
    owner.create_policy("models", &["*-api-key"], &[], None, true).expect("a policy");
    let grant = NewGrant::for_agent("x", PolicyName::new("models").expect("a name"));
    let token =
        owner.session().expect("a session").create_grant(&grant).expect("a grant").token.reveal().to_string();
    row(&[("AUTHY_TOKEN", &token)]).is("ok", &["in the vault"]);
}

#[test]
fn the_vault_rows() {
    let home = Home::new();
    row(&home, &[], "vault").is("not_set_up", &["there is none", "authy init"]);
    let folder = home.0.join("vault");
    let owner = AuthyClient::new(
        Vault::at(&folder).anchored_in(home.0.join("anchor")),
        Credential::Keyfile(home.0.join("key")),
    );
    fs::create_dir_all(home.0.join("anchor")).expect("a folder");
    owner.init_vault().expect("a vault");
    owner.store("github", "s3cret-value", false).expect("stored");
    owner.create_policy("dev", &["git*"], &[], None, false).expect("a policy");
    let anchor = home.0.join("anchor");
    let place: [(&str, &str); 2] =
        [("AUTHY_HOME", folder.to_str().expect("text")), ("AUTHY_ANCHOR", anchor.to_str().expect("text"))];
    let with = |more: &[(&'static str, String)]| -> Vec<(String, String)> {
        let place = place.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        place.chain(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone()))).collect()
    };
    let row = |variables: Vec<(String, String)>, name: &str| {
        row_of(home.command(&["doctor", "--json", "--port", "1"]).envs(variables), name)
    };
    row(with(&[]), "vault").is("ok", &["is intact"]);
    let report = row(with(&[]), "vault token").is("not_set_up", &["has none", "authy setup-agent"]);
    assert!(!ready(&report, "authy"));
    let grant = |lifetime: u64| {
        let policy = PolicyName::new("dev").expect("a name");
        let new =
            NewGrant { lifetime: Some(Duration::from_secs(lifetime)), ..NewGrant::for_agent("x", policy) };
        let issued = owner.session().expect("a session").create_grant(&new).expect("a grant");
        vec![("AUTHY_TOKEN", issued.token.reveal().to_string())]
    };
    let good = grant(90 * 24 * 3_600);
    let report = row(with(&good), "vault token").is("ok", &["opens `dev` until"]);
    assert!(
        ready(&report, "authy") && !report.contains(&good[0].1) && !report.contains("s3cret"),
        "{report}"
    );
    row(with(&grant(3_600)), "vault token").is("problem", &["only until", "authy setup-agent"]);
    owner.session().expect("a session").revoke_all_grants().expect("revoked");
    row(with(&good), "vault token").is("problem", &["revoked", "authy setup-agent"]);
    row(with(&[("AUTHY_TOKEN", "nonsense".into())]), "vault token").is("problem", &["Invalid token"]);
    row(with(&[("AUTHY_PASSPHRASE", "a passphrase".into())]), "vault token")
        .is("problem", &["AUTHY_PASSPHRASE"]);
    row(with(&[("AUTHY_KEYFILE", "/no/such".into())]), "vault token").is("problem", &["/no/such"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("a mode");
    row(with(&[]), "vault").is("problem", &["others can read", "chmod -R go-rwx"]);
    assert_eq!(fs::metadata(&folder).expect("there").permissions().mode() & 0o777, 0o755, "it only looks");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("mended");
    row(with(&[]), "vault").is("ok", &[]);
    let file = Vault::at(&folder).file();
    fs::write(&file, b"this is no database at all, and long enough to be looked at").expect("broken");
    row(with(&[]), "vault").is("problem", &[]);
}

#[test]
fn the_cookbook_row() {
    let home = Home::new();
    row(&home, &[], "cookbook").is("ok", &["recipes.db", "made on first use"]);
    home.run(&["call", "list_recipes"]).said();
    let file = home.0.join(".local/share/deskmate/recipe-vault/recipes.db");
    assert!(file.is_file());
    let before = (fs::read(&file).expect("a database"), home.files());
    row(&home, &[], "cookbook").is("ok", &["recipes.db", "schema "]);
    assert_eq!((fs::read(&file).expect("a database"), home.files()), before, "it only looks");
    let (whole, kept) = (file.parent().expect("a folder"), home.0.join("kept"));
    fs::rename(whole, &kept).expect("kept");
    fs::create_dir(whole).expect("a folder");
    fs::write(&file, b"this is no database at all, and long enough to be looked at").expect("broken");
    let report = row(&home, &[], "cookbook").is("problem", &["recipes.db", "restore a backup"]);
    assert!(!ready(&report, "recipe-vault"));
    fs::remove_dir_all(whole).expect("removed");
    fs::rename(&kept, whole).expect("mended");
    row(&home, &[], "cookbook").is("ok", &["schema "]);
    row(&home, &[("DATABASE_URL", "mysql://x")], "cookbook").is("problem", &["DATABASE_URL"]);
    row(&home, &[("DATABASE_URL", "postgres://me@127.0.0.1:1/x")], "cookbook").is("problem", &[]);
    row(&home, &[("USER_EMAIL", "nobody")], "cookbook").is("problem", &["USER_EMAIL"]);
}

#[test]
fn the_cookbook_row_looks_at_postgres_without_changing_it() {
    let server = postgres_testkit::Server::start();
    let url = server.database();
    let home = Home::new();
    row(&home, &[("DATABASE_URL", &url)], "cookbook").is("ok", &["PostgreSQL", "schema 0", "brings it to"]);
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(server.sql(&url, tables), "0", "nothing was made");
}

#[test]
fn the_http_row() {
    let home = Home::new();
    let row =
        |port: u16| row_of(home.command(&["doctor", "--json"]).args(["--port", &port.to_string()]), "HTTP");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let other = std::thread::spawn(move || {
        let (mut stream, _) = taken.accept().expect("a connection");
        let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nHello from somebody else\n");
    });
    row(port).is("problem", &["another program", "--port"]);
    other.join().expect("answered");
    row(port).is("not_set_up", &["nothing listens", "deskmate serve"]);
    let serving = Serving::start(&["--only", "info"]);
    row(serving.address.port()).is("ok", &["Deskmate serves"]);
    let closed = Serving::start(&["--only", "info", "--token", "a-s3cret-of-some-length"]);
    row(closed.address.port()).is("ok", &["Deskmate serves"]);
}
