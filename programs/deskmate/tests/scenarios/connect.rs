//! `deskmate connect` and `disconnect`: real files in a home of their own, and the program that was written is started.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::binary::{Finished, finish};
use crate::home::Home;

/// A client, its file, and something that may be in it.
const CLIENTS: &[(&str, &str, &str)] = &[
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}",
    ),
    ("claude-code", ".claude.json", "{\n  \"numStartups\": 3,\n  \"projects\": {}\n}\n"),
    ("cursor", ".cursor/mcp.json", "\u{feff}{\r\n\t\"mcpServers\": { }\r\n}\r\n"),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "// mine\n{\n  \"servers\": {\n    \"a\": {}, // one\n  },\n}\n",
    ),
    ("copilot", ".copilot/mcp-config.json", "{}"),
    ("zed", ".config/zed/settings.json", "// Zed\n{\n   \"theme\": \"One\" /* dark */\n}"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", ""),
    ("codex", ".codex/config.toml", "# mine\r\nmodel = \"x\"\r\n[tui]\r\nnotifications = true"),
    ("gemini", ".gemini/settings.json", "{ \"theme\": \"x\", \"mcpServers\": {\n      \"b\": {} } }\n"),
    ("continue", ".continue/config.yaml", "name: mine # yes\nversion: 1.0.0\nmodels:\n- a\n"),
    ("goose", ".config/goose/config.yaml", "extensions:\n   developer: {enabled: true}\nGOOSE: |\n  text\n"),
    ("lm-studio", ".cache/lm-studio/mcp.json", "{\n\t\"mcpServers\": {}\n}"),
];

#[test]
fn every_app_is_connected_proved_and_disconnected_to_the_byte() {
    for (app, file, text) in CLIENTS {
        let home = Home::new();
        let path = home.file(file, text.as_bytes());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
        let said = home.run(&["connect", app, "--yes"]).said();
        assert!(said.contains("connected. It starts, and offers "), "{app}: {said}");
        let new = fs::read_to_string(&path).expect("the file");
        assert!(new.contains(env!("CARGO_BIN_EXE_deskmate")), "{app}: {new}");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o640);
        let backup = format!("{file}.before-deskmate");
        assert_eq!(fs::read(home.0.join(&backup)).expect("a backup"), text.as_bytes(), "{app}");
        // A second time nothing changes, and the backup stays what it was.
        home.run(&["connect", app, "--yes"]).said();
        assert_eq!(fs::read_to_string(&path).expect("the file"), new, "{app}");
        home.run(&["connect", app, "--yes", "--read-only"]).said();
        assert_ne!(fs::read_to_string(&path).expect("the file"), new, "{app}");
        home.run(&["disconnect", app, "--yes"]).said();
        assert_eq!(fs::read_to_string(&path).expect("the file"), *text, "{app}");
        assert_eq!(home.files(), [*file], "{app}");
    }
}

#[test]
fn an_app_without_a_file_gets_one_and_loses_it_again() {
    for (app, file, _) in CLIENTS {
        let home = Home::new();
        let file = if *app == "lm-studio" { ".lmstudio/mcp.json" } else { file };
        home.run(&["connect", app, "--yes"]).said();
        assert_eq!(home.files(), [file], "{app}");
        home.run(&["disconnect", app, "--yes"]).said();
        assert!(home.files().is_empty(), "{app}: {:?}", home.files());
    }
}

#[test]
fn what_was_changed_since_stays_when_the_entry_goes() {
    let home = Home::new();
    let path = home.file(".claude.json", b"{\n  \"a\": 1\n}\n");
    home.run(&["connect", "claude-code", "--yes"]).said();
    let new = fs::read_to_string(&path).expect("the file").replace("\"a\": 1", "\"a\": 2");
    fs::write(&path, &new).expect("changed by its app");
    home.run(&["disconnect", "claude-code", "--yes"]).said();
    assert_eq!(fs::read_to_string(&path).expect("the file"), "{\n  \"a\": 2,\n  \"mcpServers\": {\n  }\n}\n");
}

