//! The command line of `metatag-genie`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::exiftool::list;
use crate::genie::{Folder, command};
use crate::pictures;

struct Shell {
    folder: Folder,
    state: Folder,
}

impl Shell {
    fn new() -> Shell {
        Shell { folder: Folder::new(), state: Folder::new() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // A home folder elsewhere: a person's own paths need no roots.
        let mut command = command(Path::new("/nonexistent"));
        command.env("DESKMATE_HOME", self.state.path("")).current_dir(self.folder.path("")).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("metatag-genie runs")
    }

    /// What it prints, after checking its exit code.
    #[track_caller]
    fn says(&self, code: i32, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let (out, errors) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(code), "{out}\n{errors}");
        (out, errors)
    }
}

#[test]
fn write_read_remove_and_undo() {
    let shell = Shell::new();
    let path = shell.folder.file("a.jpg", &pictures::jpeg());
    let (out, _) = shell.says(
        0,
        &[
            "write",
            "a.jpg",
            "--tag",
            "家庭",
            "--tag",
            "sea",
            "--description",
            "text",
            "--person",
            "Ada",
            "--location",
            "here",
        ],
    );
    assert_eq!(out, format!("{}: metadata written\n1 file: 1 written\n", path.display()));
    assert_eq!(list(&path, "XMP-dc:Subject"), ["家庭", "sea", "Ada"]);
    let (out, _) = shell.says(0, &["read", "./a.jpg"]);
    assert!(
        out.contains("  tags         家庭, sea, Ada\n  people       Ada\n  description  text\n"),
        "{out}"
    );
    let (out, _) = shell.says(0, &["read", "a.jpg", "--json"]);
    let data: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(data[0]["keywords"], json!(["家庭", "sea", "Ada"]));
    let (out, _) = shell.says(0, &["remove", "a.jpg", "--tag", "sea", "--tag", "sand"]);
    assert!(out.ends_with("metadata written; removed: sea; not there: sand\n"), "{out}");
    let (out, _) = shell.says(0, &["undo", "a.jpg", "--steps", "2"]);
    assert!(out.contains("2 changes undone"), "{out}");
    assert_eq!(fs::read(&path).expect("the picture"), pictures::jpeg());
}

#[test]
fn a_folder_with_other_things_in_it() {
    let shell = Shell::new();
    pictures::all(&shell.folder);
    fs::create_dir(shell.folder.path("below")).expect("a folder");
    let deep = shell.folder.file("below/deep.jpg", &pictures::jpeg());
    shell.folder.file("notes.txt", b"a text");
    let (out, errors) = shell.says(0, &["write", ".", "--tag", "a"]);
    assert!(out.ends_with("4 files: 3 written, 1 not pictures\n"), "{out}");
    assert!(errors.ends_with("4 of 4 files\n"), "{errors}");
    let (out, _) = shell.says(0, &["write", ".", "--recursive", "--append", "--tag", "b", "--json"]);
    let data: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&data["written"], &data["skipped"]), (&json!(4), &json!(1)));
    assert_eq!(list(&deep, "XMP-dc:Subject"), ["b"]);
    let (out, _) = shell.says(0, &["preview", ".", "--recursive", "--tag", "b"]);
    assert_eq!(out.matches("a, b → b").count(), 7, "{out}");
    assert!(out.contains("deep.jpg: JPEG, nothing would change"), "{out}");
}

#[test]
fn what_fails_is_told_and_the_rest_is_done() {
    let shell = Shell::new();
    let path = shell.folder.file("a.jpg", &pictures::jpeg());
    shell.folder.file("notes.txt", b"a text");
    let (out, errors) = shell.says(1, &["write", "gone.jpg", "notes.txt", "a.jpg", "--tag", "a"]);
    assert!(out.ends_with("3 files: 1 written, 2 failed\n"), "{out}");
    assert!(errors.contains("notes.txt`: its content is none of the formats"), "{errors}");
    assert_eq!(list(&path, "XMP-dc:Subject"), ["a"]);
    for command in ["read", "undo"] {
        let (_, errors) = shell.says(1, &[command, "gone.jpg"]);
        assert!(errors.starts_with("error: `") && errors.contains("there is no such file"), "{errors}");
    }
    let (out, _) = shell.says(1, &["read", "gone.jpg", "--json"]);
    let data: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(data[0]["error"]["code"], -32001);
}

/// The same large file thousands of times, which takes long, and another one last.
#[test]
fn an_interrupt_stops_between_files() {
    let shell = Shell::new();
    let first = shell.folder.file("0.jpg", &pictures::large_jpeg());
    let last = shell.folder.file("1.jpg", &pictures::jpeg());
    let mut arguments = vec!["write", "--tag", "a"];
    arguments.extend(std::iter::repeat_n("0.jpg", 9_999));
    arguments.push("1.jpg");
    let mut command = shell.command(&arguments);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("metatag-genie runs");
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    assert_eq!(line, "1000 of 10000 files\n");
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(interrupted.success());
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.ends_with("; cancelled: what was written stays written\n"), "{out}");
    assert_eq!(list(&first, "XMP-dc:Subject"), ["a"]);
    assert_eq!(fs::read(last).expect("the picture"), pictures::jpeg());
}

