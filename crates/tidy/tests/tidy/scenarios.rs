//! `specs/scenarios.toml` against the tests it names.

use std::collections::HashSet;

use serde::Deserialize;

use crate::problem::{Problem, none};
use crate::ran::{Ran, Runs};
use crate::repository::{File, files};
use crate::test_names::TestName;

const PATH: &str = "specs/scenarios.toml";
const SPECS: &[&str] = &["fotos", "metatag", "authy", "vision", "recipes"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    spec: String,
    requirement: String,
    title: String,
    test: Option<String>,
    status: Option<Status>,
    runs: Option<Runs>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
}

fn check(list: &str, files: &[File]) -> Vec<Problem> {
    let list: List = match toml::from_str(list) {
        Ok(list) => list,
        Err(error) => return vec![Problem::new(PATH, error.to_string(), "see the head of the file")],
    };
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    for scenario in &list.scenario {
        let Scenario { spec, requirement, title, .. } = scenario;
        let place = format!("{PATH}, {spec} / {requirement} / {title}");
        if !SPECS.contains(&spec.as_str()) {
            let known = SPECS.join(", ");
            problems.push(Problem::new(
                &place,
                format!("no specification `{spec}`"),
                format!("use one of {known}"),
            ));
        }
        if !seen.insert((spec, requirement, title)) {
            problems.push(Problem::new(&place, "this title is there twice", "rename or remove one of them"));
        }
        match (&scenario.test, &scenario.status) {
            (None, Some(Status::Open)) => {}
            (Some(test), None) => {
                if let Err(reason) = TestName::parse(test).and_then(|name| name.find(files)) {
                    problems.push(Problem::new(
                        &place,
                        format!("test = \"{test}\": {reason}"),
                        "name the test as it is now, or write it, or set `status = \"open\"`",
                    ));
                }
                problems.extend(check_run(&place, test, scenario.runs, files));
            }
            (None, None) => problems.push(Problem::new(
                &place,
                "neither `test` nor `status` is set",
                "name the test, or set `status = \"open\"`",
            )),
            (Some(_), Some(Status::Open)) => problems.push(Problem::new(
                &place,
                "a scenario with a test is not open",
                "remove `status`, or `test`",
            )),
        }
    }
    problems
}

/// A test that `./dev test` does not run must have been run by the command that does.
fn check_run(place: &str, test: &str, runs: Option<Runs>, files: &[File]) -> Option<Problem> {
    let Some(runs) = runs else {
        let name = TestName::parse(test).ok()?;
        return name.is_conditional(files).then(|| {
            Problem::new(
                place,
                format!("`./dev test` does not run `{test}`: its test binary has `required-features`"),
                "say what does, with `runs`",
            )
        });
    };
    let list = Ran::read(runs, files);
    (!list.has(test)).then(|| {
        Problem::new(
            place,
            format!("`{}` does not say that `{test}` ran", runs.path()),
            format!("run `{}`, which writes that list, and commit it", runs.command()),
        )
    })
}

#[test]
fn every_scenario_names_a_test_that_exists() {
    let list = files().iter().find(|file| file.path == PATH);
    let text = list.and_then(File::text).expect("specs/scenarios.toml is there and is text");
    none(check(text, files()));
}

#[test]
fn wrong_scenarios_are_found() {
    let files = [
        File::example("crates/mcp/Cargo.toml", "[package]\nname = \"mcp\"\n"),
        File::example("crates/mcp/tests/legacy.rs", "#[test]\nfn ping() {}\n"),
    ];
    let scenario = |spec: &str, title: &str, rest: &str| {
        format!("[[scenario]]\nspec = '{spec}'\nrequirement = 'R'\ntitle = '{title}'\n{rest}\n")
    };
    let text = [
        scenario("authy", "shown", "test = 'mcp::legacy::ping'"),
        scenario("authy", "open", "status = 'open'"),
        scenario("authy", "open", "status = 'open'"),
        scenario("authy", "gone", "test = 'mcp::legacy::pong'"),
        scenario("authy", "bare", ""),
        scenario("authy", "both", "test = 'mcp::legacy::ping'\nstatus = 'open'"),
        scenario("other", "who", "status = 'open'"),
    ]
    .concat();
    let reasons: Vec<String> = check(&text, &files).into_iter().map(|problem| problem.reason).collect();
    assert_eq!(
        reasons,
        [
            "this title is there twice",
            "test = \"mcp::legacy::pong\": no test `pong` in its root of `mcp::legacy`",
            "neither `test` nor `status` is set",
            "a scenario with a test is not open",
            "no specification `other`",
        ]
    );
    assert_eq!(check("[[scenario]]\nspecification = 'authy'", &files).len(), 1);
}

#[test]
fn a_test_outside_of_the_gate_must_have_run() {
    let files = [
        File::example(
            "crates/packages/Cargo.toml",
            "[package]\nname = \"packages\"\n\n[[test]]\nname = \"packages\"\nrequired-features = [\"built\"]\n",
        ),
        File::example(
            "crates/packages/tests/packages/deb.rs",
            "#[test]\nfn ran() {}\n\n#[test]\nfn rests() {}\n",
        ),
        File::example("specs/ran-package.txt", "# Written.\npackages::packages::deb::ran 1a2b\n"),
    ];
    let scenario = |title: &str, rest: &str| {
        format!("[[scenario]]\nspec = 'fotos'\nrequirement = 'R'\ntitle = '{title}'\n{rest}\n")
    };
    let text = [
        scenario("a", "test = 'packages::packages::deb::ran'\nruns = 'package'"),
        scenario("b", "test = 'packages::packages::deb::rests'\nruns = 'package'"),
        scenario("c", "test = 'packages::packages::deb::ran'\nruns = 'windows'"),
        scenario("d", "test = 'packages::packages::deb::ran'"),
    ]
    .concat();
    let reasons: Vec<String> = check(&text, &files).into_iter().map(|problem| problem.reason).collect();
    assert_eq!(
        reasons,
        [
            "`specs/ran-package.txt` does not say that `packages::packages::deb::rests` ran",
            "`specs/ran-windows.txt` does not say that `packages::packages::deb::ran` ran",
            "`./dev test` does not run `packages::packages::deb::ran`: its test binary has `required-features`",
        ]
    );
}
