//! Everything in the tree may be shipped under our own licences.

use crate::metadata::{Metadata, metadata};
use crate::problem::{Problem, none};
use crate::spdx::satisfied;

const PERMISSIVE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages under another licence, and why that is all right: (package, licence, reason).
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "webpki-roots",
        "CDLA-Permissive-2.0",
        "Mozilla's list of certificates: data, free to pass on, no terms on results",
    ),
    (
        "webpki-root-certs",
        "CDLA-Permissive-2.0",
        "the same list, brought by `reqwest` and used by other systems only",
    ),
];

fn check(metadata: &Metadata) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in &metadata.packages {
        let licence = package.license.as_deref().unwrap_or("none");
        let excepted = EXCEPTIONS.iter().any(|(name, under, _)| *name == package.name && *under == licence);
        if excepted || satisfied(licence, &|name| PERMISSIVE.contains(&name)) {
            continue;
        }
        problems.push(Problem::new(
            format!("Cargo.lock, `{} {}`", package.name, package.version),
            format!("the licence is `{licence}`, which is not on the list of permissive ones"),
            "use another package, or list it with its licence and a reason in `EXCEPTIONS` of \
             crates/tidy/tests/tidy/licences.rs",
        ));
    }
    for (name, licence, _) in EXCEPTIONS {
        let licence = Some(*licence);
        if !metadata.packages.iter().any(|p| p.name == *name && p.license.as_deref() == licence) {
            problems.push(Problem::new(
                "crates/tidy/tests/tidy/licences.rs",
                format!("`{name}` is excepted but is not in the tree under that licence"),
                "remove the row from `EXCEPTIONS`",
            ));
        }
    }
    problems
}

#[test]
fn every_package_in_the_tree_has_a_permissive_licence() {
    none(check(metadata()));
}

#[test]
fn a_package_without_a_licence_or_with_a_strict_one_is_found() {
    let package = |name: &str, license: Option<&str>| crate::metadata::Package {
        id: name.to_owned(),
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        license: license.map(str::to_owned),
        source: None,
        dependencies: Vec::new(),
    };
    let packages =
        vec![package("a", None), package("b", Some("MPL-2.0")), package("c", Some("MIT OR MPL-2.0"))];
    let metadata = Metadata { packages, workspace_members: Vec::new() };
    let places = check(&metadata).into_iter().map(|problem| problem.place);
    // The rows of `EXCEPTIONS` are about packages this little tree does not have.
    let places: Vec<String> = places.filter(|place| place.starts_with("Cargo.lock")).collect();
    assert_eq!(places, ["Cargo.lock, `a 1.0.0`", "Cargo.lock, `b 1.0.0`"]);
}
