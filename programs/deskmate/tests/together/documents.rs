//! Every command block of README.md and docs/ is run, in a home of its own, with the programs that are built.
//!
//! A block of `sh` must succeed. A block of `console` has commands after `$` and what they print: every line has to be there, in this
//! order; `…` stands for anything, and alone on a line for any number of lines. Words that only a person can say are said by stand-ins
//! in `documents/`: `cargo` checks that what it is asked to build is there, `connect` agrees, and `serve` ends once it serves.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcp_testkit::{Folder, program};

/// What stands in for a person, and for what takes too long.
const STAND_INS: &[(&str, &str)] = &[
    ("cargo", include_str!("documents/cargo")),
    ("deskmate", include_str!("documents/deskmate")),
    ("recipe-vault", include_str!("documents/recipe-vault")),
    ("until-served", include_str!("documents/until-served")),
    ("systemctl", "#!/bin/sh\nexit 0\n"),
    ("dev", include_str!("documents/dev")),
    ("sudo", include_str!("documents/sudo")),
];

const OTHERS: &[&str] = &["authy", "metatag-genie", "fotos-mcp", "vision-mcp"];

/// A block of commands.
#[derive(Debug)]
struct Block {
    line: usize,
    kind: Kind,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sh,
    Console,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside: Option<(String, Option<Block>)> = None;
    for (number, line) in document.lines().enumerate() {
        let bare = line.trim_start();
        match (&mut inside, bare.strip_prefix("```")) {
            (None, Some(language)) => {
                let indent = line[..line.len() - bare.len()].to_owned();
                let kind = match language {
                    "sh" => Some(Kind::Sh),
                    "console" => Some(Kind::Console),
                    _ => None,
                };
                inside =
                    Some((indent, kind.map(|kind| Block { line: number + 1, kind, text: String::new() })));
            }
            (Some((_, block)), Some("")) => {
                found.extend(block.take());
                inside = None;
            }
            (Some((indent, Some(block))), _) => {
                block.text.push_str(line.strip_prefix(indent.as_str()).unwrap_or(line));
                block.text.push('\n');
            }
            _ => {}
        }
    }
    found
}

/// The commands of a console, each with what it prints.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) if !open => all.push((command.to_owned(), Vec::new())),
            (_, Some((command, _))) if open => {
                command.push('\n');
                command.push_str(line);
            }
            (_, Some((_, output))) => output.push(line.to_owned()),
            (_, None) => panic!("a console begins with a command: {line}"),
        }
        let command = all.last().map_or("", |(command, _)| command.as_str());
        open = all.last().is_some_and(|(_, output)| output.is_empty())
            && (command.ends_with('\\') || command.matches('\'').count() % 2 == 1);
    }
    all
}

/// Whether a line is what was announced, in which `…` stands for anything.
fn fits(expected: &str, line: &str) -> bool {
    let mut parts = expected.trim_end().split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.trim_end().strip_prefix(first) else { return false };
    let mut last_end = expected.trim_end().ends_with('…');
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() {
        return rest.is_empty();
    }
    for (at, part) in parts.iter().enumerate() {
        if at + 1 == parts.len() && !part.is_empty() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return false,
        }
        last_end = part.is_empty();
    }
    last_end
}

fn check_output(expected: &[String], output: &str) -> Result<(), String> {
    let mut lines = output.lines().peekable();
    let mut any = false;
    for wanted in expected {
        if wanted.trim() == "…" {
            any = true;
            continue;
        }
        loop {
            let Some(line) = lines.next() else { return Err(format!("this line is missing: {wanted}")) };
            if fits(wanted, line) {
                break;
            }
            if !any {
                return Err(format!("expected: {wanted}\n   found: {line}"));
            }
        }
        any = false;
    }
    match lines.find(|line| !line.trim().is_empty()) {
        Some(more) if !any => Err(format!("it also prints: {more}")),
        _ => Ok(()),
    }
}

/// A home in which a document is followed.
struct Home {
    folder: Folder,
    port: u16,
}

