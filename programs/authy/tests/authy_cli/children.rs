//! Commands that get secrets: what somebody who writes files, or asks for the command, can make of them.

use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use crate::home::{Home, finish};

fn script(home: &Home, name: &str, text: &str) -> String {
    let path = home.file(name, text);
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a mode");
    path
}

/// A vault with a secret for a command, and a token that may use it.
fn with_rule(rule: &[&str]) -> (Home, String) {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    home.run(&[&["set", "deploy-key"], rule].concat()).said();
    let token = home.token("all", "*", "list,use");
    (home, token)
}

#[test]
fn a_hook_in_the_folder_of_the_caller_is_not_run() {
    let (home, token) = with_rule(&["--command", "git push *", "--network"]);
    let folder = home.path("project");
    let git = |arguments: &[&str]| {
        let done =
            std::process::Command::new("git").args(arguments).current_dir(&folder).output().expect("git");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    fs::create_dir(&folder).expect("a folder");
    git(&["init", "-q", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"]);
    git(&["init", "-q", "--bare", &home.text("remote.git")]);
    git(&["remote", "add", "origin", &home.text("remote.git")]);
    let stolen = home.text("stolen");
    script(&home, "project/.git/hooks/pre-push", &format!("#!/bin/sh\nenv > {stolen}\n"));
    let mut run = home.command(&["run", "--uppercase", "--", "git", "push", "origin"]);
    let finished =
        finish(run.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token).current_dir(&folder), "");
    assert!(!home.path("stolen").exists(), "the hook was run: {finished:?}");
    assert_ne!(finished.code, Some(0), "there is nothing to push in an empty folder");
}

#[test]
fn a_folder_that_an_agent_can_write_to_cannot_be_pinned() {
    let home = Home::with(&[("deploy-key", "canary")]);
    fs::create_dir(home.path("project")).expect("a folder");
    let pinned = home.text("project");
    let words = home.run(&["set", "deploy-key", "--command", "git push *", "--in", &pinned]).complained(1);
    assert!(words.contains("can be written by this user"), "{words}");
}

#[test]
fn the_callers_path_variables_and_programs_do_not_count() {
    let (home, token) = with_rule(&["--command", "printenv *"]);
    fs::create_dir(home.path("bin")).expect("a folder");
    let stolen = home.text("stolen");
    script(&home, "bin/printenv", &format!("#!/bin/sh\nenv > {stolen}\n"));
    let path = format!("{}:{}", home.text("bin"), std::env::var("PATH").unwrap_or_default());
    let mut run = home.command(&["run", "--uppercase", "--", "printenv", "DEPLOY_KEY"]);
    let finished = finish(run.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token).env("PATH", path), "");
    assert_eq!(finished.said(), "[secret:deploy-key]\n");
    assert!(!home.path("stolen").exists());
    let kept = home.run_as(&token, &["run", "--keep-env", "--uppercase", "--", "printenv", "DEPLOY_KEY"]);
    assert!(kept.complained(2).contains("--keep-env"));
    let prefixed = home.run_as(&token, &["run", "--prefix", "LD_", "--", "printenv", "LD_deploy_key"]);
    assert_ne!(prefixed.code, Some(0));
}

#[test]
fn a_program_that_others_can_change_is_not_allowed() {
    let home = Home::with(&[("deploy-key", "canary")]);
    let path = script(&home, "tool", "#!/bin/sh\nenv\n");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).expect("a mode");
    let words = home.run(&["set", "deploy-key", "--command", &path]).complained(1);
    assert!(words.contains("can be changed by other users"), "{words}");
    // Through a link in a folder that others can write to.
    fs::create_dir(home.path("open")).expect("a folder");
    fs::set_permissions(home.path("open"), PermissionsExt::from_mode(0o777)).expect("a mode");
    std::os::unix::fs::symlink("/usr/bin/printenv", home.path("open/tool")).expect("a link");
    let words = home.run(&["set", "deploy-key", "--command", &home.text("open/tool")]).complained(1);
    assert!(words.contains("can be changed by other users"), "{words}");
}

