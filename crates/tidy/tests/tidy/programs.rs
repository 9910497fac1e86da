//! What a program carries: its own server, and nothing of the others.

use std::process::{Command, Output};

use crate::metadata::metadata;
use crate::problem::{Problem, none};
use crate::repository::{File, files, folder_of, root};

/// What belongs to one server alone, in groups.
const OCR: &[&str] = &["ocr", "rten-gemm"];
const PICTURES: &[&str] = &["picture", "image", "fast_image_resize"];
const SCREEN: &[&str] = &["fotos", "x11rb", "wayland-client", "ashpd", "zbus", "cosmic-text", "tiny-skia"];
const MODELS: &[&str] = &["models", "vision"];
const DATABASES: &[&str] = &["rusqlite", "tokio-postgres"];
const VAULT: &[&str] = &["authy", "keys", "argon2", "chacha20poly1305"];
const COOKBOOK: &[&str] = &["recipes", "tokio-postgres", "askama", "html5gum"];
const PHOTOS: &[&str] = &["metatag", "quick-xml"];
const LISTENER: &[&str] = &["web", "axum", "hyper"];
const CLIENT: &[&str] = &["fetch", "reqwest", "rustls"];
const TERMINAL: &[&str] = &["ratatui"];
/// The program that has everything, and what is for checks.
const PRODUCT: &[&str] = &["deskmate", "mcp-testkit", "models-stub", "postgres-testkit", "tidy"];

/// A program's package, and what must not be in its tree.
struct Program {
    package: &'static str,
    without: &'static [&'static [&'static str]],
    vault: Vault,
}

/// How much of the vault a program has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vault {
    /// What `without` says.
    Any,
    /// As a library, for the keys of model providers: not its MCP server.
    Library,
}

/// One row per program. `hyper` is the client's, too, where models are asked.
const PROGRAMS: &[Program] = &[
    Program {
        package: "authy-cli",
        without: &[OCR, PICTURES, SCREEN, MODELS, COOKBOOK, PHOTOS, &["web", "axum", "keys"], PRODUCT],
        vault: Vault::Any,
    },
    Program {
        package: "metatag-genie",
        without: &[
            OCR, PICTURES, SCREEN, MODELS, DATABASES, VAULT, COOKBOOK, LISTENER, CLIENT, TERMINAL, PRODUCT,
        ],
        vault: Vault::Any,
    },
    Program {
        package: "recipe-vault",
        without: &[OCR, SCREEN, MODELS, PHOTOS, TERMINAL, &["authy", "keys", "chacha20poly1305"], PRODUCT],
        vault: Vault::Any,
    },
    Program {
        package: "fotos-mcp",
        without: &[&["vision", "tokio-postgres"], COOKBOOK, &["metatag", "web", "axum"], TERMINAL, PRODUCT],
        vault: Vault::Library,
    },
    Program {
        package: "vision-mcp",
        without: &[SCREEN, COOKBOOK, &["metatag", "web", "axum"], TERMINAL, PRODUCT],
        vault: Vault::Library,
    },
    Program {
        package: "deskmate",
        without: &[TERMINAL, &["mcp-testkit", "models-stub", "postgres-testkit", "tidy", "authy-cli"]],
        vault: Vault::Any,
    },
];

/// One package of a tree, and its features.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Carried {
    name: String,
    features: Vec<String>,
}

fn check(program: &Program, tree: &[Carried]) -> Vec<Problem> {
    let remedy = format!("`cargo tree -p {} -e normal -i NAME` says who brings it", program.package);
    let place = format!("the tree of `{}`", program.package);
    if tree.len() < 2 {
        return vec![Problem::new(place, "`cargo tree` names no dependency, so nothing was checked", remedy)];
    }
    let mut problems = Vec::new();
    for name in program.without.concat() {
        if tree.iter().any(|carried| carried.name == name && carried.name != program.package) {
            problems.push(Problem::new(&place, format!("`{name}` is in it"), &remedy));
        }
    }
    let has_server = |carried: &&Carried| {
        carried.name == "authy" && carried.features.iter().any(|feature| feature == "server")
    };
    if program.vault == Vault::Library && tree.iter().any(|carried| has_server(&carried)) {
        problems.push(Problem::new(
            &place,
            "it has the MCP server of `authy`",
            "do without the feature `server`",
        ));
    }
    problems
}