#[test]
fn a_link_stays_a_link() {
    let home = Home::new();
    let real = home.file("dotfiles/mcp.json", b"{}\n");
    fs::create_dir_all(home.0.join(".cursor")).expect("a folder");
    symlink(&real, home.0.join(".cursor/mcp.json")).expect("a link");
    home.run(&["connect", "cursor", "--yes"]).said();
    assert!(home.0.join(".cursor/mcp.json").is_symlink());
    assert!(fs::read_to_string(&real).expect("the file").contains("deskmate"));
    home.run(&["disconnect", "cursor", "--yes"]).said();
    assert_eq!(fs::read(&real).expect("the file"), b"{}\n");
    assert_eq!(home.files(), [".cursor/mcp.json", "dotfiles/mcp.json"]);
}

#[test]
fn broken_foreign_and_odd_files_are_refused_and_left_alone() {
    for (app, file, text, reason) in [
        ("cursor", ".cursor/mcp.json", &b"{\n  \"a\" 1\n}"[..], "line 2, column 7"),
        ("claude-code", ".claude.json", b"{ // no\n}", "line 1, column 3"),
        ("codex", ".codex/config.toml", b"a = 1\nb = = 2\n", "line 2, column 5"),
        ("goose", ".config/goose/config.yaml", b"a: 1\n b: 2\n", "line 2"),
        ("zed", ".config/zed/settings.json", b"\xff\xfe{\0}\0", "not UTF-8"),
        ("cursor", ".cursor/mcp.json", b"{\"mcpServers\":{\"deskmate\":{\"command\":\"x\"}}}", "--name"),
    ] {
        let home = Home::new();
        let path = home.file(file, text);
        let refused = home.run(&["connect", app, "--yes"]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.stdout.contains(reason), "{app}: {}", refused.stdout);
        assert_eq!(fs::read(&path).expect("the file"), text);
        assert_eq!(home.files(), [file]);
        for command in ["connect", "disconnect"] {
            let refused = home.run(&[command, app, "--yes", "--json"]);
            let json: Value = serde_json::from_str(&refused.stdout).expect("JSON");
            assert_eq!(json[0]["file"].as_str(), path.to_str(), "{json}");
        }
    }
}

