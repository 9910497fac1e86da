//! Lines of text that look like errors: quoted, with a word for their kind, and no claim beyond that.

use serde::Serialize;

/// The most lines that are told.
const MOST: usize = 20;

/// A line that looks like an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Which line of the text, from 1.
    pub line: usize,
    /// What kind of thing it is.
    pub kind: &'static str,
    /// The line.
    pub quote: String,
}

/// What a line of each kind has in it, in lower case; the first kind that fits counts.
const KINDS: &[(&str, &[&str])] = &[
    ("panic", &["panicked at", "kernel panic", "fatal error:"]),
    (
        "crash",
        &["segmentation fault", "core dumped", "sigsegv", "sigabrt", "access violation", "blue screen"],
    ),
    ("stack trace", &["traceback (most recent call last)", "stack trace", "stack backtrace", "caused by:"]),
    ("memory", &["out of memory", "outofmemory", "oomkilled", "cannot allocate"]),
    (
        "not found",
        &[
            "no such file",
            "command not found",
            "modulenotfounderror",
            "cannot find module",
            "not found",
            "enoent",
        ],
    ),
    (
        "permission",
        &["permission denied", "access denied", "access is denied", "eacces", "forbidden", "unauthorized"],
    ),
    (
        "network",
        &[
            "connection refused",
            "econnrefused",
            "timed out",
            "timeout",
            "etimedout",
            "could not resolve",
            "dns",
        ],
    ),
    ("syntax", &["syntaxerror", "syntax error", "unexpected token", "unexpected end of", "parse error"]),
    (
        "type",
        &[
            "typeerror",
            "is not a function",
            "is not defined",
            "undefined is not",
            "nullpointerexception",
            "attributeerror",
        ],
    ),
    (
        "compiler",
        &[
            "error[e",
            "error ts",
            "error cs",
            "error c",
            "undefined reference",
            "build failed",
            "compilation failed",
        ],
    ),
    ("exception", &["exception", "unhandled", "uncaught"]),
    ("error", &["error", "failed", "failure", "fatal", "fehler", "erreur"]),
];

/// The lines of a text that look like errors.
pub fn find_faults(text: &str) -> Vec<Fault> {
    let faults = text.lines().enumerate().filter_map(|(at, line)| {
        let kind = kind(line)?;
        Some(Fault { line: at + 1, kind, quote: line.trim().to_owned() })
    });
    faults.take(MOST).collect()
}

fn kind(line: &str) -> Option<&'static str> {
    let lower = line.to_lowercase();
    let known = KINDS.iter().find(|(_, words)| words.iter().any(|word| lower.contains(word)));
    known
        .map(|(kind, _)| *kind)
        .or_else(|| status(&lower).then_some("HTTP status"))
        .or_else(|| frame(line).then_some("stack frame"))
}

/// `HTTP 404`, `status code: 500`.
fn status(lower: &str) -> bool {
    let Some((_, rest)) = lower.split_once("http").or_else(|| lower.split_once("status")) else {
        return false;
    };
    rest.split(|letter: char| !letter.is_ascii_digit())
        .any(|number| number.len() == 3 && matches!(number.as_bytes()[0], b'4' | b'5'))
}

/// `at f (a.js:1:2)`, `File "a.py", line 3`.
fn frame(line: &str) -> bool {
    let line = line.trim_start();
    (line.starts_with("at ") && line.contains(':')) || (line.starts_with("File \"") && line.contains("line "))
}

#[cfg(test)]
mod tests {
    use super::find_faults;

    #[test]
    fn errors_of_many_programs_are_found_and_quoted() {
        let text = "$ npm start\nTypeError: x is undefined\n    at main (app.js:3:7)\nHTTP/1.1 502 Bad Gateway\n\
                    error[E0308]: mismatched types\nbash: foo: command not found\nall is well";
        let found: Vec<(usize, &str)> =
            find_faults(text).into_iter().map(|fault| (fault.line, fault.kind)).collect();
        assert_eq!(
            found,
            [(2, "type"), (3, "stack frame"), (4, "HTTP status"), (5, "compiler"), (6, "not found")]
        );
    }

    #[test]
    fn peaceful_text_has_none() {
        assert!(find_faults("Settings\nAppearance\nStatus: 200 OK\nSave\nHTTP 1.1").is_empty());
    }
}
