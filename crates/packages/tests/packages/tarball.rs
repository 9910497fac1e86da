//! The tarball, in the oldest Debian that it promises to run on.

use std::process::Command;

use mcp::Version;
use mcp_testkit::Client;
use serde_json::json;

use crate::built::{VERSION, said, work};
use crate::deb::SERVERS;
use crate::debian::Debian;

const SUITE: &str = "bullseye";

fn name() -> String {
    format!("deskmate-{VERSION}-x86_64-linux-gnu")
}

/// Unpacked in `/tmp`.
fn unpacked() -> Debian {
    let debian = Debian::new(SUITE);
    let archive = format!("/given/{}.tar.gz", name());
    debian.run(&work("out"), &["tar", "--extract", "--gzip", "--file", &archive, "--directory", "/tmp"]);
    debian
}

fn install(debian: &Debian, words: &[&str]) -> String {
    let script = format!("/tmp/{}/install.sh", name());
    debian.run(&work("out"), &[&["sh", &script], words].concat())
}

#[test]
fn the_oldest_debian_has_the_glibc_that_is_promised() {
    let debian = Debian::new(SUITE);
    let version = debian.run(&work("out"), &["ldd", "--version"]);
    assert!(version.lines().next().is_some_and(|line| line.ends_with(" 2.31")), "{version}");
}

#[test]
fn every_program_of_the_tarball_serves_on_the_oldest_debian() {
    let debian = unpacked();
    let told = install(&debian, &[]);
    assert!(told.contains("/usr/local/bin") && told.contains("deskmate connect"), "{told}");
    for (words, tool) in SERVERS {
        let mut client =
            Client::process(&mut debian.command(&work("out"), words)).speaking(Version::NEWEST_LEGACY);
        let tools = client.result("tools/list", json!({}));
        assert!(tools.to_string().contains(tool), "{words:?}: {tools}");
        assert_eq!(client.hang_up().code, Some(0), "{words:?}");
    }
    let version = debian.run(&work("out"), &["deskmate", "--version"]);
    assert!(version.contains("(commit ") && version.ends_with(", tarball)\n"), "{version}");
}

#[test]
fn a_person_installs_it_into_a_prefix_and_the_unit_names_that() {
    let debian = unpacked();
    let told = install(&debian, &["--prefix", "/home/ada & co/100%"]);
    assert!(told.contains("not on your search path"), "{told}");
    let unit = debian.run(&work("out"), &["cat", "/home/ada & co/100%/share/systemd/user/deskmate.service"]);
    assert!(unit.contains("ExecStart=\"/home/ada & co/100%%/bin/deskmate\" serve\n"), "{unit}");
    debian.run(&work("out"), &["/home/ada & co/100%/bin/deskmate", "--version"]);
}