#[test]
fn a_read_only_file_is_refused() {
    let home = Home::new();
    let path = home.file(".cursor/mcp.json", b"{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
    Command::new("chown").args(["-R", "65534:65534"]).arg(&home.0).status().expect("chown");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_deskmate")]);
    command
        .args(["connect", "cursor", "--yes"])
        .env_clear()
        .env("HOME", &home.0)
        .env("PATH", "/usr/bin:/bin");
    let refused = finish(&mut command, "");
    assert_eq!(refused.code, Some(1), "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stdout.contains("read-only") && refused.stdout.contains("--print"), "{}", refused.stdout);
    assert_eq!(
        (fs::read(&path).expect("the file"), home.files()),
        (b"{}".to_vec(), vec![".cursor/mcp.json".into()])
    );
}

#[test]
fn a_look_first_changes_nothing() {
    let home = Home::new();
    let path = home.file(".cursor/mcp.json", b"{\n}\n");
    let said = home.run(&["connect", "cursor", "--dry-run"]).said();
    assert!(said.contains("+  \"mcpServers\": {") && said.contains("@@"), "{said}");
    let printed = home.run(&["connect", "cursor", "zed", "--print"]).said();
    assert!(printed.contains("\"context_servers\"") && printed.contains("cursor://anysphere"), "{printed}");
    let json: Value =
        serde_json::from_str(&home.run(&["connect", "cursor", "--dry-run", "--json"]).said()).expect("JSON");
    assert_eq!((json[0]["app"].as_str(), json[0]["action"].as_str()), (Some("cursor"), Some("add")));
    let nobody = home.run(&["connect", "cursor"]).complained(2);
    assert!(nobody.contains("--yes"), "{nobody}");
    assert_eq!(
        (fs::read(&path).expect("the file"), home.files()),
        (b"{\n}\n".to_vec(), vec![".cursor/mcp.json".into()])
    );
}

#[test]
fn apps_that_are_installed_are_found_and_others_are_named() {
    let home = Home::new();
    let none = home.run(&["connect", "--yes"]).complained(2);
    assert!(none.contains("no AI app was found") && none.contains("claude-code"), "{none}");
    let unknown = home.run(&["connect", "emacs", "--yes"]).complained(2);
    assert!(unknown.contains("`emacs`") && unknown.contains("goose"), "{unknown}");
    home.file(".cursor/mcp.json", b"{}");
    fs::create_dir_all(home.0.join(".gemini")).expect("a folder");
    let json: Value = serde_json::from_str(&home.run(&["connect", "--yes", "--json"]).said()).expect("JSON");
    let apps: Vec<&str> =
        json.as_array().expect("apps").iter().filter_map(|app| app["app"].as_str()).collect();
    assert_eq!(apps, ["cursor", "gemini"]);
    assert!(json[0]["tools"].as_u64() > Some(10), "{json}");
}

#[test]
fn a_project_has_a_file_of_its_own() {
    let home = Home::new();
    home.run(&["connect", "claude-code", "vscode", "continue", "--project", "--yes"]).said();
    assert_eq!(home.files(), [".continue/mcpServers/deskmate.yaml", ".mcp.json", ".vscode/mcp.json"]);
    home.run(&["disconnect", "claude-code", "vscode", "continue", "--project", "--yes"]).said();
    assert!(home.files().is_empty());
}

/// A project that somebody else wrote may bring an entry whose variables let agents open more, or send pictures elsewhere.
#[test]
fn variables_that_were_there_before_are_named() {
    let home = Home::new();
    home.file(
        ".mcp.json",
        b"{\"mcpServers\":{\"deskmate\":{\"command\":\"/x/deskmate\",\"args\":[],\"env\":{\"DESKMATE_ROOTS\":\"/\",\"A\":\"s3cret\"}}}}",
    );
    let said = home.run(&["connect", "claude-code", "--project", "--yes"]).said();
    assert!(said.contains("variables that were there before: A, DESKMATE_ROOTS"), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
    let json = home.run(&["connect", "claude-code", "--project", "--yes", "--json"]).said();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[0]["other_variables"], json!(["A", "DESKMATE_ROOTS"]));
}

#[test]
fn a_file_of_somebody_else_does_nothing_to_the_terminal() {
    let escape = "\\u001b[2J";
    for text in [
        format!("{{\"{escape}\":1,\"{escape}\":2}}"),
        format!(
            "{{\"mcpServers\":{{\"deskmate\":{{\"command\":\"deskmate\",\"args\":[],\"env\":{{\"LD_{escape}\":\"\"}}}}}}}}"
        ),
        format!(
            "{{\"mcpServers\":{{\"deskmate\":{{\"command\":\"deskmate\",\"args\":[],\"env\":{{\"{escape}\":\"\"}}}}}}}}"
        ),
    ] {
        let home = Home::new();
        home.file(".mcp.json", text.as_bytes());
        let done = home.run(&["connect", "claude-code", "--project", "--yes"]);
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(said.contains("\u{fffd}[2J") && !said.contains('\u{1b}'), "{said:?}");
    }
}

/// What an app starts is what is in its file, with the variables in it and a bare environment.
#[test]
fn connect_with_a_folder_lets_the_app_open_what_is_in_it_and_nothing_else() {
    let home = Home::new();
    let photos = home.0.join("photos");
    fs::create_dir_all(&photos).expect("a folder");
    home.run(&["connect", "claude-code", "--yes", "--folder", "photos", "--server", "photos"]).said();
    assert_eq!(
        fs::read_to_string(home.0.join(".local/share/deskmate/folders")).expect("the list"),
        format!("{}\n", fs::canonicalize(&photos).expect("a path").display())
    );
    let file: Value =
        serde_json::from_slice(&fs::read(home.0.join(".claude.json")).expect("a file")).expect("JSON");
    let entry = &file["mcpServers"]["deskmate"];
    assert_eq!((entry["type"].as_str(), &entry["args"]), (Some("stdio"), &json!(["stdio", "photos"])));
    let mut command = Command::new(entry["command"].as_str().expect("a command"));
    command.args(["stdio", "photos"]).env_clear().env("HOME", &home.0);
    let mut client = Client::process(&mut command);
    let outside = home.0.join("secret.png");
    let answer = client
        .request("tools/call", json!({ "name": "readImageMetadata", "arguments": { "filePath": outside } }));
    let text = answer.to_string();
    assert!(text.contains("photos") && !text.contains("does not exist"), "{text}");
}

/// Killed at any moment: the file is the old one or the new one, and once it is new the backup is there.
#[test]
fn a_kill_leaves_the_old_or_the_new_file_and_the_backup() {
    let old = format!("{{\n  \"filler\": \"{}\"\n}}\n", "x".repeat(1 << 20));
    let mut seen = [0_usize; 2];
    for round in 0..40_u32 {
        let home = Home::new();
        let path = home.file(".cursor/mcp.json", old.as_bytes());
        let mut child = home.command(&["connect", "cursor", "--yes"]).spawn().expect("deskmate starts");
        // Not synchronisation: any moment is a good one to be killed at.
        std::thread::sleep(std::time::Duration::from_micros(u64::from(round) * 1_500));
        child.kill().expect("killed");
        child.wait().expect("gone");
        let now = fs::read_to_string(&path).expect("the file");
        let backup = fs::read_to_string(home.0.join(".cursor/mcp.json.before-deskmate")).ok();
        assert!(backup.as_ref().is_none_or(|backup| *backup == old), "a half backup");
        if now == old {
            seen[0] += 1;
        } else {
            seen[1] += 1;
            assert!(now.contains("\"deskmate\"") && now.ends_with("}\n") && now.len() > old.len());
            assert_eq!(backup.as_deref(), Some(old.as_str()));
            home.run(&["disconnect", "cursor", "--yes"]).said();
            assert_eq!(fs::read_to_string(&path).expect("the file"), old);
        }
    }
    assert!(seen[0] > 0, "no kill came early enough: {seen:?}");
}

/// A file system with no room left for a second copy.
#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    let home = Home::new();
    let disk = home.0.join(".cursor");
    fs::create_dir_all(&disk).expect("a folder");
    let script = "mount -t tmpfs -o size=256k none \"$HOME/.cursor\" && head -c 200000 /dev/zero | tr '\\0' ' ' > \"$HOME/.cursor/mcp.json\" && \
                  echo '{}' >> \"$HOME/.cursor/mcp.json\" && cksum < \"$HOME/.cursor/mcp.json\" && \
                  { \"$0\" connect cursor --yes; echo \"code $?\"; } && cksum < \"$HOME/.cursor/mcp.json\" && ls -A \"$HOME/.cursor\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_deskmate")]);
    command.env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    let done = finish(&mut command, "");
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert!(lines.len() >= 5, "{}{}", done.stdout, done.stderr);
    assert!(lines.contains(&"code 1") && done.stdout.contains("No space left"), "{}", done.stdout);
    assert_eq!(lines.iter().filter(|line| **line == lines[0]).count(), 2, "{}", done.stdout);
    assert_eq!(lines.last(), Some(&"mcp.json"), "{}", done.stdout);
}