#[test]
fn a_pinned_program_that_was_changed_gets_nothing() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let path = script(&home, "tool", "#!/bin/sh\necho fine\n");
    home.run(&["set", "deploy-key", "--command", &path, "--pin"]).said();
    let token = home.token("all", "*", "list,use");
    assert_eq!(home.run_as(&token, &["run", "--", &path]).said(), "fine\n");
    script(&home, "tool", "#!/bin/sh\nenv\n");
    assert!(home.run_as(&token, &["run", "--", &path]).complained(4).contains("not the program"));
    // One that is not pinned is still itself, and no link to another.
    home.run(&["set", "deploy-key", "--command", &path]).said();
    assert_eq!(home.run_as(&token, &["run", "--", &path]).code, Some(0));
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink("/usr/bin/env", &path).expect("a link");
    assert!(home.run_as(&token, &["run", "--", &path]).complained(4).contains("not the program"));
}

#[test]
fn a_command_writes_nowhere_but_in_its_own_folder_and_has_no_network() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let out = home.text("out");
    let text = format!(
        "#!/bin/bash\npwd; echo $HOME; ls -A | wc -l; echo x > here && echo wrote here\n\
         echo $DEPLOY_KEY > {out} && echo wrote there\nexec 3<>/dev/tcp/127.0.0.1/9 && echo connected\n\
         grep NoNewPrivs /proc/self/status\n"
    );
    let path = script(&home, "tool", &text);
    home.run(&["set", "deploy-key", "--command", &path]).said();
    let token = home.token("all", "*", "list,use");
    let said = home.run_as(&token, &["run", "--uppercase", "--", &path]);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(
        lines.len() >= 4 && lines[0] == lines[1] && lines[2] == "0" && lines[3] == "wrote here",
        "{said:?}"
    );
    assert!(!said.stdout.contains("wrote there") && !home.path("out").exists(), "{said:?}");
    assert!(said.stderr.contains("Permission denied") && !said.stdout.contains("connected"), "{said:?}");
    assert!(said.stdout.contains("NoNewPrivs:\t1"), "{said:?}");
    assert!(!std::path::Path::new(lines[0]).exists(), "its folder is gone with it");
}

/// What is typed at another terminal, and what a camera sees, can be read like a file.
#[test]
fn a_command_reads_no_device_and_no_other_terminal() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let text = "#!/bin/bash\nls /dev/pts; ls /dev; : < /dev/tty1; : < /dev/ptmx\n\
         : < /dev/null && head -c 1 /dev/urandom | wc -c && echo x > /dev/null && echo the usual ones\n";
    let path = script(&home, "tool", text);
    home.run(&["set", "deploy-key", "--command", &path]).said();
    let token = home.token("all", "*", "list,use");
    let said = home.run_as(&token, &["run", "--uppercase", "--", &path]);
    assert_eq!(said.stdout, "1\nthe usual ones\n", "{said:?}");
    assert!(said.stderr.matches("Permission denied").count() >= 2, "{said:?}");
}

/// Where root is the person: one that may make devices would read the disk that the home is on.
#[test]
fn a_command_has_no_power_of_root() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let text = "#!/bin/bash\ngrep -E 'Cap(Inh|Prm|Eff|Amb)' /proc/self/status\nmknod zero c 1 5 && head -c 4 zero | wc -c\n\
                cat /proc/$PPID/environ\n";
    let path = script(&home, "tool", text);
    home.run(&["set", "deploy-key", "--command", &path]).said();
    let token = home.token("all", "*", "list,use");
    let said = home.run_as(&token, &["run", "--", &path]).stdout;
    let sets: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once(':')?.1.trim())).collect();
    assert_eq!(sets, ["0000000000000000"; 4], "{said}");
    assert_eq!(said.lines().count(), 4, "{said}");
}