#[test]
fn removing_the_tarball_leaves_nothing_and_installing_twice_is_no_harm() {
    let debian = unpacked();
    let before = debian.changes();
    install(&debian, &[]);
    install(&debian, &[]);
    assert!(debian.changes().len() > before.len());
    install(&debian, &["--uninstall"]);
    assert_eq!(debian.changes(), before);
    let again = debian
        .command(&work("out"), &["sh", &format!("/tmp/{}/install.sh", name()), "--uninstall"])
        .output()
        .expect("sh");
    assert!(!again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
}

/// A file that an earlier version had, and this one has not, goes with the upgrade; one that nobody noted stays.
#[test]
fn an_upgrade_removes_what_is_no_longer_part_of_it() {
    let debian = unpacked();
    install(&debian, &[]);
    let prepare = "cd /usr/local && mkdir -p share/old && echo x >share/old/page && echo x >share/mine \
                   && printf 'share/old/\nshare/old/page\n' >>share/deskmate/installed";
    debian.run(&work("out"), &["sh", "-c", prepare]);
    install(&debian, &[]);
    debian
        .run(&work("out"), &["sh", "-c", "test ! -e /usr/local/share/old && test -e /usr/local/share/mine"]);
}

/// A person installs it for themselves: with another user's number, names in their own language, and an environment that misleads.
#[test]
fn the_environment_does_not_lead_it_astray() {
    const SCRIPT: &str = r#"
        set -eu
        umask 077
        mkdir "/home/ada/Größe 日本"
        ln -s "Größe 日本" /home/ada/link
        mkdir -p "/home/ada/elsewhere/$1"
        cd /tmp
        export CDPATH=/home/ada/elsewhere IFS=/ PREFIX=/ here=/ list=/etc/passwd ENV=/nowhere
        sh "$1/install.sh" --prefix /home/ada/link
        unset CDPATH IFS
        "/home/ada/Größe 日本/bin/deskmate" --version
        find "/home/ada/Größe 日本" -mindepth 1 ! -perm -444
        sh "/tmp/$1/install.sh" --prefix "/home/ada/Größe 日本" --uninstall
        find "/home/ada/Größe 日本" -mindepth 1
    "#;
    let debian = unpacked();
    debian.run(&work("out"), &["install", "-d", "-o", "4321", "-g", "4321", "/home/ada"]);
    let as_ada = ["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", "env", "HOME=/home/ada"];
    let told = debian.run(&work("out"), &[&as_ada[..], &["sh", "-c", SCRIPT, "ada", &name()]].concat());
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.first(), Some(&"Deskmate is installed in /home/ada/link/bin."), "{told}");
    assert!(lines.iter().any(|line| line.ends_with(", tarball)")), "{told}");
    // Nothing that others cannot read, and nothing that is left.
    assert!(lines.last().is_some_and(|line| line.starts_with("Deskmate is removed from ")), "{told}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("/home/ada/")).count(), 0, "{told}");
}

/// Somebody careful unpacks it for themselves alone, and installs it for everybody.
#[test]
fn what_was_unpacked_for_one_is_installed_for_all() {
    const SCRIPT: &str = r#"
        set -eu
        umask 077
        chmod -R go= "/tmp/$1"
        sh "/tmp/$1/install.sh" >/dev/null
        find /usr/local/bin /usr/local/share/deskmate /usr/local/share/man -mindepth 1 ! -perm -444
        find /usr/local/bin -type f ! -perm 755
        setpriv --reuid=4321 --regid=4321 --clear-groups deskmate --version
    "#;
    let told = unpacked().run(&work("out"), &["sh", "-c", SCRIPT, "careful", &name()]);
    assert!(told.lines().count() == 1 && told.ends_with(", tarball)\n"), "{told}");
}

/// Below a home, what is installed and what Deskmate keeps for the person share a folder, which the doctor wants closed.
#[test]
fn what_a_person_keeps_is_closed_to_others_and_stays() {
    const SCRIPT: &str = r#"
        set -eu
        umask 0
        cd "$HOME"
        sh "/tmp/$1/install.sh" --prefix .local/// | head -n 1
        deskmate=$HOME/.local/bin/deskmate
        "$deskmate" call create_recipe \
            '{"title":"Soup","ingredients":[{"name":"water"}],"steps":[{"instruction":"Boil."}]}' >/dev/null
        stat --format %a .local/share/deskmate
        sh "/tmp/$1/install.sh" >/dev/null
        ("$deskmate" doctor || true) | grep --only-matching '^[a-z]* *state folder'
        sh "/tmp/$1/install.sh" --uninstall >/dev/null
        find . -type f ! -path './.local/share/deskmate/recipe-vault/*'
        test -s .local/share/deskmate/recipe-vault/recipes.db
    "#;
    let debian = unpacked();
    debian.run(&work("out"), &["install", "-d", "-o", "4321", "-g", "4321", "/home/ada b"]);
    let as_ada = ["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", "env", "HOME=/home/ada b"];
    let told = debian.run(&work("out"), &[&as_ada[..], &["sh", "-c", SCRIPT, "ada", &name()]].concat());
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines,
        ["Deskmate is installed in /home/ada b/.local/bin.", "700", "ok          state folder"],
        "{told}"
    );
}

/// It would be a line of the unit of systemd.
#[test]
fn a_prefix_with_a_line_break_is_refused() {
    let debian = unpacked();
    let before = debian.changes();
    let script = format!("/tmp/{}/install.sh", name());
    let words = ["sh", &script, "--prefix", "/opt/a\nExecStartPre=/bin/true"];
    let output = debian.command(&work("out"), &words).output().expect("sh");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("line break"), "{complaint}");
    assert_eq!(debian.changes(), before);
}