impl Home {
    fn new(repository: &Path) -> Home {
        let folder = Folder::new();
        let home = folder.as_path();
        let bin = home.join(".stand-ins");
        fs::create_dir_all(&bin).expect("a folder");
        for (name, text) in STAND_INS {
            let place = if *name == "dev" { home.join("dev") } else { bin.join(name) };
            fs::write(&place, text).expect("a stand-in");
            fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        for name in OTHERS {
            symlink(program(name), bin.join(name)).expect("a link");
        }
        fs::create_dir_all(home.join("target/release")).expect("a folder");
        symlink(bin.join("deskmate"), home.join("target/release/deskmate")).expect("a link");
        symlink(repository.join("programs"), home.join("programs")).expect("a link");
        pack(repository, home);
        for folder in ["Pictures", "photos"] {
            fs::create_dir_all(home.join(folder)).expect("a folder");
            let jpeg = picture::encode_jpeg(picture::Pixels::plain(64, 48, [30, 120, 200]).picture(), 90)
                .expect("a picture");
            fs::write(home.join(folder).join("beach.jpg"), jpeg.bytes).expect("a picture");
            let png =
                picture::Pixels::plain(64, 48, [30, 120, 20]).png(picture::Effort::Fast).expect("a picture");
            fs::write(home.join(folder).join("sea.png"), png).expect("a picture");
        }
        fs::write(home.join("photos/notes.txt"), "no picture\n").expect("a file");
        fs::create_dir_all(home.join(".cursor")).expect("a folder");
        fs::write(home.join(".cursor/mcp.json"), "{}\n").expect("a file");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        Home { folder, port }
    }

    /// The text, for this home.
    fn here(&self, text: &str) -> String {
        let home = self.folder.as_path().display().to_string();
        text.replace("/home/ada", &home).replace("8642", &self.port.to_string())
    }

    /// Runs a script; what it printed, both ways, and whether it worked.
    fn run(&self, repository: &Path, script: &str) -> (String, bool) {
        let home = self.folder.as_path();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", home.join(".stand-ins").display());
        let mut child = Command::new("bash")
            .args(["--norc", "-s"])
            .env_clear()
            .env("HOME", home)
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .env("REPOSITORY", repository)
            .env("PROGRAMS", program("deskmate").parent().expect("a folder"))
            .env("SERVE_PORT", self.port.to_string())
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("bash");
        let script = format!("exec 2>&1\n{script}");
        child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("the script is read");
        let output = child.wait_with_output().expect("an end");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
    }
}

/// The tarball as `./dev package` makes it, with the stand-in as its only program.
fn pack(repository: &Path, home: &Path) {
    let name = concat!("deskmate-", env!("CARGO_PKG_VERSION"), "-x86_64-linux-gnu");
    let tree = home.join(".packed").join(name);
    for (from, to) in [
        (repository.join("packaging/tarball/install.sh"), "install.sh"),
        (repository.join("packaging/deskmate.service"), "share/systemd/user/deskmate.service"),
        (home.join(".stand-ins/deskmate"), "bin/deskmate"),
    ] {
        let to = tree.join(to);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, to).expect("a copy");
    }
    let archive = home.join(format!("{name}.tar.gz"));
    let packed = Command::new("tar")
        .args(["--create", "--gzip", "--file"])
        .arg(archive)
        .arg("--directory")
        .arg(home.join(".packed"))
        .arg(name)
        .status()
        .expect("tar");
    assert!(packed.success());
}

/// Between the outputs of commands.
const MARK: &str = "--- next command ---";

fn follow(repository: &Path, document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).expect("a document");
    let name = document.strip_prefix(repository).expect("of the repository").display().to_string();
    let home = Home::new(repository);
    let mut wrong = Vec::new();
    // What one block exports, the next one has.
    let keep = "; declare -px | grep -v 'HOME=\\|PATH=\\|SHELLOPTS=' > \"$HOME/.exports\"; declare -f > \"$HOME/.functions\"";
    let restore = ". \"$HOME/.exports\" 2>/dev/null; . \"$HOME/.functions\" 2>/dev/null\n";
    for block in blocks(&text) {
        let place = format!("{name}:{}", block.line);
        let body = home.here(&block.text);
        match block.kind {
            Kind::Sh => {
                let (output, worked) = home.run(repository, &format!("{restore}set -e\n{body}\n:{keep}\n"));
                if !worked {
                    wrong.push(format!("{place}: failed:\n{output}"));
                }
            }
            Kind::Console => {
                let commands = commands(&body);
                let marked = commands.iter().map(|(command, _)| format!("{command}\necho '{MARK}'\n"));
                let script = marked.collect::<Vec<_>>().concat();
                let (output, _) = home.run(repository, &format!("{restore}{script}:{keep}\n"));
                let outputs: Vec<&str> = output.split(MARK).collect();
                for ((command, expected), printed) in commands.iter().zip(outputs) {
                    if let Err(difference) = check_output(expected, printed.trim_start_matches('\n')) {
                        wrong.push(format!("{place}: `{command}`: {difference}\n--- it printed:\n{printed}"));
                    }
                }
            }
        }
    }
    wrong
}