#[test]
fn programs_that_run_anything_are_warned_about() {
    let home = Home::with(&[("deploy-key", "canary")]);
    let warned = home.run(&["set", "deploy-key", "--command", "bash -c *"]);
    assert!(warned.code == Some(0) && warned.stderr.contains("`bash` runs other programs"), "{warned:?}");
    // Under another name.
    std::os::unix::fs::symlink("/bin/bash", home.path("tool")).expect("a link");
    let warned = home.run(&["set", "deploy-key", "--command", &format!("{} *", home.text("tool"))]);
    assert!(warned.stderr.contains("`bash` runs other programs"), "{warned:?}");
}

/// Many programs look for their configuration, and git for its hooks, in every folder above the one they run in.
#[test]
fn a_command_reads_nothing_beside_its_own_folder_wherever_the_caller_wants_that_to_be() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let beside = std::path::PathBuf::from(format!("/tmp/beside-{}", std::process::id()));
    fs::write(&beside, "planted").expect("a file");
    let text = format!(
        "#!/bin/bash\npwd; cat {}; ls /tmp; cat /etc/passwd >/dev/null && echo the rest is there\n",
        beside.display()
    );
    let path = script(&home, "tool", &text);
    home.run(&["set", "deploy-key", "--command", &path]).said();
    let token = home.token("all", "*", "list,use");
    fs::create_dir(home.path("theirs")).expect("a folder");
    let mut run = home.command(&["run", "--uppercase", "--", &path]);
    run.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token).env("TMPDIR", home.path("theirs"));
    let said = finish(&mut run, "");
    fs::remove_file(&beside).expect("removed");
    assert!(said.stdout.starts_with("/tmp/authy-") && said.stdout.contains("the rest is there"), "{said:?}");
    assert!(!said.stdout.contains("planted") && !said.stdout.contains("beside-"), "{said:?}");
    assert!(said.stderr.contains("Permission denied"), "{said:?}");
}

/// Whoever may see values gets them for what the person read, too.
#[test]
fn a_yes_to_a_command_is_for_all_of_it_and_nothing_else() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    home.run(&["set", "deploy-key", "--approve", "--command", "printenv **", "--command", "cat"]).said();
    let token = home.token("all", "*", "list,use,reveal");
    let run = |words: &[&str]| home.run_as(&token, &[&["run", "--uppercase", "--"], words].concat());
    let approve = || {
        let waiting = home.run(&["approve", "--json"]).json()["approvals"].clone();
        for each in waiting.as_array().expect("a list") {
            home.run(&["approve", each["id"].as_str().expect("an id")]).said();
        }
        waiting
    };
    run(&["printenv", "HOME"]).complained(4);
    let waiting = approve();
    assert!(
        waiting[0]["purpose"].as_str().expect("a text").contains(r#"run ["printenv", "HOME"]"#),
        "{waiting}"
    );
    run(&["printenv", "DEPLOY_KEY"]).complained(4);
    run(&["sh", "-c", "echo $DEPLOY_KEY"]).complained(4);
    assert_eq!(run(&["printenv", "HOME"]).code, Some(0));
    // Nothing reaches the command that the person has not read.
    run(&["cat"]).complained(4);
    approve();
    let mut cat = home.command(&["run", "--uppercase", "--", "cat"]);
    assert_eq!(finish(cat.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token), "unread").said(), "");
}