/// What a person sees who types these lines at a terminal.
fn typed(home: &Home, arguments: &str, lines: &str) -> Finished {
    let mut command = Command::new("script");
    let typed = format!("{} {arguments}", env!("CARGO_BIN_EXE_deskmate"));
    command.args(["--quiet", "--return", "--command", &typed, "/dev/null"]);
    command.env_clear().env("HOME", &home.0).env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
    finish(&mut command, lines)
}

#[test]
fn a_person_is_asked_which_servers_which_folders_and_for_a_yes() {
    let home = Home::new();
    let path = home.file(".cursor/mcp.json", b"{}\n");
    fs::create_dir_all(home.0.join("Pictures")).expect("a folder");
    let seen = typed(&home, "connect cursor", "recipes, photos\n~/Pictures\ny\n");
    assert_eq!(seen.code, Some(0), "{}", seen.stdout);
    for words in [
        "What should agents be able to use?",
        "secrets",
        "Which folders",
        "Now: all of your home folder",
        "Change Cursor? [y/N]",
    ] {
        assert!(seen.stdout.contains(words), "{words}: {}", seen.stdout);
    }
    let written: Value = serde_json::from_slice(&fs::read(&path).expect("the file")).expect("JSON");
    assert_eq!(written["mcpServers"]["deskmate"]["args"], json!(["stdio", "recipes", "photos"]));
    let folders = fs::read_to_string(home.0.join(".local/share/deskmate/folders")).expect("the list");
    assert!(folders.contains("/Pictures"), "{folders}");
    // Nothing but Enter is all servers, the folders as they are, and no. Who says no gives no folder away either.
    let before = fs::read(&path).expect("the file");
    fs::create_dir_all(home.0.join("private")).expect("a folder");
    for answers in ["\n\n\n", "\n~/private\nn\n"] {
        let declined = typed(&home, "connect cursor", answers);
        assert!(declined.stdout.contains("/Pictures\r\n"), "{}", declined.stdout);
        assert!(declined.stdout.contains("left as it is"), "{}", declined.stdout);
        assert_eq!(fs::read(&path).expect("the file"), before);
        assert_eq!(
            fs::read_to_string(home.0.join(".local/share/deskmate/folders")).expect("the list"),
            folders
        );
    }
    let unknown = typed(&home, "connect cursor", "nonsense\n");
    assert_eq!(unknown.code, Some(2), "{}", unknown.stdout);
    assert!(!typed(&home, "connect cursor --server recipes --dry-run", "").stdout.contains("What should"));
}