/// A list that somebody wrote into does not reach out of the prefix.
#[test]
fn removing_it_touches_nothing_outside_of_the_prefix() {
    let debian = unpacked();
    install(&debian, &[]);
    let prepare = "echo x >/opt/mine && mkdir /opt/empty && cd /usr/local/share/deskmate \
                   && printf '%s\n' ../../opt/mine share/../../../opt/mine ../../opt/empty/ share/../../../opt/empty/ .. bin/.. \
                   >>installed";
    debian.run(&work("out"), &["sh", "-c", prepare]);
    install(&debian, &["--uninstall"]);
    debian.run(
        &work("out"),
        &["sh", "-c", "test -e /opt/mine && test -e /opt/empty && test ! -e /usr/local/bin/deskmate"],
    );
}

/// A variable without a value would otherwise install it where nobody meant to.
#[test]
fn an_empty_prefix_is_refused() {
    let debian = unpacked();
    let before = debian.changes();
    let script = format!("/tmp/{}/install.sh", name());
    for words in [&["--prefix", ""][..], &["--prefix="], &["--prefix"]] {
        let output = debian.command(&work("out"), &[&["sh", &script], words].concat()).output().expect("sh");
        assert!(!output.status.success(), "{words:?}");
    }
    assert_eq!(debian.changes(), before);
}

/// It is refused before anything is there.
#[test]
fn a_folder_where_a_file_goes_is_left_as_it_is() {
    let debian = unpacked();
    debian.run(&work("out"), &["install", "-D", "/etc/passwd", "/opt/p/bin/deskmate/mine"]);
    let before = debian.changes();
    let script = format!("/tmp/{}/install.sh", name());
    let output = debian.command(&work("out"), &["sh", &script, "--prefix", "/opt/p"]).output().expect("sh");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("/opt/p/bin/deskmate"), "{complaint}");
    assert_eq!(debian.changes(), before);
}

/// A disk that is too small for it: what is there then is all noted, and can be removed.
#[test]
fn what_a_full_disk_stopped_is_removed_again() {
    const SCRIPT: &str = r#"
        set -eu
        mkdir /small
        mount -t tmpfs -o size=8m tmpfs /small
        if sh "/tmp/$1/install.sh" --prefix /small/p 2>/dev/null; then exit 1; fi
        find /small -name '*.new'
        sh "/tmp/$1/install.sh" --prefix /small/p --uninstall >/dev/null
        find /small -mindepth 1
        find /tmp -name 'tmp.*'
    "#;
    let told = unpacked().run(&work("out"), &["sh", "-c", SCRIPT, "full", &name()]);
    assert_eq!(told, "");
}

/// A program that runs is replaced and removed, and goes on.
#[test]
fn a_program_that_runs_is_no_obstacle() {
    const SCRIPT: &str = r#"
        set -eu
        sh "/tmp/$1/install.sh" >/dev/null
        mkfifo /tmp/hold
        metatag-genie </tmp/hold >/dev/null &
        server=$!
        exec 3>/tmp/hold
        sh "/tmp/$1/install.sh" >/dev/null
        sh "/tmp/$1/install.sh" --uninstall >/dev/null
        kill -0 "$server"
        exec 3>&-
        wait "$server" && echo ended
    "#;
    let told = unpacked().run(&work("out"), &["sh", "-c", SCRIPT, "running", &name()]);
    assert_eq!(told, "ended\n");
}

#[test]
fn everything_in_the_tarball_is_of_root_and_for_all_to_read() {
    let archive = work("out").join(format!("{}.tar.gz", name()));
    let listed =
        said(Command::new("tar").args(["--list", "--verbose", "--numeric-owner", "--file"]).arg(archive));
    for entry in listed.lines() {
        let mut words = entry.split_whitespace();
        let mode = words.next().unwrap_or_default();
        assert!(["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"].contains(&mode), "{entry}");
        assert_eq!(words.next(), Some("0/0"), "{entry}");
        assert!(
            words.last().is_some_and(|path| path.starts_with(&name()) && !path.contains("..")),
            "{entry}"
        );
    }
}

#[test]
fn it_says_so_where_it_was_not_unpacked_whole() {
    let debian = unpacked();
    let script = format!("cp /tmp/{}/install.sh /tmp/alone.sh && sh /tmp/alone.sh", name());
    let output = debian.command(&work("out"), &["sh", "-c", &script]).output().expect("sh");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("unpack the whole tarball"), "{complaint}");
    said(&mut debian.command(&work("out"), &["true"]));
}