/// Landlock knows nothing of attributes and of what programs on one machine tell each other by.
#[test]
fn a_command_leaves_no_value_in_an_attribute_or_a_queue() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let mark = home.file("mark", "");
    let text = format!(
        "#!/usr/bin/python3\nimport ctypes, os\n\
         def tried(what, act):\n    try:\n        print(what, act())\n    except OSError: print(what, 'refused')\n\
         tried('attribute', lambda: os.setxattr('{mark}', b'user.x', os.environ['DEPLOY_KEY'].encode()))\n\
         tried('queue', lambda: ctypes.CDLL(None).msgget(0, 0o600) < 0 and 'refused')\n"
    );
    let path = script(&home, "tool", &text);
    home.run(&["set", "deploy-key", "--command", &path]).said();
    let token = home.token("all", "*", "list,use");
    let said = home.run_as(&token, &["run", "--uppercase", "--", &path]).said();
    assert_eq!(said, "attribute refused\nqueue refused\n");
    // A ring does what the calls would, and 32-bit numbers are other numbers for them.
    let text = "#!/usr/bin/python3\nimport ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         print('ring', libc.syscall(425, 4, ctypes.byref((ctypes.c_char * 120)())), ctypes.get_errno())\n\
         print('attribute', libc.syscall(0x40000000 | 188, b'/', b'user.x', b'x', 1, 0), ctypes.get_errno())\n";
    script(&home, "tool", text);
    home.run(&["set", "deploy-key", "--command", &path, "--network"]).said();
    let said = home.run_as(&token, &["run", "--uppercase", "--", &path]).said();
    let not_supported = if cfg!(target_arch = "x86_64") { 95 } else { 38 };
    assert_eq!(said, format!("ring -1 38\nattribute -1 {not_supported}\n"));
}

/// Whoever may make no socket can still have a pair of them, and what is put into one for datagrams goes to any address.
#[test]
fn a_command_sends_nothing_through_a_pair_of_sockets_or_a_queue_of_others() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    let listening = format!("authy-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&listening).expect("an address");
    let outside = UnixDatagram::bind_addr(&address).expect("a socket");
    outside.set_nonblocking(true).expect("set");
    let text = format!(
        "#!/usr/bin/python3\nimport ctypes, os, socket\nkey = os.environ['DEPLOY_KEY'].encode()\n\
         def tried(what, act):\n    try:\n        print(what, act())\n    except OSError: print(what, 'refused')\n\
         for kind in [socket.SOCK_DGRAM, socket.SOCK_RAW]:\n    \
             tried('pair', lambda: socket.socketpair(socket.AF_UNIX, kind)[0].sendto(key, '\\0{listening}'))\n\
         one, other = socket.socketpair()\n\
         tried('stream', lambda: one.send(b'x'))\n\
         print('queue', ctypes.CDLL(None, use_errno=True).msgsnd(0, b'x' * 16, 8, 0o4000), ctypes.get_errno())\n"
    );
    let path = script(&home, "tool", &text);
    home.run(&["set", "deploy-key", "--command", &path]).said();
    let token = home.token("all", "*", "list,use");
    let said = home.run_as(&token, &["run", "--uppercase", "--", &path]).said();
    assert_eq!(said, "pair refused\npair refused\nstream 1\nqueue -1 13\n");
    assert!(outside.recv(&mut [0; 64]).is_err(), "something arrived");
}

/// A rule is about the folder there was, not about where a link in its place leads.
#[test]
fn a_link_in_the_place_of_a_folder_that_may_be_written_is_refused() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    for folder in ["out", "private"] {
        fs::create_dir(home.path(folder)).expect("a folder");
    }
    home.run(&["set", "deploy-key", "--command", "cp * *", "--writes", "out"]).said();
    let token = home.token("all", "*", "list,use");
    let copy =
        |to: &str| home.run_as(&token, &["run", "--uppercase", "--", "cp", "/etc/hostname", &home.text(to)]);
    copy("out/fine").said();
    assert!(home.path("out/fine").exists());
    fs::rename(home.path("out"), home.path("was")).expect("moved");
    std::os::unix::fs::symlink(home.path("private"), home.path("out")).expect("a link");
    let words = copy("private/planted").complained(4);
    assert!(words.contains("a link to somewhere else"), "{words}");
    assert!(!home.path("private/planted").exists());
}

