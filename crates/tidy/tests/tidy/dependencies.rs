//! Which crate may depend on which.

use crate::metadata::{Dependency, Kind, Metadata, Package, metadata};
use crate::problem::{Problem, none};

/// The five servers: libraries that know nothing of each other. Only programs use them, and each its own.
const SERVERS: &[&str] = &["fotos", "metatag", "authy", "vision", "recipes"];

/// The programs. Nobody depends on them.
const PROGRAMS: &[&str] =
    &["deskmate", "fotos-mcp", "metatag-genie", "authy-cli", "vision-mcp", "recipe-vault"];

/// What the servers stand on, lowest first. Each may use those before it.
const FOUNDATION: &[&str] =
    &["calendar", "files", "fetch", "geometry", "picture", "models", "ocr", "redaction"];

/// For checks only: never a normal dependency of anything that ships.
const DEV_ONLY: &[&str] =
    &["mcp-testkit", "models-stub", "postgres-testkit", "tidy", "packages", "on-windows", "interop-server"];

enum Rule {
    /// These and nothing else; those in the second list only as optional dependencies.
    Only(&'static [&'static str], &'static [&'static str]),
    /// Crates from outside, and of our own these.
    Ours(&'static [&'static str]),
    Everything,
}
use Rule::{Everything, Only, Ours};

/// One row per crate of the workspace.
const RULES: &[(&str, Rule)] = &[
    (
        "mcp",
        Only(
            &[
                "base64-simd",
                "bytes",
                "calendar",
                "getrandom",
                "hmac",
                "json-string",
                "memchr",
                "rustix",
                "schemars",
                "serde",
                "serde_json",
                "serde_ignored",
                "serde_path_to_error",
                "sha2",
                "thiserror",
                "tokio",
                "tracing",
                "windows-sys",
            ],
            &["http", "http-body", "http-body-util", "hyper", "hyper-util"],
        ),
    ),
    ("mcp-testkit", Ours(&["mcp"])),
    ("postgres-testkit", Only(&[], &[])),
    ("models-stub", Ours(&[])),
    ("tidy", Only(&[], &[])),
    ("packages", Only(&[], &[])),
    ("on-windows", Only(&[], &[])),
    ("interop-server", Ours(&["mcp", "mcp-testkit", "web"])),
    ("calendar", Ours(&[])),
    ("json-string", Only(&[], &[])),
    ("files", Ours(&["calendar"])),
    ("fetch", Ours(&["calendar", "files"])),
    ("geometry", Ours(&["calendar", "files", "fetch"])),
    ("picture", Ours(&["calendar", "files", "fetch", "geometry"])),
    ("models", Ours(&["calendar", "files", "fetch", "geometry", "picture"])),
    ("ocr", Ours(&["calendar", "files", "fetch", "geometry", "picture", "models"])),
    ("redaction", Ours(&["calendar", "files", "fetch", "geometry", "picture", "models", "ocr"])),
    ("web", Ours(&["mcp", "files"])),
    ("cli", Ours(&["mcp"])),
    ("connect", Ours(&["files"])),
    // The vault as a library; `programs.rs` checks that its server stays out.
    ("keys", Ours(&["authy", "models"])),
    ("fotos", Ours(SERVER)),
    ("metatag", Ours(SERVER)),
    ("authy", Ours(SERVER)),
    ("vision", Ours(SERVER)),
    ("recipes", Ours(SERVER)),
    ("deskmate", Everything),
    ("fotos-mcp", Ours(&["cli", "fotos", "keys", "mcp"])),
    ("metatag-genie", Ours(&["cli", "files", "metatag"])),
    ("authy-cli", Ours(&["authy", "cli", "files"])),
    ("vision-mcp", Ours(&["cli", "keys", "vision"])),
    ("recipe-vault", Ours(&["cli", "files", "recipes", "web"])),
    ("conformance", Ours(&["mcp", "web"])),
];

/// What a server may use of ours.
const SERVER: &[&str] = &[
    "mcp",
    "calendar",
    "json-string",
    "files",
    "fetch",
    "geometry",
    "picture",
    "models",
    "ocr",
    "redaction",
    "web",
];

