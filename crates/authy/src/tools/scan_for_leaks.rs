//! `scan_for_leaks`: whether stored values lie about in files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ::mcp::{About, Cx, Fail, Run, Stop, Tool};
use files::{Allowed, Roots};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::capability::Capability;
use crate::keys::Token;
use crate::leaks::{Bounds, Leaked, Report, scan};
use crate::scrub::{Patterns, Secret};
use crate::session::Session;
use crate::state::State;
use crate::value::SecretValue;

pub(crate) struct ScanForLeaks;

/// The most secrets looked for at once.
const MOST_SECRETS: usize = 2000;
/// The most places told of each kind.
const MOST_TOLD: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Files and folders to look through, by absolute path.
    #[schemars(length(min = 1, max = 16), inner(length(min = 1, max = 4096)))]
    paths: Vec<String>,
}

impl Tool<State> for ScanForLeaks {
    type In = Input;
    type Out = String;
    const ABOUT: About = About::new(
        "scan_for_leaks",
        "Scan files for leaked secrets",
        "Look through files and folders for values of the vault, in clear or encoded (base64, hex, URL, JSON, reversed), and \
         for access tokens of authy. Tells how many are in which file, never the value. Needs the capability `scan`. Use \
         this before a commit, or when a secret may have been written somewhere.",
    )
    .read_only()
    .local();
    const RUN: Run = Run::Blocking;

    async fn call(&self, state: &State, cx: &Cx, input: Input) -> Result<String, Stop> {
        if !(1..=16).contains(&input.paths.len()) {
            return Err(Fail::arguments("`paths` has 1 to 16 files or folders").into());
        }
        let roots = roots(cx.caller().remote, |name| std::env::var_os(name));
        let resolve = |path: &String| {
            let place = roots.resolve(Path::new(path)).map_err(|error| Fail::new(error.to_string()))?;
            Ok(place.path().to_owned())
        };
        let places: Vec<PathBuf> = input.paths.iter().map(resolve).collect::<Result<_, Fail>>()?;
        let session = state.session(cx)?;
        session.require(Capability::Scan)?;
        let (values, skipped) = values(&session)?;
        let secrets = values.iter().map(|(name, value)| Secret { name, value: value.as_bytes() });
        // A value that nobody guesses may have lines that anybody does.
        let patterns = Patterns::with_lines(secrets, |line| !guessable(line));
        let is_token = |text: &str| Token::parse(text).is_ok();
        let mut progress = |(files, _): (usize, u64)| {
            let done = u32::try_from(files).unwrap_or(u32::MAX);
            cx.advance(f64::from(done), None, Some("files read"))
        };
        let report = scan(&places, &patterns, is_token, Bounds::default(), &mut progress);
        // Who sees at which line which value was found can find out what the values are.
        let told = if session.grant().is_some() { Told::Counts } else { Told::Places };
        Ok(words(&report, values.len(), &[patterns.too_short(), &skipped].concat(), told))
    }
}

/// The folders that may be looked through, as for every server.
fn roots(remote: bool, variable: impl Fn(&str) -> Option<OsString>) -> Roots {
    let allowed = Allowed::from_environment(variable);
    if remote { allowed.remote } else { allowed.local }
}

/// What is told of what was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// File, line and name.
    Places,
    /// How many in each file.
    Counts,
}

/// Whether a value is too easily guessed to be looked for: an answer would confirm the guess.
fn guessable(value: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in value {
        seen[usize::from(*byte)] = true;
    }
    let distinct = u32::try_from(seen.iter().filter(|seen| **seen).count()).unwrap_or(256);
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
    // The bits a random value of this length and these characters would have.
    length < 16 || f64::from(length) * f64::from(distinct.max(1)).log2() < 64.0
}

/// Names and their values.
type Values = Vec<(String, SecretValue)>;

/// The values to look for, and the names of those that are not looked for.
fn values(session: &Session) -> Result<(Values, Vec<String>), Fail> {
    let infos = session.infos(None)?;
    if infos.len() > MOST_SECRETS {
        return Err(Fail::new(format!(
            "there are {} secrets, and at most {MOST_SECRETS} are looked for at once; use a grant with a narrower policy",
            infos.len()
        )));
    }
    let (mut values, mut skipped) = (Vec::new(), Vec::new());
    for info in infos {
        let name = info.name.to_string();
        if info.attributes.approve_each_use || info.attributes.never_reveal {
            skipped.push(name);
            continue;
        }
        let value = session.scan_value(&info.name)?;
        if guessable(value.as_bytes()) {
            skipped.push(name);
        } else {
            values.push((name, value));
        }
    }
    Ok((values, skipped))
}

