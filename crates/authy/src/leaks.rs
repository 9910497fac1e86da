//! Stored values, in any spelling, and tokens found in files where they should not be.

mod walk;

use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::scrub::{Encoding, Patterns};

pub use walk::Bounds;

/// A value or a token found in a file. It says whose and where, and nothing of the value itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The file.
    pub path: PathBuf,
    /// The line it begins in; the first is 1.
    pub line: u64,
    /// What it is.
    pub what: Leaked,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaked {
    /// The value of this secret.
    Value {
        /// Whose.
        name: String,
        /// How it is spelled.
        encoding: Encoding,
    },
    /// A token that opens a part of a vault.
    Token,
}

/// What a scan saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What was found, in the order of the files.
    pub leaks: Vec<Leak>,
    /// Files read.
    pub files: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Files and folders that could not be read, with the reason.
    pub unread: Vec<(PathBuf, String)>,
    /// Files not read because they are too large.
    pub too_large: Vec<PathBuf>,
    /// Whether a bound ended the scan before everything was seen.
    pub incomplete: bool,
}

/// How far a scan is: files and bytes so far.
pub type Step = (usize, u64);

/// Looks through files and folders for the values. `is_token` tells a real token from text that looks like one.
/// `progress` hears about every file, and may end the scan.
pub fn scan(
    places: &[PathBuf],
    patterns: &Patterns,
    is_token: fn(&str) -> bool,
    bounds: Bounds,
    progress: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> Report {
    let mut report = Report::default();
    for path in walk::files(places, bounds, &mut report) {
        let over = report.files >= bounds.files
            || report.bytes >= bounds.total
            || report.leaks.len() >= bounds.leaks;
        if over || progress((report.files, report.bytes)).is_break() {
            report.incomplete = true;
            break;
        }
        match read(&path, bounds.file) {
            Ok(Some(bytes)) => {
                report.files += 1;
                report.bytes += bytes.len() as u64;
                search(&path, &bytes, patterns, is_token, &mut report.leaks);
            }
            Ok(None) => report.too_large.push(path),
            Err(error) => report.unread.push((path, error.to_string())),
        }
    }
    if report.leaks.len() > bounds.leaks {
        report.leaks.truncate(bounds.leaks);
        report.incomplete = true;
    }
    report
}

/// A regular file whole, or nothing if it is larger than that. Links are not followed, and pipes not waited for.
fn read(path: &Path, most: u64) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let file = crate::sys::open_unlinked(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if about.len() > most {
        return Ok(None);
    }
    let size = usize::try_from(about.len()).unwrap_or_default();
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn search(path: &Path, bytes: &[u8], patterns: &Patterns, is_token: fn(&str) -> bool, leaks: &mut Vec<Leak>) {
    let mut lines = Lines { bytes, at: 0, line: 1 };
    let mut covered = 0;
    let mut found: Vec<(usize, Leaked)> =
        tokens(bytes, is_token).map(|start| (start, Leaked::Token)).collect();
    for hit in patterns.find(bytes) {
        // What is inside a value, or is the next piece of it, is no second leak.
        let same = found
            .last()
            .is_some_and(|(_, what)| matches!(what, Leaked::Value { name, .. } if *name == hit.name));
        if hit.start > covered || !same {
            found.push((hit.start, Leaked::Value { name: hit.name.to_owned(), encoding: hit.encoding }));
        }
        covered = covered.max(hit.end);
    }
    found.sort_by_key(|(start, _)| *start);
    for (start, what) in found {
        leaks.push(Leak { path: path.to_owned(), line: lines.of(start), what });
    }
}

/// What every token begins with.
const TOKEN: &[u8] = b"authy_v2.";

/// Where tokens begin.
fn tokens(bytes: &[u8], is_token: fn(&str) -> bool) -> impl Iterator<Item = usize> {
    let starts = (0..bytes.len()).filter(move |&at| bytes[at] == TOKEN[0] && bytes[at..].starts_with(TOKEN));
    starts.filter(move |&at| {
        let rest = &bytes[at + TOKEN.len()..];
        let of_body = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = rest.iter().take(200).take_while(of_body).count();
        std::str::from_utf8(&bytes[at..at + TOKEN.len() + length]).is_ok_and(is_token)
    })
}

/// Counts lines while it goes forward.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, position: usize) -> u64 {
        let between = &self.bytes[self.at..position.max(self.at)];
        self.line += memchr::memchr_iter(b'\n', between).count() as u64;
        self.at = position.max(self.at);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::PathBuf;

    use super::{Bounds, Leaked, Report, scan};
    use crate::scrub::{Encoding, Patterns, Secret};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("authy-leaks-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).expect("a folder");
            Folder(path)
        }

        fn file(&self, name: &str, bytes: &[u8]) {
            let path = self.0.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, bytes).expect("a file");
        }

        fn scan(&self, bounds: Bounds) -> Report {
            let secrets = [
                Secret { name: "db", value: b"correct-horse" },
                Secret { name: "api", value: b"sk-1234567890" },
            ];
            let patterns = Patterns::new(secrets);
            scan(
                std::slice::from_ref(&self.0),
                &patterns,
                |text| text == "authy_v2.good",
                bounds,
                &mut |_| ControlFlow::Continue(()),
            )
        }

        fn found(&self, report: &Report) -> Vec<(String, u64, String)> {
            let name = |what: &Leaked| match what {
                Leaked::Value { name, encoding } => format!("{name} {encoding}"),
                Leaked::Token => "token".to_owned(),
            };
            let path = |path: &PathBuf| path.strip_prefix(&self.0).expect("inside").display().to_string();
            report.leaks.iter().map(|leak| (path(&leak.path), leak.line, name(&leak.what))).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn row(path: &str, line: u64, what: &str) -> (String, u64, String) {
        (path.to_owned(), line, what.to_owned())
    }

    #[test]
    fn values_and_tokens_are_found_by_file_and_line() {
        let folder = Folder::new("lines");
        folder.file("a/.env", b"A=1\nDB=correct-horse\nKEY=sk-1234567890 correct-horse\n");
        folder.file("b.bin", &[&[0, 255, b'\n'][..], b"Y29ycmVjdC1ob3JzZQ==", &[0]].concat());
        folder.file("c.txt", b"authy_v2.good authy_v2.bad\nauthy_v2.good");
        folder.file("d.txt", b"nothing here");
        let report = folder.scan(Bounds::default());
        assert_eq!(
            folder.found(&report),
            [
                row("a/.env", 2, "db as it is"),
                row("a/.env", 3, "api as it is"),
                row("a/.env", 3, "db as it is"),
                row("b.bin", 2, "db base64"),
                row("c.txt", 1, "token"),
                row("c.txt", 2, "token"),
            ]
        );
        assert_eq!((report.files, report.incomplete), (4, false));
        assert!(!format!("{report:?}").contains("correct-horse"));
        assert!(matches!(report.leaks[0].what, Leaked::Value { encoding: Encoding::Raw, .. }));
    }

    #[test]
    fn links_are_not_followed_and_pipes_not_waited_for() {
        let (folder, outside) = (Folder::new("links"), Folder::new("outside"));
        outside.file("x", b"correct-horse");
        std::os::unix::fs::symlink(&outside.0, folder.0.join("folder")).expect("a link");
        std::os::unix::fs::symlink(outside.0.join("x"), folder.0.join("file")).expect("a link");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.0.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
        let report = folder.scan(Bounds::default());
        assert_eq!((report.leaks.len(), report.files), (0, 0));
    }

    #[test]
    fn sizes_and_counts_are_bounded_and_it_is_said() {
        let folder = Folder::new("bounds");
        for name in ["1", "2", "3"] {
            folder.file(name, b"correct-horse");
        }
        folder.file("large", &[b'x'; 1000]);
        let large = folder.scan(Bounds { file: 999, ..Bounds::default() });
        assert_eq!((large.files, large.too_large.len(), large.incomplete), (3, 1, false));
        for bounds in [
            Bounds { files: 2, ..Bounds::default() },
            Bounds { leaks: 2, ..Bounds::default() },
            Bounds { total: 20, ..Bounds::default() },
        ] {
            let report = folder.scan(bounds);
            assert_eq!((report.leaks.len(), report.incomplete), (2, true), "{bounds:?}");
        }
    }

    #[test]
    fn a_scan_can_be_ended() {
        let folder = Folder::new("ended");
        folder.file("1", b"correct-horse");
        let patterns = Patterns::new([Secret { name: "db", value: b"correct-horse" }]);
        let stop = &mut |_| ControlFlow::Break(());
        let report = scan(std::slice::from_ref(&folder.0), &patterns, |_| false, Bounds::default(), stop);
        assert_eq!((report.leaks.len(), report.incomplete), (0, true));
    }
}