fn check(metadata: &Metadata) -> Vec<Problem> {
    let members: Vec<&Package> = metadata.members().collect();
    let ours: Vec<&str> = members.iter().map(|package| package.name.as_str()).collect();
    let mut problems = Vec::new();
    for package in &members {
        let Some((_, rule)) = RULES.iter().find(|(name, _)| *name == package.name) else {
            problems.push(Problem::new(
                manifest(package),
                "no rule says what this crate may depend on",
                "add a row to `RULES` in crates/tidy/tests/tidy/dependencies.rs",
            ));
            continue;
        };
        for dependency in &package.dependencies {
            problems.extend(
                check_rule(rule, dependency, &ours)
                    .or_else(|| check_place(&package.name, dependency))
                    .map(|(reason, remedy)| Problem::new(manifest(package), reason, remedy)),
            );
        }
    }
    problems
}

/// Looks at the table; dev-dependencies are free, as they do not ship.
fn check_rule(rule: &Rule, dependency: &Dependency, ours: &[&str]) -> Option<(String, String)> {
    let name = dependency.name.as_str();
    if dependency.kind == Some(Kind::Dev) {
        return None;
    }
    match rule {
        Only(always, optional) => {
            if always.contains(&name) || (optional.contains(&name) && dependency.optional) {
                return None;
            }
            if optional.contains(&name) {
                return Some((
                    format!("`{name}` must be optional here"),
                    "mark it `optional = true` and put it behind a feature".to_owned(),
                ));
            }
            Some((
                format!("`{name}` is not on the list of what this crate may use"),
                "do without it, or change the list in ARCHITECTURE.md and in `RULES` of the tidy test"
                    .to_owned(),
            ))
        }
        Ours(allowed) if ours.contains(&name) && !allowed.contains(&name) => Some((
            format!("this crate must not know `{name}`"),
            "move what both need into a crate below both".to_owned(),
        )),
        Ours(_) | Everything => None,
    }
}

/// What holds for dependencies of every kind, whatever the table says.
fn check_place(package: &str, dependency: &Dependency) -> Option<(String, String)> {
    let name = dependency.name.as_str();
    if PROGRAMS.contains(&name) {
        return Some((
            format!("nobody depends on the program `{name}`"),
            "move what is needed into a library crate".to_owned(),
        ));
    }
    let is_exception = (package, name) == ("keys", "authy");
    if SERVERS.contains(&name) && !PROGRAMS.contains(&package) && !is_exception {
        return Some((
            format!("only programs may depend on the server `{name}`"),
            "move what is needed into a crate below both, or the test into programs/deskmate".to_owned(),
        ));
    }
    if DEV_ONLY.contains(&name) && !DEV_ONLY.contains(&package) && dependency.kind != Some(Kind::Dev) {
        return Some((
            format!("`{name}` is for checks and must not ship"),
            "make it a dev-dependency".to_owned(),
        ));
    }
    if name == "axum" && package != "web" {
        return Some((
            "`axum` belongs to `web` alone".to_owned(),
            "use what `web` offers, or offer there what is missing".to_owned(),
        ));
    }
    None
}

fn manifest(package: &Package) -> String {
    format!("Cargo.toml of `{}`", package.name)
}

/// The tree has no other implementation of the protocol and nothing from outside crates.io.
fn check_tree(metadata: &Metadata) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in &metadata.packages {
        let place = format!("Cargo.lock, `{} {}`", package.name, package.version);
        if package.source.is_some() && sounds_like_the_protocol(&package.name) {
            problems.push(Problem::new(
                &place,
                "another implementation of the protocol is in the tree",
                "find who brings it with `cargo tree --invert` and do without; the protocol is crates/mcp",
            ));
        }
        if package.source.as_deref().is_some_and(|source| !source.ends_with("/crates.io-index")) {
            problems.push(Problem::new(
                &place,
                "the package does not come from crates.io",
                "depend on a published version",
            ));
        }
    }
    problems
}

/// `rmcp`, `rust-mcp-sdk`, `mcp_client`, `turbomcp` and so on.
fn sounds_like_the_protocol(name: &str) -> bool {
    name.split(['-', '_']).any(|part| part.starts_with("mcp") || part.ends_with("mcp"))
}

#[test]
fn crates_depend_only_on_what_they_may_know() {
    none(check(metadata()));
}

#[test]
fn no_other_implementation_of_the_protocol_and_no_foreign_source_is_in_the_tree() {
    none(check_tree(metadata()));
}

#[test]
fn the_table_has_a_row_for_every_crate_of_the_design() {
    let named = SERVERS.iter().chain(PROGRAMS).chain(FOUNDATION).chain(DEV_ONLY);
    for name in named {
        assert!(RULES.iter().any(|(row, _)| row == name), "`{name}` has no row in `RULES`");
    }
    for (at, name) in FOUNDATION.iter().enumerate() {
        let Some((_, Ours(allowed))) = RULES.iter().find(|(row, _)| row == name) else {
            panic!("`{name}` must have a row with `Ours`");
        };
        assert_eq!(*allowed, &FOUNDATION[..at], "`{name}` may use the crates below it");
    }
}

