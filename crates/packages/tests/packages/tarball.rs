//! The tarball, in the oldest Debian that it promises to run on.

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

#[test]
fn it_says_so_where_it_was_not_unpacked_whole() {
    let debian = unpacked();
    let script = format!("cp /tmp/{}/install.sh /tmp/alone.sh && sh /tmp/alone.sh", name());
    let output = debian.command(&work("out"), &["sh", "-c", &script]).output().expect("sh");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("unpack the whole tarball"), "{complaint}");
    said(&mut debian.command(&work("out"), &["true"]));
}