#[test]
fn an_entry_has_a_name_that_every_app_takes() {
    let home = Home::new();
    let long = "x".repeat(65);
    for name in ["", "two words", "a.b", "a\"b", "ä", long.as_str()] {
        for command in ["connect", "disconnect"] {
            let refused = home.run(&[command, "codex", "--yes", "--name", name]).complained(2);
            assert!(refused.contains("letters, digits"), "{name}: {refused}");
        }
    }
    assert!(home.files().is_empty());
}

#[test]
fn an_app_we_do_not_know_can_be_given_the_entry() {
    let printed = Home::new().run(&["connect", "--print"]).said();
    assert!(printed.contains("\"mcpServers\"") && printed.contains("\"stdio\""), "{printed}");
}

/// "Try everything, break anything": the person's own apps are no part of it.
#[test]
fn the_demo_leaves_apps_and_services_alone() {
    let home = Home::new();
    let path = home.file(".cursor/mcp.json", b"{}");
    for arguments in [
        &["--demo", "connect", "cursor", "--yes"][..],
        &["--demo", "disconnect", "cursor", "--yes"],
        &["connect", "cursor", "--yes", "--demo"],
        &["--demo", "serve", "--install"],
    ] {
        let refused = home.run(arguments).complained(2);
        assert!(refused.contains("without `--demo`"), "{refused}");
    }
    assert_eq!(fs::read(&path).expect("the file"), b"{}");
    assert_eq!(home.files(), [".cursor/mcp.json"]);
}

/// Somebody had entered an older Deskmate by hand: afterwards the app starts none.
#[test]
fn an_entry_from_before_does_not_come_back() {
    let home = Home::new();
    let old = "{\n  \"mcpServers\": {\n    \"deskmate\": {\"command\": \"/old/deskmate\", \"args\": [\"stdio\"]}\n  }\n}\n";
    let path = home.file(".cursor/mcp.json", old.as_bytes());
    home.run(&["connect", "cursor", "--yes"]).said();
    home.run(&["disconnect", "cursor", "--yes"]).said();
    let left = fs::read_to_string(&path).expect("the file");
    assert!(!left.contains("deskmate"), "{left}");
    assert!(home.run(&["disconnect", "cursor", "--yes"]).said().contains("was not connected"));
}

/// The same, as one line of TOML.
#[test]
fn an_inline_entry_that_was_brought_up_to_date_can_be_taken_out() {
    let home = Home::new();
    let old = "model = \"o\"\n\n[mcp_servers]\na = { command = \"a\" }\ndeskmate = { command = \"/old/deskmate\" } # mine\n";
    let path = home.file(".codex/config.toml", old.as_bytes());
    home.run(&["connect", "codex", "--yes"]).said();
    home.run(&["disconnect", "codex", "--yes"]).said();
    let left = fs::read_to_string(&path).expect("the file");
    assert_eq!(left, "model = \"o\"\n\n[mcp_servers]\na = { command = \"a\" }\n");
}