fn words(report: &Report, secrets: usize, skipped: &[String], told: Told) -> String {
    let mut text = match report.leaks.len() {
        0 => "Nothing found".to_owned(),
        1 => "1 leak found".to_owned(),
        count => format!("{count} leaks found"),
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, " in {} files ({} bytes), for {secrets} secrets.", report.files, report.bytes);
    let mut counts: BTreeMap<&Path, usize> = BTreeMap::new();
    for leak in &report.leaks {
        *counts.entry(leak.path.as_path()).or_default() += 1;
    }
    let (places, counts) = match told {
        Told::Places => (report.leaks.as_slice(), BTreeMap::new()),
        Told::Counts => ([].as_slice(), counts),
    };
    for (path, count) in counts.iter().take(MOST_TOLD) {
        let _ = writeln!(text, "{}: {count}", path.display());
    }
    for leak in places.iter().take(MOST_TOLD) {
        let _ = match &leak.what {
            Leaked::Value { name, encoding } => {
                writeln!(text, "{}:{}: `{name}`, {encoding}", leak.path.display(), leak.line)
            }
            Leaked::Token => {
                writeln!(text, "{}:{}: an access token of authy", leak.path.display(), leak.line)
            }
        };
    }
    if report.leaks.len() > MOST_TOLD {
        let _ = writeln!(text, "… and {} more.", report.leaks.len() - MOST_TOLD);
    }
    for (path, reason) in report.unread.iter().take(MOST_TOLD) {
        let _ = writeln!(text, "Not read: {}: {reason}", path.display());
    }
    for path in report.too_large.iter().take(MOST_TOLD) {
        let _ = writeln!(text, "Too large: {}", path.display());
    }
    if !skipped.is_empty() {
        let _ = writeln!(
            text,
            "Not looked for, as they are easily guessed, never shown, or need a person's yes: {}.",
            skipped.join(", ")
        );
    }
    if report.incomplete {
        text.push_str("The scan did not get to the end; look through fewer files at a time.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use files::Roots;

    use super::{Told, guessable, roots, words};
    use crate::leaks::{Leak, Leaked, Report};
    use crate::scrub::Encoding;

    #[test]
    fn who_comes_over_the_network_looks_only_where_it_was_named() {
        let home = |name: &str| (name == "HOME").then(|| OsString::from("/home/ada"));
        assert_eq!(roots(false, home), Roots::new(["/home/ada".into()]));
        assert_eq!(roots(true, home), Roots::none());
        let named = |name: &str| (name == "DESKMATE_ROOTS").then(|| OsString::from("/projects:/more"));
        assert_eq!(roots(true, named), Roots::new(["/projects".into(), "/more".into()]));
    }

    #[test]
    fn what_can_be_guessed_is_not_looked_for() {
        for easy in ["", "1234", "hunter2", "password12345", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
            assert!(guessable(easy.as_bytes()), "{easy}");
        }
        assert!(!guessable(b"correct-horse-battery") && !guessable(b"sk_live_51Hc9xQ2eZvKYlo2C"));
    }

    #[test]
    fn a_report_names_places_and_what_was_left_out() {
        let value = Leaked::Value { name: "db".to_owned(), encoding: Encoding::Base64 };
        let report = Report {
            leaks: vec![
                Leak { path: "/a/.env".into(), line: 3, what: value },
                Leak { path: "/a/log".into(), line: 1, what: Leaked::Token },
            ],
            files: 7,
            bytes: 4096,
            unread: vec![("/a/b".into(), "permission denied".to_owned())],
            too_large: vec!["/a/big".into()],
            incomplete: true,
        };
        let expected = "2 leaks found in 7 files (4096 bytes), for 5 secrets.\n\
                        /a/.env:3: `db`, base64\n/a/log:1: an access token of authy\n\
                        Not read: /a/b: permission denied\nToo large: /a/big\n\
                        Not looked for, as they are easily guessed, never shown, or need a person's yes: pin.\n\
                        The scan did not get to the end; look through fewer files at a time.\n";
        assert_eq!(words(&report, 5, &["pin".to_owned()], Told::Places), expected);
        let counted = words(&report, 5, &[], Told::Counts);
        assert!(counted.contains("/a/.env: 1\n/a/log: 1\n") && !counted.contains("db"), "{counted}");
        let nothing = words(&Report { files: 1, ..Report::default() }, 1, &[], Told::Counts);
        assert_eq!(nothing, "Nothing found in 1 files (0 bytes), for 1 secrets.\n");
    }
}
