//! The Debian packages, in a Debian with nothing else.

mod fotos;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp::Version;
use mcp_testkit::{Client, Folder};
use serde_json::json;

use crate::built::{VERSION, download, said, script, work};
use crate::debian::Debian;

const SUITE: &str = "bookworm";

/// How each program is made to speak MCP, and a tool it must have.
pub(crate) const SERVERS: &[(&[&str], &str)] = &[
    (&["deskmate", "stdio"], "deskmate_info"),
    (&["authy", "serve", "--mcp"], "list_secrets"),
    (&["metatag-genie"], "readImageMetadata"),
    (&["vision-mcp"], "analyze_image"),
    (&["recipe-vault"], "create_recipe"),
    (&["fotos-mcp"], "take_screenshot"),
];

fn installed(debian: &Debian, packages: &Path, version: &str) {
    let file = |name: &str| format!("/given/{name}_{version}_amd64.deb");
    debian.run(packages, &["dpkg", "--install", &file("fotos-mcp"), &file("deskmate")]);
}

fn out() -> PathBuf {
    work("out")
}

/// Packages that say they are of an earlier version. There was no release yet, so the programs in them are the same.
fn older() -> Folder {
    let folder = Folder::new();
    said(script("deb/build").args(["0.0.1"]).arg(folder.as_path()).env("DEB_COMPRESSION", "gzip"));
    folder
}

#[test]
fn every_program_of_the_debian_packages_serves_where_nothing_else_is() {
    let debian = Debian::new(SUITE);
    installed(&debian, &out(), VERSION);
    for (words, tool) in SERVERS {
        let mut client = Client::process(&mut debian.command(&out(), words)).speaking(Version::NEWEST_LEGACY);
        let tools = client.result("tools/list", json!({}));
        assert!(tools.to_string().contains(tool), "{words:?}: {tools}");
        assert_eq!(client.hang_up().code, Some(0), "{words:?}");
    }
}

#[test]
fn the_version_names_the_commit_and_the_package() {
    let debian = Debian::new(SUITE);
    installed(&debian, &out(), VERSION);
    let said = debian.run(&out(), &["deskmate", "--version"]);
    let (before, commit) = said.split_once("(commit ").unwrap_or_else(|| panic!("{said}"));
    assert_eq!(before, format!("deskmate {VERSION} "));
    let (commit, kind) = commit.split_once(", ").unwrap_or_else(|| panic!("{said}"));
    assert!(commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{said}");
    assert_eq!(kind, "deb)\n");
}

#[test]
fn an_older_version_is_upgraded_and_what_people_keep_stays() {
    let (debian, older) = (Debian::new(SUITE), older());
    installed(&debian, older.as_path(), "0.0.1");
    let recipe = r#"{"title":"Soup","ingredients":[{"name":"water"}],"steps":[{"instruction":"Boil."}]}"#;
    debian.run(older.as_path(), &["deskmate", "call", "create_recipe", recipe]);
    installed(&debian, &out(), VERSION);
    let status = debian.run(
        &out(),
        &["dpkg-query", "--show", "--showformat=${Version} ${Status}\n", "deskmate", "fotos-mcp"],
    );
    assert_eq!(status, format!("{VERSION} install ok installed\n").repeat(2));
    let recipes = debian.run(&out(), &["deskmate", "call", "list_recipes"]);
    assert!(recipes.contains("Soup"), "{recipes}");
}

#[test]
fn removing_the_packages_leaves_nothing() {
    let debian = Debian::new(SUITE);
    installed(&debian, &out(), VERSION);
    assert!(debian.changes().iter().any(|path| path == "usr/bin/deskmate"), "{:?}", debian.changes());
    debian.run(&out(), &["deskmate", "--version"]);
    debian.run(&out(), &["dpkg", "--purge", "deskmate", "fotos-mcp"]);
    assert_eq!(debian.changes(), Vec::<String>::new());
    let known = debian.run(&out(), &["dpkg-query", "--show", "--showformat=${Package}\n"]);
    assert!(!known.contains("deskmate") && !known.contains("fotos"), "{known}");
}

/// `fotos-mcp` is a package of its own that `deskmate` cannot be without.
#[test]
fn deskmate_depends_on_fotos_mcp_of_the_same_version() {
    let debian = Debian::new(SUITE);
    let output = debian
        .command(&out(), &["dpkg", "--install", &format!("/given/deskmate_{VERSION}_amd64.deb")])
        .output()
        .expect("dpkg");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(&format!("fotos-mcp (= {VERSION})")), "{said}");
}

/// Whoever built them owns nothing in them, nobody but root may write to what they install, and nothing runs as root.
#[test]
fn everything_in_them_is_of_root_and_for_all_to_read() {
    for package in ["deskmate_", "fotos-mcp_", "fotos_"] {
        let package = download(package, ".deb");
        let listed = said(Command::new("dpkg-deb").arg("--contents").arg(&package));
        for entry in listed.lines() {
            let mut words = entry.split_whitespace();
            let mode = words.next().unwrap_or_default();
            assert!(["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"].contains(&mode), "{entry}");
            assert_eq!(words.next(), Some("root/root"), "{entry}");
        }
        let scripts = said(Command::new("dpkg-deb").arg("--info").arg(&package));
        for script in ["preinst", "postinst", "prerm", "postrm", "conffiles"] {
            assert!(!scripts.contains(script), "{scripts}");
        }
    }
}