#[test]
fn null_in_place_of_servers_comes_back_to_the_byte() {
    let home = Home::new();
    let files = [
        ("cursor", ".cursor/mcp.json", "\u{feff}{\r\n\t\"mcpServers\" : null\r\n}"),
        ("goose", ".config/goose/config.yaml", "extensions: ~ # none\nx: 1\n"),
        ("continue", ".continue/config.yaml", "name: x\nmcpServers: null\n"),
    ];
    for (app, file, old) in files {
        let path = home.file(file, old.as_bytes());
        home.run(&["connect", app, "--yes"]).said();
        assert!(fs::read_to_string(&path).expect("the file").contains("stdio"));
        home.run(&["disconnect", app, "--yes"]).said();
        assert_eq!(fs::read_to_string(&path).expect("the file"), old);
    }
}

/// The person gave the entry a token; whoever runs the command, such as an agent, does not read it.
#[test]
fn a_token_in_an_entry_is_not_printed_when_the_entry_changes_or_goes() {
    let home = Home::new();
    let entry =
        "{\"command\": \"/old/deskmate\", \"env\": {\"AUTHY_TOKEN\": \"s3cret\"}, \"args\": [\"s3cret\"]}";
    home.file(
        ".cursor/mcp.json",
        format!("{{\n  \"mcpServers\": {{\"deskmate\": {entry}}}\n}}\n").as_bytes(),
    );
    for arguments in [
        &["disconnect", "cursor", "--dry-run", "--json"][..],
        &["disconnect", "cursor", "--dry-run"],
        &["connect", "cursor", "--dry-run"],
        &["connect", "cursor", "--yes", "--json"],
        &["disconnect", "cursor", "--yes", "--json"],
    ] {
        let said = home.run(arguments).said();
        assert!(!said.contains("s3cret"), "{arguments:?}: {said}");
        assert!(said.contains("deskmate"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_link_that_leads_nowhere_is_named_as_such() {
    let home = Home::new();
    fs::create_dir_all(home.0.join(".cursor")).expect("a folder");
    for target in ["nowhere.json", "mcp.json"] {
        let link = home.0.join(".cursor/mcp.json");
        let _ = fs::remove_file(&link);
        symlink(target, &link).expect("a link");
        let refused = home.run(&["connect", "cursor", "--yes"]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.stdout.contains("leads nowhere"), "{}", refused.stdout);
        assert_eq!(home.files(), [".cursor/mcp.json"]);
    }
}

#[test]
fn several_processes_make_one_demo() {
    let home = Home::new();
    // What a process left that was killed while it made the demo.
    home.file(".cache/deskmate-demo/vault/vault.db", b"half");
    fs::set_permissions(home.0.join(".cache/deskmate-demo"), fs::Permissions::from_mode(0o700))
        .expect("a mode");
    let all: Vec<Finished> = std::thread::scope(|scope| {
        let run = || home.run(&["--demo", "call", "list_recipes"]);
        let running: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
        running.into_iter().map(|one| one.join().expect("an end")).collect()
    });
    for one in all {
        assert!(one.said().contains("apple cake"));
    }
}

/// The window is the person's own: what is tried in the demo is neither shown nor kept there.
#[test]
fn the_demo_does_not_reach_the_window_of_fotos() {
    let home = Home::new();
    let folder = home.0.join("run/app/io.github.charly.fotos");
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("a mode");
    let window = UnixListener::bind(folder.join("fotos.sock")).expect("a socket");
    window.set_nonblocking(true).expect("no waiting");
    let mut command = home.command(&["--demo", "call", "list_screenshots"]);
    finish(command.env("XDG_RUNTIME_DIR", home.0.join("run")), "").said();
    assert_eq!(window.accept().expect_err("nobody").kind(), std::io::ErrorKind::WouldBlock);
}