#[test]
fn a_wrong_command_line_is_told_apart_and_help_has_examples() {
    let shell = Shell::new();
    for arguments in [
        &["write", "a.jpg"][..],
        &["write", "--tag", "a"],
        &["remove", "a.jpg"],
        &["undo", "a.jpg", "--steps", "0"],
        &["wrote"],
    ] {
        let (out, errors) = shell.says(2, arguments);
        assert!(out.is_empty() && errors.starts_with("error: ") && errors.contains("--help"), "{errors}");
    }
    let (out, _) = shell.says(0, &["--help"]);
    assert!(out.contains("Examples:") && out.contains("Exit codes:"), "{out}");
    for command in ["read", "write", "preview", "remove", "undo"] {
        assert!(shell.says(0, &[command, "--help"]).0.contains("Examples:"));
    }
}

/// Several names may lead to the same metadata: by a link, by a sidecar that files share, or because one is named twice.
#[test]
fn one_change_is_taken_back_whatever_names_it() {
    let shell = Shell::new();
    let sidecar =
        shell.folder.file("a.xmp", b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>");
    let picture = shell.folder.file("b.png", &pictures::png());
    shell.folder.file("a.nef", &pictures::tiff_big());
    shell.folder.file("a.mov", b"\0\0\0\x10ftypqt  \0\0\0\0");
    let mut versions = Vec::new();
    for tag in ["one", "two"] {
        shell.says(0, &["write", "a.nef", "a.mov", "b.png", "--tag", tag]);
        versions.push([&sidecar, &picture].map(|path| fs::read(path).expect("there")));
    }
    let (out, _) = shell.says(0, &["undo", "a.nef", "a.mov", "b.png", "./b.png"]);
    assert_eq!(out.matches("1 change undone").count(), 2, "{out}");
    assert!([&sidecar, &picture].map(|path| fs::read(path).expect("there")) == versions[0]);
}

#[test]
fn folders_lists_and_batches() {
    let shell = Shell::new();
    pictures::all(&shell.folder);
    let (out, _) = shell.says(0, &["write", ".", "--tag", "a", "--rating", "5", "--date", "2024-05-01"]);
    assert!(out.contains("metatag-genie undo --batch "), "{out}");
    let (out, _) = shell.says(0, &["read", ".", "--json"]);
    let data: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(data.as_array().map(Vec::len), Some(3));
    assert!(
        data.as_array().is_some_and(|all| all.iter().all(|one| one["details"]["rating"] == "5")),
        "{out}"
    );
    let (out, _) = shell.says(0, &["undo", "--batch", "last"]);
    assert!(out.starts_with("3 files restored"), "{out}");
    let (_, errors) = shell.says(2, &["undo", ".", "--steps", "2"]);
    assert!(errors.contains("`--steps`") && errors.contains("folder"), "{errors}");
    let (out, _) = shell.says(0, &["undo", ".", "--redo"]);
    assert!(out.starts_with("3 files restored"), "{out}");
    let mut command = shell.command(&["write", "-", "--append", "--tag", "b"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("metatag-genie runs");
    let names: Vec<String> =
        pictures::all(&shell.folder).iter().map(|path| path.display().to_string()).collect();
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), names.join("\n").as_bytes())
        .expect("read");
    let output = child.wait_with_output().expect("it ends");
    assert!(String::from_utf8_lossy(&output.stdout).contains("3 files: 3 written"), "{output:?}");
    let (out, _) = shell.says(0, &["remove", ".", "--tag", "b"]);
    assert_eq!(out.matches("metadata written; removed: b").count(), 3, "{out}");
    let (_, errors) = shell.says(1, &["undo", "--batch", "0123456789abcdef"]);
    assert!(errors.starts_with("error: no batch `0123456789abcdef` is remembered"), "{errors}");
}

#[test]
fn replaced_tags_are_named_and_names_cannot_command_the_terminal() {
    let shell = Shell::new();
    shell.folder.file("a\u{1b}[31m.jpg", &pictures::jpeg());
    shell.says(0, &["write", ".", "--tag", "old"]);
    let (out, _) = shell.says(0, &["write", "a\u{1b}[31m.jpg", "--tag", "new"]);
    assert!(out.contains("these tags were replaced: old") && out.contains("`--append` adds"), "{out}");
    let (read, _) = shell.says(0, &["read", "."]);
    let (_, errors) = shell.says(1, &["read", "gone\u{1b}[31m.jpg"]);
    let pipe = Command::new("mkfifo").arg(shell.folder.path("pipe\u{1b}[31m.jpg")).status();
    assert!(pipe.expect("mkfifo runs").success());
    let (_, pipe) = shell.says(1, &["read", "pipe\u{1b}[31m.jpg"]);
    for text in [out, read, errors, pipe] {
        assert!(!text.contains('\u{1b}') && text.contains("\\u{1b}[31m"), "{text:?}");
    }
}

#[test]
fn json_is_printed_even_where_no_batch_is_remembered() {
    let shell = Shell::new();
    let (out, errors) = shell.says(1, &["undo", "--batch", "last", "--json"]);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&answer["success"], &answer["error"]["code"]), (&json!(false), &json!(-32008)), "{errors}");
}

#[test]
fn a_tag_with_a_slash_below_another_is_one_tag_and_no_conflict() {
    let shell = Shell::new();
    let path = shell.folder.file("a.jpg", &pictures::jpeg());
    shell.says(0, &["write", "a.jpg", "--tag", "Music|AC/DC"]);
    let (out, _) = shell.says(0, &["read", "a.jpg", "--json"]);
    let read: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&read[0]["keywords"], &read[0]["conflicts"]), (&json!(["AC/DC"]), &json!([])));
    assert_eq!(list(&path, "XMP-lr:HierarchicalSubject"), ["Music|AC/DC"]);
    shell.says(0, &["write", "a.jpg", "--tag", "|"]);
    assert_eq!(list(&path, "XMP-dc:Subject"), ["|"]);
}
