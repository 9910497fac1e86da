//! Commands of this machine, with secrets.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use super::{
    Bounds, Command, Confinement, Environment, Exit, Finished, ProgramError, Rules, RunError, Stdin, Variable,
};
use crate::scrub::{Captured, Secret};

const SECRET: Secret<'static> = Secret { name: "db", value: b"correct-horse" };

fn rules(texts: &[&str]) -> Rules {
    Rules::new(texts.iter().map(|text| text.parse().expect("a rule")))
}

async fn shell(script: &str, stdin: Stdin<'_>, bounds: Bounds) -> Result<Finished, RunError> {
    let arguments = ["-c".to_owned(), script.to_owned()];
    let variables = vec![Variable::new("DB_PASSWORD", SECRET, &[]).expect("a variable")];
    let command = Command {
        program: "sh",
        arguments: &arguments,
        variables,
        stdin,
        also_hidden: Vec::new(),
        confinement: Confinement::Open,
    };
    command.run(&rules(&["sh **"]), &Environment::inherited(), bounds).await
}

async fn output(script: &str) -> (Exit, String, String) {
    let finished = shell(script, Stdin::Empty, Bounds::default()).await.expect("it runs");
    (finished.exit, text(&finished.stdout), text(&finished.stderr))
}

fn text(captured: &Captured) -> String {
    match captured {
        Captured::Shown { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
        Captured::Withheld => "(withheld)".to_owned(),
    }
}

#[tokio::test]
async fn a_command_has_its_secret_and_nobody_sees_it() {
    let script = "test \"$DB_PASSWORD\" = correct-horse && echo \"is $DB_PASSWORD\"; printf %s $DB_PASSWORD | base64 >&2; exit 3";
    let (exit, out, err) = output(script).await;
    assert_eq!((exit, out.as_str(), err.as_str()), (Exit::Code(3), "is [secret:db]\n", "[secret:db]\n"));
}

#[tokio::test]
async fn the_environment_is_small() {
    let (_, out, _) = output("env").await;
    let names: Vec<&str> =
        out.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    // The shell adds some of its own.
    let known = ["PATH", "HOME", "LANG", "TERM", "DB_PASSWORD", "PWD", "SHLVL", "_", "OLDPWD"];
    assert!(names.contains(&"DB_PASSWORD") && names.iter().all(|name| known.contains(name)), "{names:?}");
    assert!(!out.contains("correct-horse"), "{out}");
}

#[tokio::test]
async fn a_secret_can_come_on_stdin() {
    let finished = shell("cat; cat", Stdin::Secret(SECRET), Bounds::default()).await.expect("it runs");
    assert_eq!((finished.exit, text(&finished.stdout)), (Exit::Code(0), "[secret:db]".to_owned()));
    let unread = shell("true", Stdin::Secret(SECRET), Bounds::default()).await.expect("it runs");
    assert_eq!(unread.exit, Exit::Code(0));
}

#[tokio::test]
async fn what_no_rule_allows_is_not_run() {
    let command = |program, arguments| Command {
        program,
        arguments,
        variables: Vec::new(),
        stdin: Stdin::Empty,
        also_hidden: Vec::new(),
        confinement: Confinement::Open,
    };
    let environment = Environment::inherited();
    let hello = ["hello".to_owned()];
    let refused = command("echo", &hello).run(&Rules::default(), &environment, Bounds::default()).await;
    assert!(matches!(refused, Err(RunError::NotAllowed(_))), "{refused:?}");
    let done = command("echo", &hello)
        .run(&rules(&["echo *"]), &environment, Bounds::default())
        .await
        .expect("it runs");
    assert_eq!(text(&done.stdout), "hello\n");
    let missing = command("no-such-program", &[])
        .run(&rules(&["no-such-program"]), &environment, Bounds::default())
        .await;
    assert!(matches!(missing, Err(RunError::Program(ProgramError::NotFound(_)))), "{missing:?}");
}

#[tokio::test]
async fn output_is_cut_and_the_command_goes_on() {
    let bounds = Bounds { output: 10, ..Bounds::default() };
    let finished = shell("yes | head -c 1000000; exit 4", Stdin::Empty, bounds).await.expect("it runs");
    assert_eq!(finished.exit, Exit::Code(4));
    assert_eq!(finished.stdout, Captured::Shown { bytes: b"y\ny\ny\ny\ny\n".to_vec(), cut: true });
}

#[tokio::test]
async fn a_value_too_short_to_be_found_keeps_all_output_back() {
    let arguments = ["-c".to_owned(), "echo $PIN".to_owned()];
    let pin = Secret { name: "pin", value: b"42" };
    let variables = vec![Variable::new("PIN", pin, &[]).expect("a variable")];
    let command = Command {
        program: "sh",
        arguments: &arguments,
        variables,
        stdin: Stdin::Empty,
        also_hidden: Vec::new(),
        confinement: Confinement::Open,
    };
    let finished =
        command.run(&rules(&["sh **"]), &Environment::inherited(), Bounds::default()).await.expect("it runs");
    assert_eq!((finished.exit, finished.stdout), (Exit::Code(0), Captured::Withheld));
}

/// A pipe that ends when everybody who has it open for writing is gone.
async fn ends(pipe: tokio::net::unix::pipe::Receiver) {
    let mut pipe = pipe;
    let mut rest = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut pipe, &mut rest).await.expect("a pipe");
}