/// A program that prints a file would hand the keyfile, and so the whole vault, to whoever names the file.
#[test]
fn a_command_cannot_read_the_persons_home() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    fs::create_dir(home.path("project")).expect("a folder");
    home.file("project/settings", "settings\n");
    home.run(&["set", "deploy-key", "--command", "cat *"]).said();
    let token = home.token("all", "*", "list,use");
    let cat = |name: &str| home.run_as(&token, &["run", "--uppercase", "--", "cat", &home.text(name)]);
    for name in ["key", "project/settings", "vault/vault.db"] {
        let finished = cat(name);
        assert!(finished.stdout.is_empty() && finished.stderr.contains("Permission denied"), "{finished:?}");
    }
    // Nor what is being edited in memory.
    let memory = format!("/dev/shm/authy-test-{}", std::process::id());
    fs::write(&memory, "edited").expect("a file");
    let finished = home.run_as(&token, &["run", "--uppercase", "--", "cat", &memory]);
    fs::remove_file(&memory).expect("removed");
    assert!(finished.stdout.is_empty() && finished.stderr.contains("Permission denied"), "{finished:?}");
    home.run(&["set", "deploy-key", "--command", "cat *", "--reads", "project"]).said();
    assert_eq!(cat("project/settings").said(), "settings\n");
    assert!(cat("key").stdout.is_empty());
}

/// The same for folders it may read.
#[test]
fn a_link_in_the_place_of_a_folder_that_may_be_read_is_refused() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    fs::create_dir(home.path("project")).expect("a folder");
    home.file("project/settings", "settings\n");
    home.run(&["set", "deploy-key", "--command", "cat *", "--reads", "project"]).said();
    let token = home.token("all", "*", "list,use");
    let cat = |name: &str| home.run_as(&token, &["run", "--uppercase", "--", "cat", &home.text(name)]);
    assert_eq!(cat("project/settings").said(), "settings\n");
    fs::rename(home.path("project"), home.path("was")).expect("moved");
    std::os::unix::fs::symlink(home.path(""), home.path("project")).expect("a link");
    assert!(cat("key").complained(4).contains("a link to somewhere else"));
}

/// What the environment says about the home is not all there is to know.
#[test]
fn the_home_is_hidden_although_the_environment_does_not_name_it() {
    let (home, token) = with_rule(&["--command", "ls *"]);
    let user = std::process::Command::new("sh").args(["-c", "getent passwd $(id -u) | cut -d: -f6"]).output();
    let real = String::from_utf8(user.expect("getent").stdout).expect("text").trim().to_owned();
    assert!(std::path::Path::new(&real).is_dir(), "{real}");
    for elsewhere in [None, Some("/"), Some("/nowhere")] {
        let mut run = home.command(&["run", "--uppercase", "--", "ls", &real]);
        run.env_remove("AUTHY_KEYFILE").env("AUTHY_TOKEN", &token).env_remove("HOME");
        run.env("AUTHY_ANCHOR", home.path(".local/state/deskmate/authy"));
        if let Some(elsewhere) = elsewhere {
            run.env("HOME", elsewhere);
        }
        let finished = finish(&mut run, "");
        assert!(finished.stdout.is_empty() && finished.stderr.contains("Permission denied"), "{finished:?}");
    }
}

/// Vaults, keyrings and tokens are in folders beside the one that people keep programs in.
#[test]
fn a_program_in_the_home_reads_its_own_folder_and_libraries_and_no_more() {
    let home = Home::with(&[("deploy-key", "canary-of-the-key")]);
    for folder in [".local/bin", ".local/lib", ".local/share/keys"] {
        fs::create_dir_all(home.path(folder)).expect("a folder");
    }
    home.file(".local/lib/library", "library\n");
    home.file(".local/share/keys/key", "key\n");
    let tool = script(&home, ".local/bin/tool", "#!/bin/sh\ncat \"$1\"\n");
    home.run(&["set", "deploy-key", "--command", &format!("{tool} *")]).said();
    let token = home.token("all", "*", "list,use");
    let read = |name: &str| home.run_as(&token, &["run", "--uppercase", "--", &tool, &home.text(name)]);
    assert_eq!(read(".local/lib/library").said(), "library\n");
    for name in [".local/share/keys/key", "key", "vault/vault.db"] {
        let finished = read(name);
        assert!(finished.stdout.is_empty() && finished.stderr.contains("Permission denied"), "{finished:?}");
    }
}