/// What runs goes on running with what it has open, and says so to clients, until the person restarts it.
#[test]
fn a_service_that_runs_survives_an_upgrade_and_the_removal() {
    const SCRIPT: &str = r#"
        set -eu
        answers() { exec 3<>/dev/tcp/127.0.0.1/8642 && printf 'GET / HTTP/1.1
Host: 127.0.0.1:8642
Connection: close

' >&3 && head -n 1 <&3; }
        dpkg --install /given/*_0.0.1_amd64.deb >/dev/null
        deskmate serve >/tmp/log 2>&1 &
        server=$!
        for _ in $(seq 300); do (answers) >/dev/null 2>&1 && break; sleep 0.1; done
        echo "running: $(answers)"
        dpkg --install /given/*_"$1"_amd64.deb >/dev/null
        echo "upgraded: $(answers)"
        dpkg --purge deskmate fotos-mcp >/dev/null
        echo "removed: $(answers)"
        kill "$server"
        wait "$server" && echo ended
        rm -r /tmp/log
    "#;
    let (debian, both) = (Debian::new(SUITE), older());
    for package in ["deskmate", "fotos-mcp"] {
        let name = format!("{package}_{VERSION}_amd64.deb");
        fs::copy(out().join(&name), both.path(&name)).expect("a copy");
        // The application needs more than there is here.
        let _ = fs::remove_file(both.path("fotos_0.0.1_amd64.deb"));
    }
    let told = debian.run(both.as_path(), &["bash", "-c", SCRIPT, "service", VERSION]);
    for (line, expected) in told.lines().zip(["running", "upgraded", "removed"]) {
        assert!(line.starts_with(&format!("{expected}: HTTP/1.1 ")), "{told}");
    }
    assert_eq!(told.lines().last(), Some("ended"), "{told}");
    // What is the person's stays; nothing else does.
    let left = debian.changes();
    let foreign: Vec<&String> = left.iter().filter(|path| !path.starts_with("root/.local/")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

/// Root installs, and somebody else uses it.
#[test]
fn somebody_else_than_root_uses_what_root_installed() {
    let debian = Debian::new(SUITE);
    installed(&debian, &out(), VERSION);
    debian.run(&out(), &["install", "-d", "-o", "4321", "-g", "4321", "/home/ada"]);
    let as_ada = ["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", "env", "HOME=/home/ada"];
    for (words, tool) in SERVERS {
        let words = [&as_ada[..], words].concat();
        let mut client =
            Client::process(&mut debian.command(&out(), &words)).speaking(Version::NEWEST_LEGACY);
        let tools = client.result("tools/list", json!({}));
        assert!(tools.to_string().contains(tool), "{words:?}: {tools}");
    }
    let version = debian.run(&out(), &[&as_ada[..], &["deskmate", "--version"]].concat());
    assert!(version.ends_with(", deb)\n"), "{version}");
}

#[test]
fn lintian_finds_no_error() {
    let mut lintian = Command::new("lintian");
    lintian.args(["--fail-on", "error", "--tag-display-limit", "0"]);
    for package in ["deskmate_", "fotos-mcp_", "fotos_"] {
        lintian.arg(download(package, ".deb"));
    }
    said(&mut lintian);
}

/// systemd reads it without a complaint; the program is not installed on this machine, so another stands in for it.
#[test]
fn the_unit_is_one_that_systemd_takes() {
    let debian = Debian::new(SUITE);
    installed(&debian, &out(), VERSION);
    let unit = debian.run(&out(), &["cat", "/usr/lib/systemd/user/deskmate.service"]);
    assert!(unit.contains("ExecStart=/usr/bin/deskmate serve\n"), "{unit}");
    let folder = Folder::new();
    let path = folder.path("deskmate.service");
    fs::write(&path, unit.replace("/usr/bin/deskmate", "/usr/bin/true")).expect("a file");
    // It complains, and says that all is well.
    let output = Command::new("systemd-analyze")
        .args(["verify", "--user", "--man=no"])
        .arg(&path)
        .env("XDG_RUNTIME_DIR", folder.as_path())
        .output()
        .expect("systemd-analyze");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn manual_pages_and_completions_are_there_for_every_program() {
    let debian = Debian::new(SUITE);
    installed(&debian, &out(), VERSION);
    for (words, _) in SERVERS {
        let name = words[0];
        for path in [
            format!("/usr/share/man/man1/{name}.1.gz"),
            format!("/usr/share/bash-completion/completions/{name}"),
            format!("/usr/share/zsh/vendor-completions/_{name}"),
            format!("/usr/share/fish/vendor_completions.d/{name}.fish"),
        ] {
            debian.run(&out(), &["test", "-s", &path]);
        }
        debian.run(&out(), &["bash", "-n", &format!("/usr/share/bash-completion/completions/{name}")]);
    }
}