struct Fifo(PathBuf);

impl Fifo {
    fn new(name: &str) -> Fifo {
        let path = std::env::temp_dir().join(format!("authy-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .expect("a pipe");
        Fifo(path)
    }

    fn open(&self) -> tokio::net::unix::pipe::Receiver {
        tokio::net::unix::pipe::OpenOptions::new().open_receiver(&self.0).expect("a pipe")
    }
}

impl Drop for Fifo {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Waits until the command has opened the pipe and said so.
async fn begun(pipe: &mut tokio::net::unix::pipe::Receiver) {
    loop {
        pipe.readable().await.expect("a pipe");
        let mut byte = [0; 1];
        match pipe.try_read(&mut byte) {
            Ok(1..) => return,
            // Nobody has opened it yet.
            Ok(0) | Err(_) => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let fifo = Fifo::new("timeout");
    let mut pipe = fifo.open();
    let script = format!(
        "exec 3>{}; echo >&3; echo early; (sleep 1000 & sleep 1000 & wait); sleep 1000",
        fifo.0.display()
    );
    let bounds = Bounds { time: Duration::from_millis(500), ..Bounds::default() };
    let (finished, ()) = tokio::join!(shell(&script, Stdin::Empty, bounds), begun(&mut pipe));
    let finished = finished.expect("it runs");
    assert_eq!((finished.exit, text(&finished.stdout)), (Exit::TimedOut, "early\n".to_owned()));
    ends(pipe).await;
}

#[tokio::test]
async fn a_command_nobody_waits_for_any_more_is_ended_with_all_it_started() {
    let fifo = Fifo::new("cancel");
    let mut pipe = fifo.open();
    let script = format!("exec 3>{}; echo >&3; (sleep 1000 &) ; sleep 1000", fifo.0.display());
    tokio::select! {
        _ = shell(&script, Stdin::Empty, Bounds::default()) => panic!("it sleeps"),
        () = begun(&mut pipe) => {}
    }
    ends(pipe).await;
}

#[tokio::test]
async fn what_a_command_leaves_in_the_background_ends_with_it() {
    let fifo = Fifo::new("background");
    let mut pipe = fifo.open();
    let script = format!("exec 3>{}; echo >&3; (sleep 1000 &) ; exit 7", fifo.0.display());
    let (finished, ()) = tokio::join!(shell(&script, Stdin::Empty, Bounds::default()), begun(&mut pipe));
    assert_eq!(finished.expect("it runs").exit, Exit::Code(7));
    ends(pipe).await;
}

#[tokio::test]
async fn a_signal_is_told_and_no_core_is_left() {
    let (exit, out, _) = output("ulimit -c; kill -TERM $$").await;
    assert_eq!((exit, out.as_str()), (Exit::Signal(15), "0\n"));
}

#[tokio::test]
async fn nothing_that_is_open_here_is_open_there() {
    #[allow(unsafe_code, reason = "a descriptor that is inherited cannot be made otherwise")]
    // SAFETY: duplicates a descriptor into a new one; no memory is touched.
    let leaked = unsafe { libc::dup(2) };
    assert!(leaked > 2);
    let (_, out, _) = output(&format!("test -e /proc/self/fd/{leaked} && echo open || echo closed")).await;
    assert_eq!(out, "closed\n");
}

#[tokio::test]
async fn a_program_others_can_change_gets_no_secrets() {
    let folder = std::env::temp_dir().join(format!("authy-program-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("tool");
    std::fs::write(&program, "#!/bin/sh\necho ran\n").expect("a file");
    let name = program.to_str().expect("text").to_owned();
    let run = |mode: u32, folder_mode: u32| {
        let (program, folder, name) = (program.clone(), folder.clone(), name.clone());
        async move {
            std::fs::set_permissions(&program, PermissionsExt::from_mode(mode)).expect("a mode");
            std::fs::set_permissions(&folder, PermissionsExt::from_mode(folder_mode)).expect("a mode");
            let command = Command {
                program: &name,
                arguments: &[],
                variables: Vec::new(),
                stdin: Stdin::Empty,
                also_hidden: Vec::new(),
                confinement: Confinement::Open,
            };
            command.run(&rules(&[&name]), &Environment::inherited(), Bounds::default()).await
        }
    };
    assert_eq!(text(&run(0o755, 0o755).await.expect("it runs").stdout), "ran\n");
    assert!(matches!(run(0o757, 0o755).await, Err(RunError::Program(ProgramError::Changeable(_)))));
    assert!(matches!(run(0o755, 0o777).await, Err(RunError::Program(ProgramError::Changeable(_)))));
    assert!(matches!(run(0o644, 0o755).await, Err(RunError::Program(ProgramError::NotExecutable(_)))));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[tokio::test]
async fn a_name_set_twice_is_refused() {
    let variables = vec![
        Variable::chosen("A", SECRET).expect("a variable"),
        Variable::chosen("A", Secret { name: "other", value: b"other-value" }).expect("a variable"),
    ];
    let command = Command {
        program: "true",
        arguments: &[],
        variables,
        stdin: Stdin::Empty,
        also_hidden: Vec::new(),
        confinement: Confinement::Open,
    };
    let refused = command.run(&rules(&["true"]), &Environment::inherited(), Bounds::default()).await;
    assert!(matches!(refused, Err(RunError::Variable(_))), "{refused:?}");
}

/// A pinned folder of root's is no help if the hooks in it are somebody else's.
#[test]
fn a_file_of_somebody_else_in_a_pinned_folder_is_found() {
    use super::pinned_folder::first_writable;
    use std::fs;
    use std::os::unix::fs::symlink;
    let folder = std::env::temp_dir().join(format!("authy-pinned-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let hooks = folder.join(".git/hooks");
    fs::create_dir_all(&hooks).expect("a folder");
    for place in [&folder, &folder.join(".git"), &hooks] {
        fs::set_permissions(place, PermissionsExt::from_mode(0o755)).expect("a mode");
    }
    let found = || first_writable(&folder).expect("it can be read");
    if rustix::process::geteuid().is_root() {
        assert_eq!(found(), None);
        symlink("/etc/hostname", folder.join("link")).expect("a link");
        assert_eq!(found(), None, "what it leads to is root's");
        fs::remove_file(folder.join("link")).expect("removed");
        symlink("/tmp/makefile", folder.join("link")).expect("a link");
        assert_eq!(found(), Some(folder.join("link")), "anybody can make what it leads to");
        fs::remove_file(folder.join("link")).expect("removed");
        fs::write(hooks.join("pre-push"), "").expect("a file");
        fs::set_permissions(hooks.join("pre-push"), PermissionsExt::from_mode(0o777)).expect("a mode");
        assert_eq!(found(), Some(hooks.join("pre-push")));
    } else {
        assert_eq!(found(), Some(folder.join(".git")), "all of it is this user's");
    }
    let _ = fs::remove_dir_all(&folder);
}