mod finds {
    use super::*;

    /// A crate and its dependencies: name, kind, whether optional.
    type Example<'a> = (&'a str, &'a [(&'a str, Option<Kind>, bool)]);

    fn workspace(packages: &[Example]) -> Metadata {
        let package = |(name, dependencies): &Example| Package {
            id: (*name).to_owned(),
            name: (*name).to_owned(),
            version: "1.0.0".to_owned(),
            license: None,
            source: None,
            dependencies: dependencies
                .iter()
                .map(|(name, kind, optional)| Dependency {
                    name: (*name).to_owned(),
                    kind: *kind,
                    optional: *optional,
                })
                .collect(),
        };
        Metadata {
            packages: packages.iter().map(package).collect(),
            workspace_members: packages.iter().map(|(name, _)| (*name).to_owned()).collect(),
        }
    }

    #[track_caller]
    fn finds(packages: &[Example], expected: &[&str]) {
        let reasons: Vec<String> =
            check(&workspace(packages)).into_iter().map(|problem| problem.reason).collect();
        assert_eq!(reasons, expected);
    }

    #[test]
    fn a_crate_that_is_not_on_the_list() {
        finds(
            &[("mcp", &[("serde", None, false), ("axum", None, false)])],
            &["`axum` is not on the list of what this crate may use"],
        );
        finds(&[("mcp", &[("insta", Some(Kind::Dev), false)])], &[]);
    }

    #[test]
    fn a_dependency_that_should_be_optional() {
        finds(&[("mcp", &[("hyper", None, true)])], &[]);
        finds(&[("mcp", &[("hyper", None, false)])], &["`hyper` must be optional here"]);
    }

    #[test]
    fn a_server_that_knows_another() {
        let deskmate: Example = ("deskmate", &[("authy", None, false), ("fotos", None, false)]);
        finds(&[("authy", &[]), ("fotos", &[("serde", None, false)]), deskmate], &[]);
        finds(&[("authy", &[]), ("fotos", &[("authy", None, false)])], &["this crate must not know `authy`"]);
        finds(
            &[("authy", &[]), ("fotos", &[("authy", Some(Kind::Dev), false)])],
            &["only programs may depend on the server `authy`"],
        );
    }

    #[test]
    fn a_program_that_knows_another_server() {
        let keys: Example = ("keys", &[("authy", None, false)]);
        finds(&[("authy", &[]), keys, ("fotos-mcp", &[("keys", None, false)])], &[]);
        finds(
            &[("authy", &[]), ("fotos-mcp", &[("authy", None, false)])],
            &["this crate must not know `authy`"],
        );
    }

    #[test]
    fn a_crate_below_that_looks_up() {
        finds(&[("mcp", &[]), ("files", &[("mcp", None, false)])], &["this crate must not know `mcp`"]);
        finds(
            &[("deskmate", &[]), ("web", &[("deskmate", Some(Kind::Dev), false)])],
            &["nobody depends on the program `deskmate`"],
        );
    }

    #[test]
    fn check_tools_that_ship() {
        finds(
            &[("mcp-testkit", &[]), ("deskmate", &[("mcp-testkit", None, false)])],
            &["`mcp-testkit` is for checks and must not ship"],
        );
        finds(&[("mcp-testkit", &[]), ("interop-server", &[("mcp-testkit", None, false)])], &[]);
    }

    #[test]
    fn a_crate_without_a_rule() {
        finds(&[("surprise", &[])], &["no rule says what this crate may depend on"]);
    }

    #[test]
    fn another_implementation_and_a_git_source() {
        let mut metadata = workspace(&[("rmcp-macros", &[]), ("serde", &[]), ("mcp", &[])]);
        metadata.packages[0].source =
            Some("registry+https://github.com/rust-lang/crates.io-index".to_owned());
        metadata.packages[1].source = Some("git+https://example.org/serde".to_owned());
        assert_eq!(check_tree(&metadata).len(), 2);
        assert!(["rmcp", "rust-mcp-sdk", "mcp_client", "turbomcp"].into_iter().all(sounds_like_the_protocol));
        assert!(!["memchr", "memcpy", "tempfile"].into_iter().any(sounds_like_the_protocol));
    }
}