/// Every program has a row.
fn check_rows(files: &[File], rows: &[Program]) -> Vec<Problem> {
    let known: Vec<&str> = rows.iter().filter_map(|row| folder_of(row.package, files)).collect();
    let manifests = files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    let unknown = manifests.filter(|path| path.starts_with("programs/") && !known.contains(path));
    unknown
        .map(|path| {
            Problem::new(
                path,
                "nothing says what this program must not carry",
                "add a row to `PROGRAMS` in crates/tidy/tests/tidy/programs.rs",
            )
        })
        .collect()
}

/// What is built into a program, features and all, when it is built by itself: a build of the workspace joins the features of all
/// programs.
fn tree(package: &str) -> Vec<Carried> {
    let mut output = cargo_tree(package, &["--offline"]);
    if !output.status.success() {
        output = cargo_tree(package, &[]);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "`cargo tree -p {package}` failed; run it by hand at the root: {errors}"
    );
    let text = String::from_utf8(output.stdout).expect("cargo tree speaks UTF-8");
    let roots: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix('0')?.split(' ').next()).collect();
    assert_eq!(roots, [package], "`cargo tree -p {package}` speaks of other packages: {errors}");
    parse(&text)
}

fn cargo_tree(package: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--package", package, "--edges", "normal", "--prefix", "depth"])
        .args(["--format", "{p}|{f}"])
        .args(more)
        // With features joined over the workspace, cargo shows the tree of every member.
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .current_dir(root())
        .output()
        .expect("the cargo that built this test can be started")
}

/// Lines such as `1authy v0.1.0 (/path)|default,server`: how deep it is first, and ` (*)` behind what was there before.
fn parse(text: &str) -> Vec<Carried> {
    let mut tree: Vec<Carried> = Vec::new();
    for line in text.lines() {
        let line = line.strip_suffix(" (*)").unwrap_or(line);
        let (package, features) = line.split_once('|').unwrap_or((line, ""));
        let package = package.trim_start_matches(|char: char| char.is_ascii_digit());
        let Some(name) = package.split(' ').next().filter(|name| !name.is_empty()) else { continue };
        let features = features.split(',').filter(|feature| !feature.is_empty()).map(str::to_owned).collect();
        let carried = Carried { name: name.to_owned(), features };
        if !tree.contains(&carried) {
            tree.push(carried);
        }
    }
    tree
}

#[test]
fn every_program_carries_its_own_server_and_no_other() {
    none(PROGRAMS.iter().flat_map(|program| check(program, &tree(program.package))).collect());
}

/// A name that no package has would never be found in a tree.
#[test]
fn every_name_in_the_rows_is_that_of_a_package() {
    let packages: Vec<&str> = metadata().packages.iter().map(|package| package.name.as_str()).collect();
    let mut unknown = PROGRAMS.iter().flat_map(|program| program.without.concat()).collect::<Vec<_>>();
    unknown.retain(|name| !packages.contains(name));
    assert!(unknown.is_empty(), "no package has these names, so nobody looks for them: {unknown:?}");
}

#[test]
fn every_program_has_a_row() {
    none(check_rows(files(), PROGRAMS));
}

mod finds {
    use super::*;

    #[track_caller]
    fn finds(package: &str, tree: &str, expected: &[&str]) {
        let program = PROGRAMS.iter().find(|program| program.package == package).expect("a row");
        let reasons: Vec<String> =
            check(program, &parse(tree)).into_iter().map(|problem| problem.reason).collect();
        assert_eq!(reasons, expected);
    }

    #[test]
    fn what_belongs_to_another_server() {
        finds("authy-cli", "authy-cli v0.1.0 (/a)|tui\nauthy v0.1.0 (/b)|server\n", &[]);
        finds(
            "authy-cli",
            "authy-cli v0.1.0 (/a)|\nocr v0.1.0 (/b)|\nx11rb v0.14.0|shm\ntokio-postgres v0.7.0|\n",
            &["`ocr` is in it", "`x11rb` is in it", "`tokio-postgres` is in it"],
        );
    }

    #[test]
    fn the_server_of_the_vault_where_only_its_library_may_be() {
        finds("fotos-mcp", "fotos-mcp v0.1.0 (/a)|\nauthy v0.1.0 (/b)|\n", &[]);
        finds(
            "fotos-mcp",
            "fotos-mcp v0.1.0 (/a)|\nauthy v0.1.0 (/b)|default,server (*)\n",
            &["it has the MCP server of `authy`"],
        );
    }

    #[test]
    fn a_tree_that_says_nothing() {
        finds("deskmate", "", &["`cargo tree` names no dependency, so nothing was checked"]);
    }

    #[test]
    fn a_program_without_a_row() {
        let files = [File::example("programs/new/Cargo.toml", "[package]\nname = \"new\"\n")];
        assert_eq!(check_rows(&files, PROGRAMS).len(), 1);
    }
}