fn documents(repository: &Path) -> Vec<PathBuf> {
    let mut all = vec![repository.join("README.md")];
    for folder in ["docs", "docs/clients"] {
        let entries = fs::read_dir(repository.join(folder)).expect("documents");
        let paths = entries.map(|entry| entry.expect("a document").path());
        all.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    all.sort();
    all
}

#[test]
fn every_command_block_of_the_documents_runs() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let documents = documents(repository);
    assert!(documents.len() > 20, "{documents:?}");
    // Side by side: each has a home of its own.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let (left, right) = documents.split_at(documents.len() / 2);
        let halves = [left, right].map(|half| {
            scope.spawn(move || {
                half.iter().flat_map(|document| follow(repository, document)).collect::<Vec<_>>()
            })
        });
        halves.into_iter().flat_map(|half| half.join().expect("followed")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Links between documents, and pictures, lead somewhere.
#[test]
fn every_link_of_the_documents_leads_to_a_file() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let mut dead = Vec::new();
    for document in documents(repository) {
        let text = fs::read_to_string(&document).expect("a document");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            if path.is_empty() || path.contains("://") || path.contains(' ') {
                continue;
            }
            let folder = document.parent().expect("a folder");
            if !folder.join(path).exists() {
                dead.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

/// The tools that a page lists, and those of them that it calls core.
fn listed_tools(document: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (mut all, mut core) = (BTreeSet::new(), BTreeSet::new());
    let table = document.lines().skip_while(|line| !(line.starts_with("| tool |") && line.contains("core")));
    for line in table.skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let names = cells.get(1).copied().unwrap_or_default().split('`').skip(1).step_by(2);
        let is_core = cells.contains(&"yes");
        for name in names {
            all.insert(name);
            if is_core {
                core.insert(name);
            }
        }
    }
    (all, core)
}

#[test]
fn the_documents_say_which_tools_an_app_gets() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let home = Folder::new();
    let tools = |arguments: &[&str]| -> BTreeSet<String> {
        let mut command = Command::new(program("deskmate"));
        let output =
            command.args(arguments).env_clear().env("HOME", home.as_path()).output().expect("deskmate");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().skip(1).filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    };
    let core = tools(&["tools"]);
    for (page, server) in
        [("fotos", "screen"), ("metatag", "photos"), ("vision", "vision"), ("recipes", "recipes")]
    {
        let text = fs::read_to_string(repository.join(format!("docs/{page}.md"))).expect("a document");
        let (all, said) = listed_tools(&text);
        let own = tools(&["tools", server]);
        let own_core: BTreeSet<&str> = own.intersection(&core).map(String::as_str).collect();
        let own: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        assert_eq!((all, said), (own, own_core), "docs/{page}.md");
    }
}

#[test]
fn an_ellipsis_stands_for_anything() {
    for (expected, line) in
        [("a", "a"), ("a…", "abc"), ("a…c", "abbc"), ("…", "x"), ("id …, until …", "id 7, until noon")]
    {
        assert!(fits(expected, line), "{expected}: {line}");
    }
    for (expected, line) in [("a", "ab"), ("a…c", "abd"), ("x…", "a")] {
        assert!(!fits(expected, line), "{expected}: {line}");
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(check_output(&lines("a\n…\nd"), "a\nb\nc\nd\n").is_ok());
    assert!(check_output(&lines("a\n…"), "a\nb\n").is_ok());
    assert!(check_output(&lines("a"), "a\nb\n").is_err() && check_output(&lines("a\nb"), "a\n").is_err());
}
